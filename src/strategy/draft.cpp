#include "strategy/draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/narrow.h"

namespace wt::strategy {

using plan::BufferKind, plan::DeviceId, plan::NodeId, plan::Operand;

void Draft::order() {
  plan::order_accesses(plan, ordered, frontiers);
  ordered = next();
}

DeviceId Draft::device(const plan::Device& device) {
  const auto found = std::ranges::find(plan.devices, device.name, &plan::Device::name);
  if (found == plan.devices.end()) {
    plan.devices.push_back(device);
    return static_cast<DeviceId>(narrow<std::int32_t>(plan.devices.size() - 1));
  }
  return static_cast<DeviceId>(narrow<std::int32_t>(found - plan.devices.begin()));
}

Operand Draft::buffer(std::string name, DeviceId device, TensorSpec spec, BufferKind kind) {
  return {plan.add_buffer({std::move(name), device, spec.bytes(), kind, {}}), spec, {}};
}

Operand flat(Operand operand) {
  operand.spec.shape = {operand.spec.elements()};
  return operand;
}

Operand part_of(Operand whole, std::int64_t first, std::int64_t count) {
  whole.offset += Bytes(first * bytes_per_element(whole.spec.type));
  whole.spec.shape = {count};
  return whole;
}

std::optional<plan::Move> message(std::span<const Operand> sources, std::span<const Operand> targets) {
  std::optional<plan::Move> move;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].spec.elements() == 0) continue;
    plan::Move piece{sources[i], targets[i], {}};
    move ? move->more.push_back(std::move(piece)) : void(move = std::move(piece));
  }
  return move;
}

std::vector<Operand> brought(Draft& draft, std::span<const Operand> operands, DeviceId device,
                             const plan::Label& label) {
  std::vector<Operand> there;
  for (const Operand& operand : operands) {
    there.push_back(operand);
    if (draft.device_of(operand) == device) continue;
    there.back() = draft.buffer(fmt::format("{}/{}", label.scope, there.size() - 1), device, operand.spec,
                                BufferKind::communication);
    draft.plan.add_node(plan::Move{operand, there.back(), {}}, label);
  }
  return there;
}

Operand add_sum(Draft& draft, std::span<const Operand> slots, DeviceId device, const plan::Label& label,
                std::optional<Operand> into) {
  const Operand sum =
      into ? *into : draft.buffer(label.scope, device, slots.front().spec, BufferKind::communication);
  if (slots.size() > 1)
    draft.plan.add_node(plan::Sum{device, {slots.begin(), slots.end()}, sum}, label);
  else
    draft.plan.add_node(plan::Move{slots.front(), sum, {}}, label);
  return sum;
}

void add_scaling(Draft& draft, Operand operand, std::size_t divisor, Scaling scaling, plan::Stream stream,
                 const plan::Label& label) {
  const DeviceId device = draft.device_of(operand);
  const double number = static_cast<double>(divisor),
               value = scaling == Scaling::divide ? number : 1 / number;
  const TensorSpec scalar{operand.spec.type, {}};
  const Operand factor = draft.buffer(label.scope + "/replicas", device, scalar, BufferKind::communication);
  const auto add = [&](std::string_view kernel, Attributes attributes, std::vector<Operand> inputs,
                       Operand output) {
    draft.plan.add_node(plan::Run{.device = device,
                                  .kernel = &kernel_named(kernel),
                                  .attributes = std::move(attributes),
                                  .inputs = std::move(inputs),
                                  .outputs = {output}},
                        label);
    draft.plan.nodes.back().stream = stream;
  };
  add("fill", FillAttributes{scalar, value}, {}, factor);
  add(scaling == Scaling::divide ? "divide" : "multiply", {}, {operand, factor}, operand);
}

namespace {

std::vector<Operand> ends_of(const plan::Action& action) {
  if (const auto* move = std::get_if<plan::Move>(&action)) return {move->source, move->target};
  if (const auto* collective = std::get_if<plan::Collective>(&action)) return collective->values;
  return {};
}

}  // namespace

// A move waits for the nodes of both devices, since the receiver takes part from the beginning.
void hold_back(Draft& draft, NodeId first, const std::map<DeviceId, std::vector<NodeId>>& until) {
  for (std::size_t i = index(first); i < draft.plan.nodes.size(); ++i) {
    plan::Node& node = draft.plan.nodes[i];
    const bool has_begun = std::ranges::any_of(node.after, [&](NodeId other) { return other >= first; });
    if (has_begun) continue;
    for (const Operand& end : ends_of(node.action)) {
      const auto found = until.find(draft.device_of(end));
      if (found != until.end()) plan::wait_for(node, found->second);
    }
  }
}

}  // namespace wt::strategy
