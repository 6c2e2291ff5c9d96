#include "execute/fusion.h"

#include <algorithm>

#include "kernel/fused.h"

namespace wt::execute {

namespace {

using plan::BufferId;
using plan::Node;
using plan::NodeId;
using plan::Operand;
using plan::Run;

bool is_same(const Operand& a, const Operand& b) {
  return a.buffer == b.buffer && a.offset == b.offset && a.spec == b.spec;
}

class Fuser {
 public:
  explicit Fuser(const plan::Plan& plan) : plan_(plan), readers_(plan.buffers.size()) {
    for (const Node& node : plan.nodes)
      for (const BufferId buffer : plan::reads(node.action)) ++readers_[index(buffer)];
  }

  std::optional<Run> fused(const Node& first, const Node& second, NodeId first_id) const {
    const auto *a = std::get_if<Run>(&first.action), *b = std::get_if<Run>(&second.action);
    if (a == nullptr || b == nullptr) return std::nullopt;
    const Kernel* both = wt::fused(*a->kernel, *b->kernel);
    if (both == nullptr || !joins(*a, *b) || !may_start_with(first, second, first_id)) return std::nullopt;
    return Run{a->device, both, {}, a->inputs, b->outputs, {}};
  }

 private:
  bool joins(const Run& a, const Run& b) const {
    const Operand &between = a.outputs.front(), &result = b.outputs.front();
    return a.device == b.device && is_same(b.inputs.front(), between) &&
           (is_same(result, between) || is_read_by_them_alone(between, a)) &&
           std::ranges::all_of(a.inputs, [&](const Operand& input) {
             return is_same(input, result) || lie_apart(input, result);
           });
  }

  // Whether only the second node reads the value between them. The first node reads its buffer, too, if it
  // works in place.
  bool is_read_by_them_alone(const Operand& between, const Run& first) const {
    const auto own = std::ranges::count(first.inputs, between.buffer, &Operand::buffer);
    return readers_[index(between.buffer)] == 1 + own && !outlives_step(plan_.buffer(between.buffer).kind);
  }

  // Whether the operands do not overlap. The second node's result may have been planned into memory that only
  // the first node reads.
  bool lie_apart(const Operand& a, const Operand& b) const {
    const Bytes a_begin = address_of(a), b_begin = address_of(b);
    return plan_.buffer(a.buffer).device != plan_.buffer(b.buffer).device ||
           a_begin + a.spec.bytes() <= b_begin || b_begin + b.spec.bytes() <= a_begin;
  }

  Bytes address_of(const Operand& operand) const {
    return plan_.buffer(operand.buffer).address + operand.offset;
  }

  // Whether all dependencies of the second node have finished when the first one starts: they are
  // dependencies of the first node, too, or kernels of the same stream, which run one after the other.
  bool may_start_with(const Node& first, const Node& second, NodeId first_id) const {
    return std::ranges::all_of(second.after, [&](NodeId id) {
      const auto* before = std::get_if<Run>(&plan_.node(id).action);
      return id == first_id || std::ranges::binary_search(first.after, id) ||
             (before != nullptr && before->device == std::get<Run>(first.action).device &&
              plan_.node(id).stream == first.stream);
    });
  }

  const plan::Plan& plan_;
  std::vector<int> readers_;  // by buffer
};

}  // namespace

Fusions fusions_of(const plan::Plan& plan) {
  Fusions fusions;
  const Fuser fuser(plan);
  for (std::size_t id = 0; id + 1 < plan.nodes.size(); ++id) {
    const auto first = static_cast<NodeId>(id);
    if (auto both = fuser.fused(plan.nodes[id], plan.nodes[id + 1], first))
      fusions.emplace(first, std::move(*both));
  }
  return fusions;
}

}  // namespace wt::execute
