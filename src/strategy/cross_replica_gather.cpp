#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "strategy/cross_replica.h"

namespace wt::strategy {

using plan::BufferKind, plan::Operand;

// Blocks of equal size are gathered; shorter ones are padded, and cut afterwards, as TensorFlow does.
void CrossReplica::gather(std::size_t node) {
  const Operands inputs = inputs_of(node);
  const Shape& shape = inputs[0].spec.shape;
  std::vector<std::int64_t> rows;
  for (const Operand& input : inputs) rows.push_back(input.spec.shape[0]);
  check_gather(node, rows);
  const std::int64_t most = std::ranges::max(rows), total = std::accumulate(rows.begin(), rows.end(), 0L);
  const bool is_even = most * std::ssize(rows) == total;
  TensorSpec spec{inputs[0].spec.type, shape};
  Operands outputs, blocks;
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    spec.shape[0] = total;
    outputs.push_back(replicas_[r].define_buffer(steps_[r]->program.nodes[node].outputs[0], {node}, spec));
    spec.shape[0] = most * std::ssize(rows);
    blocks.push_back(is_even ? outputs[r]
                             : draft_.buffer(port_name("gather", r), draft_.device_of(inputs[r]), spec,
                                             BufferKind::communication));
  }
  if (total > 0) gather_blocks(inputs, blocks);
  note_reads(node);
  if (!is_even) cut_blocks(inputs, blocks, outputs);
}

void CrossReplica::check_gather(std::size_t node, std::span<const std::int64_t> rows) const {
  const auto& gather = std::get<Gather>(this->node(node).operation);
  if (gather.replicas != std::ssize(rows))
    throw InputError(
        fmt::format("[gather] was traced for {} replicas, and there are {}", gather.replicas, rows.size()),
        "trace the step for the replicas there are");
  if (std::ranges::max(rows) != std::ranges::min(rows) && is_read(this->node(node).outputs[0]))
    throw InputError(fmt::format("[gather] the replicas have {} rows, and the step goes on with them",
                                 fmt::join(rows, ", ")),
                     "drop the remainder, or gather only what is a result");
}

void CrossReplica::gather_blocks(const Operands& inputs, const Operands& blocks) {
  const std::int64_t block = blocks[0].spec.elements() / std::ssize(blocks);
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    const Operand own = part_of(blocks[r], static_cast<std::int64_t>(r) * block, inputs[r].spec.elements());
    if (own.spec.elements() > 0)
      draft_.plan.add_node(plan::Move{flat(inputs[r]), own, {}},
                           replicas_[r].label("gather", plan::Purpose::gather));
  }
  const LibraryChoice choice{.algorithm = communication_.gather};
  add_collective(schedule_for(collective::Operation::all_gather, choice, blocks), blocks, {},
                 {"gather", {plan::Purpose::gather, -1, plan::Role::everyone}});
}

void CrossReplica::cut_blocks(const Operands& inputs, const Operands& blocks, const Operands& outputs) {
  const std::int64_t block = blocks[0].spec.elements() / std::ssize(blocks);
  for (std::size_t r = 0; r < replicas_.size(); ++r) {
    Operands sources, targets;
    std::int64_t first = 0;
    for (const Operand& input : inputs) {
      const std::int64_t count = input.spec.elements();
      sources.push_back(part_of(blocks[r], std::ssize(sources) * block, count));
      targets.push_back(part_of(outputs[r], first, count));
      first += count;
    }
    if (auto move = message(sources, targets))
      draft_.plan.add_node(std::move(*move), replicas_[r].label("gather", plan::Purpose::gather));
  }
}

}  // namespace wt::strategy
