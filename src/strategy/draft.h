#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/narrow.h"
#include "plan/order.h"

namespace wt::strategy {

// A plan while it is written. The dependencies of single nodes follow from their buffers (`order`), and
// collectives come with dependencies of their own.
struct Draft {
  plan::Plan plan{};
  std::vector<plan::Frontier> frontiers{};
  plan::NodeId ordered{};  // nodes before it have their dependencies

  void order();  // gives the other nodes their dependencies
  plan::NodeId next() const { return static_cast<plan::NodeId>(narrow<std::int32_t>(plan.nodes.size())); }
  plan::DeviceId device(const plan::Device& device);  // the device of that name, added if it is new
  plan::Operand buffer(std::string name, plan::DeviceId device, TensorSpec spec, plan::BufferKind kind);
  plan::DeviceId device_of(plan::Operand operand) const { return plan.buffer(operand.buffer).device; }
};

plan::Operand flat(plan::Operand operand);
plan::Operand part_of(plan::Operand whole, std::int64_t first, std::int64_t count);  // elements
// One message with a piece for each pair. Pairs without elements are left out; none: no pair has elements.
std::optional<plan::Move> message(std::span<const plan::Operand> sources,
                                  std::span<const plan::Operand> targets);

// The operands on one device, after operands that lie elsewhere were moved there.
std::vector<plan::Operand> brought(Draft& draft, std::span<const plan::Operand> operands,
                                   plan::DeviceId device, const plan::Label& label);
// The sum of the operands in their order, in a new buffer or in `into`. A single operand is copied.
plan::Operand add_sum(Draft& draft, std::span<const plan::Operand> slots, plan::DeviceId device,
                      const plan::Label& label, std::optional<plan::Operand> into = {});

// In place: operand = operand / divisor, or operand * (1 / divisor).
enum class Scaling : std::uint8_t { divide, multiply };
void add_scaling(Draft& draft, plan::Operand operand, std::size_t divisor, Scaling scaling,
                 plan::Stream stream, const plan::Label& label);

// The first node of each kind on each device, from `first` on, waits for the nodes of `until` on its device.
void hold_back(Draft& draft, plan::NodeId first,
               const std::map<plan::DeviceId, std::vector<plan::NodeId>>& until);

}  // namespace wt::strategy
