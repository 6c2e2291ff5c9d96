#pragma once
// Arithmetic on tensors as a program writes it, operation by operation, on the device where this thread is: that of its
// replica, or this host. Operands of one operation have one type, as in TensorFlow; a number takes the type of the tensor
// beside it.
//
//   strategy.run([&](const EagerTensor& x) { return reduce_sum(square(x - 1)) / 2; }, batch);

#include <initializer_list>
#include <span>

#include "train/eager.h"

namespace wt::train {

// tf.constant.
EagerTensor constant(const Tensor& numbers);
template <class T>
EagerTensor constant(const std::vector<T>& values, const Shape& shape) {
  return constant(Tensor::of(shape, values));
}
template <class T>
EagerTensor constant(const std::vector<T>& values) {
  return constant(values, {static_cast<std::int64_t>(values.size())});
}
template <class T>
EagerTensor constant(std::initializer_list<T> values) {
  return constant(std::vector<T>(values));
}
template <class T>
requires std::is_arithmetic_v<T> EagerTensor constant(T value) { return constant(std::vector<T>{value}, {}); }
EagerTensor zeros(const Shape& shape, Type type = Type::float32);
EagerTensor ones(const Shape& shape, Type type = Type::float32);

EagerTensor operator+(const EagerTensor& a, const EagerTensor& b);
EagerTensor operator-(const EagerTensor& a, const EagerTensor& b);
EagerTensor operator*(const EagerTensor& a, const EagerTensor& b);
EagerTensor operator/(const EagerTensor& a, const EagerTensor& b);  // of integers: float64, as in Python
EagerTensor operator+(const EagerTensor& a, double b);
EagerTensor operator-(const EagerTensor& a, double b);
EagerTensor operator*(const EagerTensor& a, double b);
EagerTensor operator/(const EagerTensor& a, double b);

EagerTensor add_n(std::span<const EagerTensor> values);  // from left to right
EagerTensor cast(const EagerTensor& x, Type type);
EagerTensor square(const EagerTensor& x);
EagerTensor identity(const EagerTensor& x);
EagerTensor matmul(const EagerTensor& a, const EagerTensor& b);
EagerTensor reduce_sum(const EagerTensor& x);
EagerTensor reduce_sum(const EagerTensor& x, int axis);
EagerTensor reduce_mean(const EagerTensor& x);
EagerTensor concat(std::span<const EagerTensor> parts, int axis);
EagerTensor stack(std::span<const EagerTensor> scalars);               // along a new first axis
EagerTensor gather(const EagerTensor& x, const EagerTensor& indices);  // rows of x

// tensor.numpy() of a scalar. Requires: T is the type of the tensor.
template <class T = float>
T item(const EagerTensor& scalar) {
  return scalar.numbers.values<T>()[0];
}

// Any kernel of kernel/kernel.h, where this thread is.
EagerTensor apply(std::string_view kernel, const Attributes& attributes,
                  std::initializer_list<EagerTensor> inputs);

}  // namespace wt::train
