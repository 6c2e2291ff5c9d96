// tensor/ holds element types, shapes and tensors on the host, and reads and writes them as safetensors
// files.
//
// A tensor is a description (TensorSpec: type and shape) and, optionally, numbers:
//
//   const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});       // float32[2,3] with numbers
//   const Tensor big = Tensor::shape_only({Type::float32, {8192, 8192}}); // the description alone, no memory
//
// A simulated training that computes no numbers runs the same code with shape-only tensors. Numbers are
// stored in row-major order, and images have their channels last, as in TensorFlow. Copies of a tensor share
// their numbers, and a View is a non-owning reference to numbers. This folder contains nothing about devices
// or kernels; the memory of a GPU is in device/memory.h.
//
// Read next: shape.h, then kernel/kernel.h, which computes with views.
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

// The type and the shape of a tensor.
struct TensorSpec {
  Type type = Type::float32;
  Shape shape{};

  std::int64_t elements() const { return shape.elements(); }
  Bytes bytes() const { return Bytes(shape.elements() * bytes_per_element(type)); }
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

std::string print(const TensorSpec& spec);  // "float32[32,10]"

// A non-owning reference to numbers, which kernels read and write. The owner of the memory must outlive the
// view. `data` may be memory of a GPU, which the host must not access.
struct View {
  TensorSpec spec{};
  std::byte* data = nullptr;

  // Requires: T is the C++ type of the elements.
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

// A tensor that owns its numbers together with its copies, or that has no numbers (shape-only). Copying a
// Tensor doesn't copy its numbers; copy() does.
class Tensor {
 public:
  Tensor() = default;
  static Tensor shape_only(TensorSpec spec);  // without numbers
  static Tensor zeros(TensorSpec spec);

  // A tensor with the given values in row-major order. Requires: there are as many values as the shape has
  // elements.
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
  const View& view() const;  // lives as long as this tensor
  template <class T>
  std::span<T> values() const {
    return view().values<T>();
  }
  std::span<std::byte> bytes() const;

  // These share their numbers with this tensor.
  Tensor reshaped(const Shape& shape) const;                // Requires: the same number of elements.
  Tensor rows(std::int64_t begin, std::int64_t end) const;  // the rows [begin, end) of axis 0

  Tensor copy() const;  // with numbers of its own

 private:
  std::shared_ptr<std::byte> owner_{};
  View view_{};
};

// Allocates zeroed host memory. It is aligned for the widest vector registers (64 bytes), or for large pages
// if it is at least 4 MiB large.
std::shared_ptr<std::byte> allocate_numbers(Bytes size);

}  // namespace wt
