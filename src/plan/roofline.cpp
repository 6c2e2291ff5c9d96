#include "plan/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/overloaded.h"

namespace wt::plan {

namespace {

using device::DeviceType;
using device::Efficiency;
using device::Precision;

double share(Class arithmetic, const Efficiency& efficiency) {
  switch (arithmetic) {
    case Class::product:
      return efficiency.product;
    case Class::convolution:
      return efficiency.convolution;
    case Class::winograd:
      return efficiency.winograd;
    case Class::elementwise:
      break;
  }
  return 1;
}

Seconds at_peak(const Method& method) { return Flops(method.flops) / method.peak; }

Seconds duration(const Method& method, const Demand& demand, const Efficiency& efficiency) {
  const double rate = method.peak.count() * method.utilization * share(method.arithmetic, efficiency);
  const double bandwidth = demand.bandwidth.count() * efficiency.memory;
  return Seconds(std::max(method.flops / rate, method.bytes / bandwidth) + method.transformed / bandwidth);
}

// Adds the methods that compute a product or a convolution in one precision.
void add_methods(const Work& work, const Traffic& traffic, const Arithmetic& arithmetic, Images images,
                 std::vector<Method>& methods) {
  const double flops = work.flops.count();
  if (const auto* product = std::get_if<ProductGeometry>(&work.geometry))
    methods.push_back({.name = "product",
                       .arithmetic = Class::product,
                       .peak = arithmetic.peak,
                       .flops = flops,
                       .utilization = utilization(*product, arithmetic),
                       .bytes = traffic.bytes});
  else if (const auto* convolution = std::get_if<ConvolutionGeometry>(&work.geometry))
    std::ranges::copy(
        convolution_methods(*convolution, flops, traffic.bytes, traffic.element_bytes, arithmetic, images),
        std::back_inserter(methods));
}

// Products and convolutions run at the peak of the precision, all other kernels at the peak of float32. A library
// that is allowed to round to tf32 may also compute in float32. On GeForce devices, whose matrix units are no
// faster, Winograd's algorithm in float32 often takes less time.
void demand_run(const Run& run, const Traffic& traffic, const DeviceType& type, Images images,
                Demand& demand) {
  const Work work = work_of(run);
  add_methods(work, traffic, arithmetic_of(type, demand.precision), images, demand.methods);
  if (demand.precision == Precision::tf32)
    add_methods(work, traffic, arithmetic_of(type, Precision::float32), images, demand.methods);
  // The arithmetic of a fused node takes no time, since its operands are already in registers.
  if (demand.methods.empty())
    demand.methods = {{.name = "elementwise",
                       .peak = type.peak.at(Precision::float32),
                       .flops = traffic.launches > 0 ? work.flops.count() : 0,
                       .bytes = traffic.bytes}};
}

DeviceId device_of(const Plan& plan, const Action& action) {
  return std::visit(overloaded{[](const Run& run) { return run.device; },
                               [&](const Move& move) { return plan.buffer(move.target.buffer).device; },
                               [](const Sum& sum) { return sum.device; },
                               [&](const Collective& collective) {
                                 return plan.buffer(collective.values.front().buffer).device;
                               }},
                    action);
}

// The basis names the type of the first device, because hosts have no influence on it.
std::string basis_of(const RooflineOptions& options, const DeviceType& type) {
  std::string basis = "zero-shot roofline";
  if (options.efficiency && !options.efficiency->source.empty())
    basis = fmt::format("roofline with constants of {}", options.efficiency->source);
  else if (!options.efficiency && type.efficiency.contains(computed_in(type, options.precision)))
    basis = fmt::format("roofline with the constants of {}", type.id);
  if (options.scale != 1) basis += fmt::format(" x {:.3g} by {}", options.scale, options.scaled_by);
  return basis;
}

}  // namespace

Precision default_precision(const DeviceType& type) {
  if (type.kind == device::Kind::tpu && type.peak.contains(Precision::bfloat16)) return Precision::bfloat16;
  const bool may_round =
      !type.compute_capability || *type.compute_capability >= device::ComputeCapability{8, 0};
  return may_round && type.peak.contains(Precision::tf32) ? Precision::tf32 : Precision::float32;
}

Fusion default_fusion(const DeviceType& type) {
  return type.kind == device::Kind::tpu ? Fusion::program : Fusion::none;
}

Efficiency efficiency_of(const DeviceType& type, Precision precision) {
  const auto found = type.efficiency.find(computed_in(type, precision));
  return found == type.efficiency.end() ? Efficiency{} : found->second;
}

std::vector<Demand> demands(const Plan& plan, std::span<const DeviceType* const> types,
                            const RooflineOptions& options) {
  WT_EXPECT(types.size() == plan.devices.size(), "{} device types for {} devices", types.size(),
            plan.devices.size());
  const std::vector<Traffic> traffic = traffic_of(plan, options.fusion, options.precision, options.updates);
  std::vector<Demand> all(plan.nodes.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Action& action = plan.nodes[i].action;
    const DeviceType& type = *types[index(device_of(plan, action))];
    Demand& demand = all[i];
    demand = {.operands = traffic[i].operands,
              .bandwidth = type.memory_bandwidth,
              .gap = type.launch_gap * traffic[i].launches};
    demand.precision = options.precision;
    if (const auto* run = std::get_if<Run>(&action)) {
      demand.precision = half_precision(*run).value_or(options.precision);
      demand_run(*run, traffic[i], type, options.images, demand);
    } else {
      demand.methods.push_back(
          {.name = "copy", .peak = type.peak.at(Precision::float32), .bytes = traffic[i].bytes});
    }
  }
  return all;
}

const Method& fastest(const Demand& demand, const Efficiency& efficiency) {
  return *std::min_element(demand.methods.begin(), demand.methods.end(),
                           [&](const Method& a, const Method& b) {
                             return duration(a, demand, efficiency) < duration(b, demand, efficiency);
                           });
}

Cost price(const Demand& demand, const Efficiency& efficiency) {
  Seconds arithmetic = at_peak(demand.methods.front());
  for (const Method& method : demand.methods) arithmetic = std::min(arithmetic, at_peak(method));
  return {.seconds = duration(fastest(demand, efficiency), demand, efficiency) + demand.gap,
          .bound = std::max(arithmetic, Seconds(demand.operands / demand.bandwidth.count()))};
}

Costs roofline(const Plan& plan, std::span<const DeviceType* const> types, const RooflineOptions& options) {
  const std::vector<Demand> asked = demands(plan, types, options);
  Costs costs{.basis = types.empty() ? std::string() : basis_of(options, *types.front())};
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const DeviceType& type = *types[index(device_of(plan, plan.nodes[i].action))];
    const Efficiency efficiency = options.efficiency.value_or(efficiency_of(type, asked[i].precision));
    Cost cost = price(asked[i], efficiency);
    cost.seconds = cost.seconds * options.scale;
    // A measured time below the bound shows that the data sheet's rates are too low.
    if (options.scale < 1) cost.bound = std::min(cost.bound, cost.seconds);
    costs.nodes.push_back(cost);
  }
  return costs;
}

Seconds total(const Costs& costs) {
  Seconds sum;
  for (const Cost& cost : costs.nodes) sum += cost.seconds;
  return sum;
}

}  // namespace wt::plan
