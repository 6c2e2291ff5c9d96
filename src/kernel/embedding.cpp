#include "kernel/cpu/kernels.h"

#include "kernel/families.h"
#include "kernel/signature.h"

namespace wt {
namespace {

Shape looked_up(std::string_view kernel, const TensorSpec& ids, std::int64_t columns) {
  require_index_type(kernel, "ids", ids);
  if (ids.shape.rank() == Shape::max_rank)
    refuse(kernel, fmt::format("ids has rank {}", ids.shape.rank()),
           fmt::format("it must be less than {}, since the result has one axis more", Shape::max_rank));
  Shape result = ids.shape;
  result.append(columns);
  return result;
}

std::vector<TensorSpec> embedding_outputs(Specs inputs, const Attributes& attributes) {
  attributes_as<NoAttributes>(attributes);
  require_count("embedding", inputs, 2);
  require_floating("embedding", "table", inputs[1]);
  require_rank("embedding", "table", inputs[1], 2);
  return {{inputs[1].type, looked_up("embedding", inputs[0], inputs[1].shape[1])}};
}

std::vector<TensorSpec> embedding_gradient_outputs(Specs inputs, const Attributes& attributes) {
  constexpr std::string_view name = "embedding_gradient";
  const TensorSpec table{inputs.size() == 2 ? inputs[1].type : Type::float32,
                         attributes_as<ShapeAttributes>(attributes).shape};
  require_count(name, inputs, 2);
  require_floating(name, "dy", inputs[1]);
  require_rank(name, "table", table, 2);
  require_shape(name, "dy", inputs[1], looked_up(name, inputs[0], table.shape[1]));
  return {table};
}

// Of the table only the rows that are looked up are read: as many bytes as the output has, but never more
// than the table.
Work embedding_work(const Call& call) {
  const Bytes read = std::min(call.inputs[1].bytes(), call.outputs[0].bytes());
  return {Flops(0), call.inputs[0].bytes() + read + call.outputs[0].bytes(), {}};
}

Work embedding_gradient_work(const Call& call) {
  return {Flops(static_cast<double>(call.inputs[1].elements())), operand_bytes(call), {}};
}

std::vector<Example> embedding_examples() {
  return {{{{{Type::int64, {2, 3}}, 0, 5}, {{Type::float32, {5, 4}}}}},
          {{{{Type::int32, {7}}, 0, 3}, {{Type::float32, {3, 2}}}}}};
}

std::vector<Example> embedding_gradient_examples() {
  return {{{{{Type::int64, {2, 3}}, 0, 5}, {{Type::float32, {2, 3, 4}}}}, ShapeAttributes{{5, 4}}},
          {{{{Type::int32, {7}}, 0, 3}, {{Type::float32, {7, 2}}}}, ShapeAttributes{{3, 2}}}};
}

constexpr Kernel rows_of_embedding_kernels[] = {
    {.name = "embedding",
     .summary = "ids, table -> y: the rows of the table with these ids",
     .outputs = embedding_outputs,
     .work = embedding_work,
     .examples = embedding_examples,
     .apply = cpu::embedding},
    {.name = "embedding_gradient",
     .summary =
         "ids, dy -> dtable: rows of dy added up by id, in their order; the attribute shape is the table's",
     .outputs = embedding_gradient_outputs,
     .work = embedding_gradient_work,
     .examples = embedding_gradient_examples,
     .apply = cpu::embedding_gradient},
};

}  // namespace

std::span<const Kernel> embedding_kernels() { return rows_of_embedding_kernels; }

}  // namespace wt
