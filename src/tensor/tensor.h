// tensor/: element types, shapes, tensors. A tensor is numbers, or only the description of numbers: with
// numbers off everything above still runs. Knows nothing of devices or kernels.
// Read on in kernel/kernel.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "tensor/shape.h"
#include "tensor/type.h"

namespace wt {

// What a tensor is like, without its numbers.
struct TensorSpec {
  Type type = Type::float32;
  Shape shape{};

  std::int64_t elements() const { return shape.elements(); }
  Bytes bytes() const { return Bytes(shape.elements() * bytes_per_element(type)); }
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

std::string print(const TensorSpec& spec);  // "float32[32,10]"

// Numbers that somebody else keeps alive: what kernels read and write.
struct View {
  TensorSpec spec{};
  std::byte* data = nullptr;

  template <class T>
  T* as() const {
    WT_EXPECT(type_of<T> == spec.type, "a view of {} is read as {}", name(spec.type), name(type_of<T>));
    return reinterpret_cast<T*>(data);
  }
  template <class T>
  std::span<T> values() const {
    return {as<T>(), static_cast<std::size_t>(spec.elements())};
  }
};

// A tensor with shared ownership of its numbers, or none (shape-only). Copies are views of the same numbers.
class Tensor {
 public:
  Tensor() = default;
  static Tensor shape_only(TensorSpec spec);
  static Tensor zeros(TensorSpec spec);

  // Requires: as many values as the shape has elements.
  template <class T>
  static Tensor of(const Shape& shape, const std::vector<T>& values) {
    Tensor tensor = zeros({type_of<T>, shape});
    WT_EXPECT(static_cast<std::int64_t>(values.size()) == shape.elements(), "{} values for shape {}",
              values.size(), print(shape));
    std::copy(values.begin(), values.end(), tensor.values<T>().begin());
    return tensor;
  }

  const TensorSpec& spec() const { return view_.spec; }
  const Shape& shape() const { return view_.spec.shape; }
  Type type() const { return view_.spec.type; }
  bool has_numbers() const { return view_.data != nullptr; }

  // Requires: has_numbers().
  const View& view() const;
  template <class T>
  std::span<T> values() const {
    return view().values<T>();
  }
  std::span<std::byte> bytes() const;

  Tensor reshaped(const Shape& shape) const;                // the same numbers
  Tensor rows(std::int64_t begin, std::int64_t end) const;  // a view of rows [begin, end) of axis 0
  Tensor copy() const;

 private:
  std::shared_ptr<std::byte> owner_{};
  View view_{};
};

// Storage for numbers, aligned for the widest vector registers and zeroed.
std::shared_ptr<std::byte> allocate_numbers(Bytes size);

}  // namespace wt
