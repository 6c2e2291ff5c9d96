#include "plan/roofline_parts.h"

#include <algorithm>

#include "base/id.h"
#include "base/overloaded.h"

namespace wt::plan {

namespace {

DeviceId device_of(const Plan& plan, const Action& action) {
  return std::visit(overloaded{[](const Run& run) { return run.device; },
                               [&](const Move& move) { return plan.buffer(move.target.buffer).device; },
                               [](const Sum& sum) { return sum.device; },
                               [&](const Collective& collective) {
                                 return plan.buffer(collective.values.front().buffer).device;
                               }},
                    action);
}

// Divides the time that price() computes. Time in which arithmetic and traffic overlap counts for the longer
// of the two.
Parts parts_of(const Demand& demand, const device::Efficiency& efficiency) {
  const Method& method = fastest(demand, efficiency);
  const double bandwidth = demand.bandwidth.count() * efficiency.memory;
  const Seconds transforms(method.transformed / bandwidth);
  const Seconds operands(method.bytes / bandwidth);
  const Seconds overlapped = price(demand, efficiency).seconds - demand.gap - transforms;
  const bool is_arithmetic = overlapped > operands * (1 + 1e-9);
  return {.arithmetic = is_arithmetic ? overlapped : Seconds(0),
          .memory = is_arithmetic ? transforms : operands + transforms,
          .gap = demand.gap};
}

}  // namespace

std::vector<Parts> roofline_parts(const Plan& plan, std::span<const device::DeviceType* const> types,
                                  const RooflineOptions& options) {
  std::vector<Parts> parts;
  const std::vector<Demand> asked = demands(plan, types, options);
  const auto efficiency = [&](std::size_t node) {
    const device::DeviceType& type = *types[index(device_of(plan, plan.nodes[node].action))];
    return options.efficiency.value_or(efficiency_of(type, asked[node].precision));
  };
  for (std::size_t i = 0; i < asked.size(); ++i) parts.push_back(parts_of(asked[i], efficiency(i)));
  if (options.precision != device::Precision::tf32) return parts;
  RooflineOptions exact = options;  // as in roofline(), a library may choose float32 instead of tf32
  exact.precision = device::Precision::float32;
  const std::vector<Demand> others = demands(plan, types, exact);
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Parts other = parts_of(others[i], efficiency(i));
    if (other.sum() < parts[i].sum()) parts[i] = other;
  }
  return parts;
}

}  // namespace wt::plan
