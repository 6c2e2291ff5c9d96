#include "kernel/signature.h"

#include <fmt/format.h>

namespace wt {

void refuse(std::string_view kernel, std::string_view fact, std::string_view remedy) {
  Problem problem;
  problem.fact = fmt::format("[{}] {}{}{}", kernel, fact, remedy.empty() ? "" : "; ", remedy);
  throw InputError(std::move(problem));
}

void require_count(std::string_view kernel, Specs inputs, std::size_t count) {
  if (inputs.size() != count)
    refuse(kernel, fmt::format("{} operand{} expected, {} given", count, count == 1 ? " is" : "s are",
                               inputs.size()));
}

void require_rank(std::string_view kernel, std::string_view operand, const TensorSpec& spec, int rank) {
  if (spec.shape.rank() != rank)
    refuse(kernel,
           fmt::format("{} has rank {}, not {}: it is {}", operand, spec.shape.rank(), rank, print(spec)));
}

void require_rank_at_least(std::string_view kernel, std::string_view operand, const TensorSpec& spec,
                           int rank) {
  if (spec.shape.rank() < rank)
    refuse(kernel, fmt::format("{} has rank {}, less than {}: it is {}", operand, spec.shape.rank(), rank,
                               print(spec)));
}

void require_type(std::string_view kernel, std::string_view operand, const TensorSpec& spec, Type type) {
  require_type_among(kernel, operand, spec, {type});
}

void require_type_among(std::string_view kernel, std::string_view operand, const TensorSpec& spec,
                        std::initializer_list<Type> types) {
  if (std::find(types.begin(), types.end(), spec.type) != types.end()) return;
  std::string known;
  for (const Type& type : types) {
    const bool is_last = &type + 1 == types.end();
    known += fmt::format("{}{}", known.empty() ? "" : is_last ? " or " : ", ", name(type));
  }
  refuse(kernel, fmt::format("{} must be {}: it is {}", operand, known, print(spec)));
}

void require_floating(std::string_view kernel, std::string_view operand, const TensorSpec& spec) {
  require_type_among(kernel, operand, spec, {Type::float32, Type::float64, Type::float16, Type::bfloat16});
}

void require_number(std::string_view kernel, std::string_view operand, const TensorSpec& spec) {
  require_type_among(kernel, operand, spec,
                     {Type::float32, Type::float64, Type::float16, Type::bfloat16, Type::int32, Type::int64});
}

void require_index_type(std::string_view kernel, std::string_view operand, const TensorSpec& spec) {
  require_type_among(kernel, operand, spec, {Type::int32, Type::int64});
}

void require_same_type(std::string_view kernel, std::string_view a_name, const TensorSpec& a,
                       std::string_view b_name, const TensorSpec& b) {
  if (a.type != b.type)
    refuse(kernel, fmt::format("the types differ: {} is {}, {} is {}", a_name, print(a), b_name, print(b)),
           "cast one of them");
}

void require_same(std::string_view kernel, std::string_view a_name, const TensorSpec& a,
                  std::string_view b_name, const TensorSpec& b) {
  require_same_type(kernel, a_name, a, b_name, b);
  if (a.shape != b.shape)
    refuse(kernel, fmt::format("the shapes differ: {} is {}, {} is {}", a_name, print(a), b_name, print(b)));
}

void require_shape(std::string_view kernel, std::string_view operand, const TensorSpec& spec,
                   const Shape& shape) {
  if (spec.shape != shape)
    refuse(kernel, fmt::format("{} must have shape {}: it is {}", operand, print(shape), print(spec)));
}

void require_axis(std::string_view kernel, std::int64_t axis, std::string_view operand,
                  const TensorSpec& spec) {
  if (axis < 0 || axis >= spec.shape.rank())
    refuse(kernel, fmt::format("axis {} is not an axis of {}, which is {}", axis, operand, print(spec)));
}

Shape broadcast_shape(std::string_view kernel, std::string_view a_name, const TensorSpec& a,
                      std::string_view b_name, const TensorSpec& b) {
  const Shape& longer = a.shape.rank() >= b.shape.rank() ? a.shape : b.shape;
  const Shape& shorter = a.shape.rank() >= b.shape.rank() ? b.shape : a.shape;
  const int missing = longer.rank() - shorter.rank();
  Shape result = longer;
  for (int axis = 0; axis < shorter.rank(); ++axis) {
    std::int64_t& extent = result[axis + missing];
    if (extent != shorter[axis] && extent != 1 && shorter[axis] != 1)
      refuse(kernel,
             fmt::format("the shapes cannot be broadcast: {} is {}, {} is {}", a_name, print(a), b_name,
                         print(b)),
             "counted from the last axis, two extents must be equal or one of them 1");
    if (extent == 1) extent = shorter[axis];
  }
  return result;
}

Bytes operand_bytes(const Call& call) {
  Bytes bytes{};
  for (const TensorSpec& spec : call.inputs) bytes += spec.bytes();
  for (const TensorSpec& spec : call.outputs) bytes += spec.bytes();
  return bytes;
}

Work work_per_output(const Call& call, double flops) {
  return {Flops(flops * static_cast<double>(call.outputs[0].elements())), operand_bytes(call), {}};
}

}  // namespace wt
