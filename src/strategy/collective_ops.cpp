#include "strategy/collective_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/id.h"

namespace wt::strategy {

namespace {

using collective::Operation;

constexpr std::array op_rows{
    CollectiveOp{CollectiveType::reduce, "NcclReduce", "RingReduce", Operation::all_reduce,
                 "tensorflow_ring"},
    CollectiveOp{CollectiveType::gather, "NcclGather", "RingGather", Operation::all_gather, "ring"},
    CollectiveOp{CollectiveType::broadcast, "NcclBroadcast", "HierarchicalTreeBroadcast",
                 Operation::broadcast, "tensorflow_tree"},
    CollectiveOp{CollectiveType::all_to_all, "NcclAllToAll", "AllToAll", Operation::all_to_all, "direct"},
    CollectiveOp{CollectiveType::reduce_scatter, "NcclReduceScatter", "", Operation::reduce_scatter, ""},
    CollectiveOp{CollectiveType::permute, "Permute", "Permute", Operation::all_to_all, ""},
};

}  // namespace

std::span<const CollectiveOp> collective_ops() { return op_rows; }

const CollectiveOp& collective_op(CollectiveType type) {
  const CollectiveOp& row = op_rows.at(index(type));
  WT_EXPECT(row.type == type, "the table of collective operations is out of order at {}", row.nccl);
  return row;
}

std::string_view kernel_of(CollectiveType type, CommunicationImplementation chosen) {
  const CollectiveOp& row = collective_op(type);
  if (chosen == CommunicationImplementation::nccl) return row.nccl;
  if (row.own.empty())
    throw InputError("CollectiveRegistry::Lookup did not find collective implementation undefined",
                     "NCCL has it: ask for NCCL, on GPUs");
  return row.own;
}

void add_permute(plan::Plan& plan, const Permute& permute, std::span<const plan::Operand> inputs,
                 std::span<const plan::Operand> outputs, const plan::Label& label) {
  for (const auto& [source, target] : permute.pairs)
    if (std::cmp_greater_equal(std::max(source, target), inputs.size()))
      throw InputError(fmt::format("[permute] a pair leads from replica {} to {}, and there are {}", source,
                                   target, inputs.size()),
                       "name replicas that there are, counted from 0");
  for (std::size_t replica = 0; replica < outputs.size(); ++replica) {
    const plan::Operand& output = outputs[replica];
    if (const auto source = permute.source_of(static_cast<std::int64_t>(replica)))
      plan.add_node(plan::Move{inputs[static_cast<std::size_t>(*source)], output, {}}, label);
    else
      plan.add_node(plan::Run{.device = plan.buffer(output.buffer).device,
                              .kernel = &kernel_named("fill"),
                              .attributes = Attributes(FillAttributes{output.spec, 0}),
                              .outputs = {output}},
                    label);
  }
}

void require_reducible(Type type, CommunicationImplementation chosen, device::Kind kind) {
  if (type != Type::int32 || kind != device::Kind::gpu || chosen == CommunicationImplementation::nccl) return;
  throw InputError("Collective all-reduce does not support datatype DT_INT32 on DEVICE_GPU",
                   "cast it to int64 or float32, or ask for NCCL");
}

}  // namespace wt::strategy
