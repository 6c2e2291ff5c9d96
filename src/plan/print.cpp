#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/overloaded.h"
#include "base/rough.h"
#include "collective/operation.h"
#include "plan/plan.h"

namespace wt::plan {

namespace {

std::string operand(const Plan& plan, const Operand& operand) {
  std::string text = fmt::format("{} {}", plan.buffer(operand.buffer).name, print(operand.spec));
  if (operand.offset != Bytes(0)) text += fmt::format(" from byte {}", operand.offset.count());
  return text;
}

std::string operands(const Plan& plan, std::span<const Operand> list) {
  std::vector<std::string> texts;
  for (const Operand& each : list) texts.push_back(operand(plan, each));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string action(const Plan& plan, const Action& action) {
  return std::visit(
      overloaded{
          [&](const Run& run) {
            std::string text = fmt::format("run {}", run.kernel->name);
            if (const std::string details = print(run.attributes); !details.empty()) text += " " + details;
            text += fmt::format(" ({}) -> {}", operands(plan, run.inputs), operands(plan, run.outputs));
            if (run.workspace) text += fmt::format(" using {}", print(plan.buffer(*run.workspace).bytes));
            return text;
          },
          [&](const Move& move) {
            std::string text =
                fmt::format("move {} -> {}", operand(plan, move.source), operand(plan, move.target));
            for (const Move& piece : move.more)
              text += fmt::format(", {} -> {}", operand(plan, piece.source), operand(plan, piece.target));
            return text;
          },
          [&](const Sum& sum) {
            return fmt::format("sum {} -> {}", operands(plan, sum.slots), operand(plan, sum.output));
          },
          [&](const Collective& collective) {
            return fmt::format("{} by {} among {}: {}", collective::name(collective.operation),
                               collective.algorithm, counted((*collective.request).ranks, "rank"),
                               operands(plan, collective.values));
          },
      },
      action);
}

std::string waits(std::string_view what, std::span<const NodeId> nodes) {
  std::vector<std::size_t> numbers;
  for (const NodeId node : nodes) numbers.push_back(index(node));
  return numbers.empty() ? "" : fmt::format("{} {}", what, fmt::join(numbers, " "));
}

std::string node(const Plan& plan, std::size_t id) {
  const Node& node = plan.nodes[id];
  std::string line = fmt::format("  {:>3} {}", id, action(plan, node.action));
  line += waits(" after", node.after);
  line += waits(" in the slot of", node.slot_after);
  if (node.behind) line += fmt::format(" behind {}", index(*node.behind));
  if (!node.scope.empty()) line += fmt::format("  # {}", node.scope);
  if (node.role.purpose != Purpose::other) line += fmt::format(" [{}]", name(node.role.purpose));
  return line + "\n";
}

}  // namespace

std::string print(const Plan& plan) {
  std::string text = fmt::format("plan {}\n", plan.name);
  for (const Device& device : plan.devices)
    text += fmt::format("  device {} needs {}\n", device.name, print(needed(device)));
  for (const Buffer& buffer : plan.buffers)
    text += fmt::format("  {:<14} {} {} at {}\n", name(buffer.kind), buffer.name, print(buffer.bytes),
                        buffer.address.count());
  for (std::size_t id = 0; id < plan.nodes.size(); ++id) text += node(plan, id);
  for (const auto& [number, call] : plan.calls)
    text += fmt::format("  all_reduce/{} {}\n", number, print(call));
  return text;
}

}  // namespace wt::plan
