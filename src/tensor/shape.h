#pragma once
// The shape of a tensor.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace wt {

// The extents of a tensor, outermost axis first: {32, 28, 28, 1} are 32 images of 28 rows, 28 columns and one
// channel. The extents are stored inside the object, so copying a shape never allocates memory, and kernels
// may create shapes during a step. Extents are not negative.
class Shape {
 public:
  static constexpr int max_rank = 8;

  Shape() = default;  // a scalar
  Shape(std::initializer_list<std::int64_t> extents);
  explicit Shape(std::span<const std::int64_t> extents);

  int rank() const { return rank_; }
  std::int64_t operator[](int axis) const { return extents_[static_cast<std::size_t>(axis)]; }
  std::int64_t& operator[](int axis) { return extents_[static_cast<std::size_t>(axis)]; }
  std::int64_t last() const {
    return extents_[static_cast<std::size_t>(rank_ - 1)];
  }  // Requires: rank() > 0.

  // 1 for a scalar. Throws InputError if there are more than `most_elements`, which no memory holds. Sums of the
  // bytes of thousands of such tensors still fit into 64 bits.
  static constexpr std::int64_t most_elements = std::int64_t{1} << 48;
  std::int64_t elements() const;
  std::int64_t elements(int begin, int end) const;  // the product of the extents of axes [begin, end)
  void append(std::int64_t extent);                 // Requires: rank() < max_rank.
  Shape without(int axis) const;                    // the shape with one axis removed

  const std::int64_t* begin() const { return extents_.data(); }
  const std::int64_t* end() const { return extents_.data() + rank_; }

  friend bool operator==(const Shape& a, const Shape& b);

 private:
  std::array<std::int64_t, max_rank> extents_{};
  int rank_ = 0;
};

std::string print(const Shape& shape);  // "[32,28,28,1]", as TensorFlow prints it; "[]" for a scalar

}  // namespace wt
