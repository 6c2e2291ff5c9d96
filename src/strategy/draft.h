#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "plan/order.h"

namespace wt::strategy {

// A plan while it is written. Nodes come in two ways: single ones, whose dependencies follow from their buffers,
// and collectives, which bring their own.
struct Draft {
  plan::Plan plan{};
  std::vector<plan::Frontier> frontiers{};
  plan::NodeId ordered{};  // nodes before it have their dependencies

  void order();  // gives them to the others
  plan::NodeId next() const {
    return static_cast<plan::NodeId>(static_cast<std::int32_t>(plan.nodes.size()));
  }
  plan::DeviceId device(const plan::Device& device);  // that of its name, added where there is none
  plan::Operand buffer(std::string name, plan::DeviceId device, TensorSpec spec, plan::BufferKind kind);
  plan::DeviceId device_of(plan::Operand operand) const { return plan.buffer(operand.buffer).device; }
};

plan::Operand flat(plan::Operand operand);
plan::Operand part_of(plan::Operand whole, std::int64_t first, std::int64_t count);  // elements
// One message, a piece for each pair; those without elements are left out, so there may be none.
std::optional<plan::Move> message(std::span<const plan::Operand> sources,
                                  std::span<const plan::Operand> targets);

// The operands on one device: those that lie elsewhere are moved there. What is to be added is moved first and
// added in the order given.
std::vector<plan::Operand> brought(Draft& draft, std::span<const plan::Operand> operands,
                                   plan::DeviceId device, const plan::Label& label);
// Into a buffer of its own, or `into`. One operand is copied.
plan::Operand add_sum(Draft& draft, std::span<const plan::Operand> slots, plan::DeviceId device,
                      const plan::Label& label, std::optional<plan::Operand> into = {});

// operand = operand / divisor, or times 1 / divisor, where it lies.
enum class Scaling : std::uint8_t { divide, multiply };
void add_scaling(Draft& draft, plan::Operand operand, std::size_t divisor, Scaling scaling,
                 plan::Stream stream, const plan::Label& label);

// Nodes from `first` on that are the first of their kind on a device wait for what it has to finish before.
void hold_back(Draft& draft, plan::NodeId first,
               const std::map<plan::DeviceId, std::vector<plan::NodeId>>& until);

}  // namespace wt::strategy
