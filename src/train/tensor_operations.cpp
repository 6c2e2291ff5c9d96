#include "train/tensor_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "device/error.h"
#include "train/distributed/contexts.h"
#include "train/distributed/gradient_of_operation.h"

namespace wt::train {

namespace {

// Python's number beside a tensor, which becomes a constant of the tensor's type.
EagerTensor like(const EagerTensor& tensor, double value) {
  switch (tensor.numbers.type()) {
    case Type::float32:
      return constant(static_cast<float>(value));
    case Type::float64:
      return constant(value);
    case Type::int32:
      return constant(static_cast<std::int32_t>(value));
    case Type::int64:
      return constant(static_cast<std::int64_t>(value));
    case Type::boolean:
      return constant(value != 0);
    case Type::uint8:
      return constant(static_cast<std::uint8_t>(value));
    case Type::float16:
      return constant(Tensor::of<Float16>({}, {rounded<Float16>(static_cast<float>(value))}));
    case Type::bfloat16:
      return constant(Tensor::of<BFloat16>({}, {rounded<BFloat16>(static_cast<float>(value))}));
  }
  return {};
}

// C++'s name of a type, which TensorFlow's kernels print.
std::string_view printed(Type type) {
  if (type == Type::float32) return "float";
  if (type == Type::float64) return "double";
  if (type == Type::float16) return "half";
  return name(type);
}

// Refuses operands as TensorFlow's kernels of two operands do.
EagerTensor binary(std::string_view kernel, const EagerTensor& a, const EagerTensor& b) {
  const TensorSpec &left = a.numbers.spec(), &right = b.numbers.spec();
  const std::array specs{left, right};
  if (left.type != right.type)
    throw InvalidArgumentError(fmt::format(
        "cannot compute {} as input #1(zero-based) was expected to be a {} tensor but is a {} tensor",
        operation_name(kernel, specs, NoAttributes{}), printed(left.type), printed(right.type)));
  for (int i = 1; i <= std::min(left.shape.rank(), right.shape.rank()); ++i) {
    const std::int64_t x = left.shape[left.shape.rank() - i], y = right.shape[right.shape.rank() - i];
    if (x != y && x != 1 && y != 1)
      throw InvalidArgumentError(
          fmt::format("Incompatible shapes: {} vs. {}", wt::print(left.shape), wt::print(right.shape)));
  }
  return apply(kernel, NoAttributes{}, {a, b});
}

// Refuses parts that don't fit together as TensorFlow's ConcatV2 does.
void require_same_but(int axis, const Shape& first, const Shape& other, std::size_t number) {
  const std::string shapes =
      fmt::format("shape[0] = {} vs. shape[{}] = {}", wt::print(first), number, wt::print(other));
  if (first.rank() != other.rank())
    throw InvalidArgumentError("ConcatOp : Ranks of all input tensors should match: " + shapes);
  for (int i = 0; i < first.rank(); ++i)
    if (i != axis && first[i] != other[i])
      throw InvalidArgumentError(
          fmt::format("ConcatOp : Dimension {} in both shapes must be equal: {}", i, shapes));
}

std::vector<int> all_axes(const Shape& shape) {
  std::vector<int> axes;
  for (int i = 0; i < shape.rank(); ++i) axes.push_back(i);
  return axes;
}

EagerTensor reduced(const EagerTensor& x, std::string_view kernel, std::span<const int> axes) {
  std::vector<std::int64_t> checked(axes.begin(), axes.end());
  return apply(kernel, AxesAttributes{Shape(checked)}, {x});
}

}  // namespace

EagerTensor apply(std::string_view kernel, const Attributes& attributes,
                  std::initializer_list<EagerTensor> inputs) {
  const std::span<const EagerTensor> given(inputs.begin(), inputs.size());
  const EagerTensor output = executed(kernel, attributes, given).front();
  record_operation(kernel, attributes, given, output);
  return output;
}

EagerTensor constant(const Tensor& numbers) { return current_eager().constant(numbers); }
EagerTensor zeros(const Shape& shape, Type type) {
  return apply("fill", FillAttributes{{type, shape}, 0}, {});
}
EagerTensor ones(const Shape& shape, Type type) {
  return apply("fill", FillAttributes{{type, shape}, 1}, {});
}

EagerTensor operator+(const EagerTensor& a, const EagerTensor& b) { return binary("add", a, b); }
EagerTensor operator-(const EagerTensor& a, const EagerTensor& b) { return binary("subtract", a, b); }
EagerTensor operator*(const EagerTensor& a, const EagerTensor& b) { return binary("multiply", a, b); }
EagerTensor operator/(const EagerTensor& a, const EagerTensor& b) {
  if (is_floating(a.numbers.type())) return binary("divide", a, b);
  return binary("divide", cast(a, Type::float64), cast(b, Type::float64));
}
EagerTensor operator+(const EagerTensor& a, double b) { return a + like(a, b); }
EagerTensor operator-(const EagerTensor& a, double b) { return a - like(a, b); }
EagerTensor operator*(const EagerTensor& a, double b) { return a * like(a, b); }
EagerTensor operator/(const EagerTensor& a, double b) { return a / like(a, b); }

EagerTensor add_n(std::span<const EagerTensor> values) {
  EagerTensor total = values.front();
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i].numbers.shape() != total.numbers.shape())
      throw InvalidArgumentError(
          fmt::format("Inputs to operation AddN of type AddN must have the same size and shape.  Input 0: "
                      "{} != input {}: {}",
                      wt::print(total.numbers.shape()), i, wt::print(values[i].numbers.shape())));
  for (const EagerTensor& value : values.subspan(1)) total = total + value;
  return total;
}

EagerTensor cast(const EagerTensor& x, Type type) {
  if (x.numbers.type() == type) return x;
  return apply("cast", CastAttributes{type}, {x});
}
EagerTensor square(const EagerTensor& x) { return apply("square", NoAttributes{}, {x}); }
EagerTensor identity(const EagerTensor& x) { return current_eager().identity(x); }
EagerTensor matmul(const EagerTensor& a, const EagerTensor& b) {
  return apply("matmul", ProductAttributes{}, {a, b});
}
EagerTensor reduce_sum(const EagerTensor& x) { return reduced(x, "reduce_sum", all_axes(x.numbers.shape())); }
EagerTensor reduce_sum(const EagerTensor& x, int axis) {
  const int rank = x.numbers.shape().rank();
  if (axis < -rank || axis >= rank)
    throw device::ValueError(
        fmt::format("Invalid reduction dimension {} for input with {} dimensions.", axis, rank));
  const int checked = axis < 0 ? axis + rank : axis;
  return reduced(x, "reduce_sum", {&checked, 1});
}
EagerTensor reduce_mean(const EagerTensor& x) {
  return reduced(x, "reduce_mean", all_axes(x.numbers.shape()));
}

EagerTensor concat(std::span<const EagerTensor> parts, int axis) {
  const Shape& first = parts.front().numbers.shape();
  const int rank = first.rank();
  if (rank == 0) throw InvalidArgumentError("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
  if (axis < -rank || axis >= rank)
    throw InvalidArgumentError(fmt::format(
        "ConcatOp : Expected concatenating dimensions in the range [{}, {}), but got {}", -rank, rank, axis));
  const int along = axis < 0 ? axis + rank : axis;
  for (std::size_t i = 1; i < parts.size(); ++i) require_same_but(along, first, parts[i].numbers.shape(), i);
  EagerTensor all = parts.front();
  for (const EagerTensor& part : parts.subspan(1))
    all = apply("concat", PartsAttributes{along, {all.numbers.shape()[along], part.numbers.shape()[along]}},
                {all, part});
  return all;
}

EagerTensor stack(std::span<const EagerTensor> scalars) {
  std::vector<EagerTensor> rows;
  for (const EagerTensor& scalar : scalars) {
    std::vector<std::int64_t> extents{1};
    const Shape& shape = scalar.numbers.shape();
    for (int i = 0; i < shape.rank(); ++i) extents.push_back(shape[i]);
    rows.push_back({scalar.numbers.reshaped(Shape(extents)), scalar.device, scalar.place});
  }
  return concat(rows, 0);
}

// The kernel looks up rows of a matrix of floats; other tensors are brought into this form. The gradient are slices.
EagerTensor gather(const EagerTensor& x, const EagerTensor& indices) {
  const Shape& shape = x.numbers.shape();
  const std::int64_t rows = shape[0];
  const std::int64_t width = rows == 0 ? 0 : shape.elements() / rows;
  const Tensor at = cast(indices, Type::int64).numbers;
  const auto each = at.values<std::int64_t>();
  for (std::size_t i = 0; i < each.size(); ++i)
    if (each[i] < 0 || each[i] >= rows)
      throw InvalidArgumentError(fmt::format("indices[{}] = {} is not in [0, {})", i, each[i], rows));
  EagerTensor table = is_floating(x.numbers.type()) ? x : cast(x, Type::float64);
  table.numbers = table.numbers.reshaped({rows, width});
  const std::array inputs{indices, table};
  EagerTensor found = executed("embedding", NoAttributes{}, inputs).front();
  found = cast(found, x.numbers.type());
  const auto extents_of_rows = [&](std::vector<std::int64_t> extents) {
    for (int i = 1; i < shape.rank(); ++i) extents.push_back(shape[i]);
    return Shape(extents);
  };
  std::vector<std::int64_t> extents;
  for (int i = 0; i < indices.numbers.shape().rank(); ++i) extents.push_back(indices.numbers.shape()[i]);
  found.numbers = found.numbers.reshaped(extents_of_rows(extents));
  const std::int64_t count = indices.numbers.shape().elements();
  GradientTape::record({x}, found, [=, flat = extents_of_rows({count})](const EagerTensor& of) {
    return std::vector<Gradient>{IndexedSlices{{of.numbers.reshaped(flat), of.device},
                                               {indices.numbers.reshaped({count}), indices.device},
                                               x.numbers.shape()}};
  });
  return found;
}

}  // namespace wt::train
