#include "kernel/cpu/kernels.h"

#include "kernel/families.h"
#include "kernel/signature.h"

namespace wt {

namespace {

Work copying(const Call& call) { return work_per_output(call, 0); }

std::vector<TensorSpec> transpose_outputs(Specs inputs, const Attributes& attributes) {
  require_count("transpose", inputs, 1);
  const Shape& permutation = attributes_as<ShapeAttributes>(attributes).shape;
  const Shape& shape = inputs[0].shape;
  bool fits = permutation.rank() == shape.rank();
  for (int axis = 0; fits && axis < shape.rank(); ++axis)
    fits = std::count(permutation.begin(), permutation.end(), axis) == 1;
  if (!fits)
    refuse("transpose", fmt::format("{} is not a permutation of the axes of x, which is {}",
                                    print(permutation), print(inputs[0])));
  TensorSpec y = inputs[0];
  for (int axis = 0; axis < shape.rank(); ++axis) y.shape[axis] = shape[static_cast<int>(permutation[axis])];
  return {y};
}

std::vector<TensorSpec> broadcast_to_outputs(Specs inputs, const Attributes& attributes) {
  require_count("broadcast_to", inputs, 1);
  const TensorSpec y{inputs[0].type, attributes_as<ShapeAttributes>(attributes).shape};
  if (broadcast_shape("broadcast_to", "x", inputs[0], "the result", y) != y.shape)
    refuse("broadcast_to",
           fmt::format("x is {} and cannot be broadcast to {}", print(inputs[0]), print(y.shape)));
  return {y};
}

std::int64_t sum_of(const Shape& sizes) {
  std::int64_t sum = 0;
  for (const std::int64_t size : sizes) sum += size;
  return sum;
}

std::vector<TensorSpec> concat_outputs(Specs inputs, const Attributes& attributes) {
  const auto& [axis, sizes] = attributes_as<PartsAttributes>(attributes);
  if (sizes.rank() == 0) refuse("concat", "sizes is empty", "concatenate at least one part");
  require_count("concat", inputs, static_cast<std::size_t>(sizes.rank()));
  require_axis("concat", axis, "x0", inputs[0]);
  TensorSpec expected = inputs[0];
  for (int part = 0; part < sizes.rank(); ++part) {
    const std::string operand = fmt::format("x{}", part);
    const TensorSpec& input = inputs[static_cast<std::size_t>(part)];
    expected.shape[axis] = sizes[part];
    require_same_type("concat", "x0", inputs[0], operand, input);
    require_shape("concat", operand, input, expected.shape);
  }
  expected.shape[axis] = sum_of(sizes);
  return {expected};
}

std::vector<TensorSpec> split_outputs(Specs inputs, const Attributes& attributes) {
  const auto& [axis, sizes] = attributes_as<PartsAttributes>(attributes);
  require_count("split", inputs, 1);
  require_axis("split", axis, "x", inputs[0]);
  if (sizes.rank() == 0) refuse("split", "sizes is empty", "split into at least one part");
  if (sum_of(sizes) != inputs[0].shape[axis])
    refuse("split", fmt::format("sizes {} add up to {}, and axis {} of x has extent {}: x is {}",
                                print(sizes), sum_of(sizes), axis, inputs[0].shape[axis], print(inputs[0])));
  std::vector<TensorSpec> outputs;
  for (const std::int64_t size : sizes) {
    outputs.push_back(inputs[0]);
    outputs.back().shape[axis] = size;
  }
  return outputs;
}

// ---- Examples

ExampleOperand values(const Shape& shape, Type type = Type::float32) { return {{type, shape}, -4, 4}; }

std::vector<Example> transpose_examples() {
  return {{{values({3, 5})}, ShapeAttributes{{1, 0}}},
          {{values({2, 3, 4})}, ShapeAttributes{{2, 1, 0}}},
          {{values({2, 3, 2, 4})}, ShapeAttributes{{0, 2, 1, 3}}},
          {{values({19, 3}, Type::int64)}, ShapeAttributes{{1, 0}}}};
}

std::vector<Example> broadcast_to_examples() {
  return {{{values({})}, ShapeAttributes{{2, 3}}},
          {{values({5})}, ShapeAttributes{{3, 5}}},
          {{values({3, 1})}, ShapeAttributes{{2, 3, 4}}},
          {{values({2, 3}, Type::boolean)}, ShapeAttributes{{2, 3}}}};
}

std::vector<Example> concat_examples() {
  return {{{values({2, 3}), values({4, 3})}, PartsAttributes{0, {2, 4}}},
          {{values({2, 1, 2}), values({2, 0, 2}), values({2, 3, 2})}, PartsAttributes{1, {1, 0, 3}}},
          {{values({7}, Type::int32)}, PartsAttributes{0, {7}}}};
}

std::vector<Example> split_examples() {
  return {{{values({6, 3})}, PartsAttributes{0, {2, 4}}},
          {{values({2, 4, 2})}, PartsAttributes{1, {1, 0, 3}}},
          {{values({7}, Type::int32)}, PartsAttributes{0, {7}}}};
}

constexpr Kernel rows_of_shaping_kernels[] = {
    {.name = "transpose",
     .summary = "x -> y: axis i of y is axis shape[i] of x",
     .outputs = transpose_outputs,
     .work = copying,
     .examples = transpose_examples,
     .apply = cpu::apply_transpose,
     .takes_halves = true},
    {.name = "broadcast_to",
     .summary = "y = x, repeated along axes to have the given shape",
     .outputs = broadcast_to_outputs,
     .work = copying,
     .examples = broadcast_to_examples,
     .apply = cpu::apply_broadcast_to,
     .takes_halves = true},
    {.name = "concat",
     .summary = "(x0, x1, ...): y = the inputs one after the other along an axis",
     .outputs = concat_outputs,
     .work = copying,
     .examples = concat_examples,
     .apply = cpu::apply_concat,
     .takes_halves = true},
    {.name = "split",
     .summary = "x: (y0, y1, ...) = the parts of x along an axis",
     .outputs = split_outputs,
     .work = copying,
     .examples = split_examples,
     .apply = cpu::apply_split,
     .takes_halves = true},
};

}  // namespace

std::span<const Kernel> shaping_kernels() { return rows_of_shaping_kernels; }

}  // namespace wt
