#include "plan/plan.h"

#include <array>

#include "base/narrow.h"
#include "base/overloaded.h"

namespace wt::plan {

namespace {

constexpr std::array<std::string_view, 10> kind_names{
    "input",      "input_ahead", "variable",  "optimizer_slot", "result",
    "activation", "gradient",    "workspace", "communication",  "arrival"};

std::vector<BufferId> buffers_of(std::span<const Operand> operands) {
  std::vector<BufferId> buffers;
  buffers.reserve(operands.size());
  for (const Operand& operand : operands) buffers.push_back(operand.buffer);
  return buffers;
}

std::vector<BufferId> ends_of(const Move& move, Operand Move::*end) {
  std::vector<BufferId> buffers{(move.*end).buffer};
  for (const Move& piece : move.more) buffers.push_back((piece.*end).buffer);
  return buffers;
}

}  // namespace

Bytes payload(const Move& move) {
  Bytes bytes = move.source.spec.bytes();
  for (const Move& piece : move.more) bytes += payload(piece);
  return bytes;
}

Bytes payload(const Node& move) {
  const Bytes all = payload(std::get<Move>(move.action));
  if (move.share == 1) return all;
  return Bytes(std::llround(static_cast<double>(all.count()) * move.share));
}

bool outlives_step(BufferKind kind) { return kind <= BufferKind::result; }

std::string_view name(BufferKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

BufferId Plan::add_buffer(Buffer buffer) {
  buffers.push_back(std::move(buffer));
  return static_cast<BufferId>(narrow<std::int32_t>(buffers.size() - 1));
}

NodeId Plan::add_node(Action action, Label label) {
  nodes.push_back({.action = std::move(action), .scope = std::move(label.scope), .role = label.role});
  return static_cast<NodeId>(narrow<std::int32_t>(nodes.size() - 1));
}

std::vector<BufferId> reads(const Action& action) {
  return std::visit(overloaded{
                        [](const Run& run) { return buffers_of(run.inputs); },
                        [](const Move& move) { return ends_of(move, &Move::source); },
                        [](const Sum& sum) { return buffers_of(sum.slots); },
                        [](const Collective& collective) { return buffers_of(collective.values); },
                    },
                    action);
}

std::vector<BufferId> writes(const Action& action) {
  return std::visit(overloaded{
                        [](const Run& run) {
                          std::vector<BufferId> buffers = buffers_of(run.outputs);
                          if (run.workspace) buffers.push_back(*run.workspace);
                          return buffers;
                        },
                        [](const Move& move) { return ends_of(move, &Move::target); },
                        [](const Sum& sum) { return std::vector<BufferId>{sum.output.buffer}; },
                        [](const Collective& collective) { return buffers_of(collective.values); },
                    },
                    action);
}

Work work_of(const Run& run) {
  std::vector<TensorSpec> inputs, outputs;
  inputs.reserve(run.inputs.size());
  outputs.reserve(run.outputs.size());
  for (const Operand& operand : run.inputs) inputs.push_back(operand.spec);
  for (const Operand& operand : run.outputs) outputs.push_back(operand.spec);
  return run.kernel->work({inputs, outputs, run.attributes});
}

std::string_view kernel_name(const Node& node) {
  return std::visit(overloaded{[](const Run& run) { return run.kernel->name; },
                               [](const Move&) { return std::string_view("move"); },
                               [](const Sum&) { return std::string_view("sum"); },
                               [](const Collective&) { return std::string_view("collective"); }},
                    node.action);
}

}  // namespace wt::plan
