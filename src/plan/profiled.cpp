#include "plan/profiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/median.h"
#include "base/rough.h"

namespace wt::plan {

namespace {

using device::DeviceType;

// The kinds of calls for which the error of the roofline is similar.
enum class Kind : std::uint8_t { product, convolution, other };

Kind kind_of(const Node& node) {
  const auto* run = std::get_if<Run>(&node.action);
  if (run == nullptr) return Kind::other;
  const Work work = work_of(*run);
  if (std::holds_alternative<ProductGeometry>(work.geometry)) return Kind::product;
  return std::holds_alternative<ConvolutionGeometry>(work.geometry) ? Kind::convolution : Kind::other;
}

// The ratio of measured over predicted time: the median of the calls of a kind, else the median of all calls,
// and 1 if no call was measured.
using Ratios = std::array<double, 3>;

Ratios ratios_of(const Plan& plan, const std::vector<std::string>& calls, const Costs& roofline,
                 const Profile& profile) {
  std::array<std::vector<double>, 3> found;
  std::vector<double> all;
  for (std::size_t id = 0; id < calls.size(); ++id) {
    const auto measured = profile.kernels.find(calls[id]);
    if (measured == profile.kernels.end() || roofline.nodes[id].seconds <= Seconds(0)) continue;
    all.push_back(measured->second / roofline.nodes[id].seconds);
    found[static_cast<std::size_t>(kind_of(plan.nodes[id]))].push_back(all.back());
  }
  Ratios ratios{1, 1, 1};
  for (std::size_t kind = 0; kind < ratios.size(); ++kind)
    if (!all.empty()) ratios[kind] = median(found[kind].empty() ? all : found[kind]);
  return ratios;
}

std::string basis_of(const Profile& profile, std::size_t calls, std::size_t unknown) {
  std::string text = profile.measured_on
                         ? fmt::format("estimated: measured on {}, {}, times the ratio of rooflines",
                                       *profile.measured_on, profile.date)
                         : fmt::format("measured on {}, {}", name(profile.device), profile.date);
  if (unknown > 0)
    text += fmt::format("; {} of {} estimated by the roofline and the others' ratio to it", unknown,
                        counted(static_cast<std::int64_t>(calls), "kernel call"));
  return text;
}

DeviceId device_of(const Plan& plan, const Action& action) {
  if (const auto* run = std::get_if<Run>(&action)) return run->device;
  if (const auto* sum = std::get_if<Sum>(&action)) return sum->device;
  if (const auto* move = std::get_if<Move>(&action)) return plan.buffer(move->target.buffer).device;
  return plan.buffer(std::get<Collective>(action).values.front().buffer).device;
}

}  // namespace

std::vector<std::string> calls_of(const Plan& plan, std::span<const DeviceType* const> types,
                                  std::string_view type) {
  std::vector<std::string> calls;
  for (const Node& node : plan.nodes) {
    const bool is_its = types[index(device_of(plan, node.action))]->id == type;
    calls.push_back(is_its ? call_of(plan, node) : std::string());
  }
  return calls;
}

Costs profiled(const Plan& plan, std::span<const DeviceType* const> types, const RooflineOptions& options,
               const Profile& profile) {
  Costs costs = roofline(plan, types, options);
  const std::vector<std::string> calls = calls_of(plan, types, profile.device.type);
  const Ratios ratios = ratios_of(plan, calls, costs, profile);
  std::set<std::string_view> all, unknown;
  for (std::size_t id = 0; id < calls.size(); ++id) {
    if (calls[id].empty()) continue;
    all.insert(calls[id]);
    Cost& cost = costs.nodes[id];
    if (const auto found = profile.kernels.find(calls[id]); found != profile.kernels.end()) {
      cost.seconds = found->second;
    } else {
      unknown.insert(calls[id]);
      cost.seconds = cost.seconds * ratios[static_cast<std::size_t>(kind_of(plan.nodes[id]))];
    }
    cost.bound = std::min(cost.bound,
                          cost.seconds);  // the rates may be too low
  }
  if (!all.empty() && unknown.size() == all.size())
    throw InputError(fmt::format("the profile of {} has none of this step's {}", name(profile.device),
                                 counted(std::ssize(all), "kernel call")),
                     "calibrate this scenario, with this batch");
  costs.basis = basis_of(profile, all.size(), unknown.size());
  return costs;
}

void transfer(const Profile& source, const DeviceType& source_type, const Plan& plan,
              std::span<const DeviceType* const> types, const RooflineOptions& options, Profile& target) {
  const std::vector<std::string> calls = calls_of(plan, types, target.device.type);
  std::vector<const DeviceType*> there(types.begin(), types.end());
  for (const DeviceType*& type : there)
    if (type->id == target.device.type) type = &source_type;
  RooflineOptions own = options;
  own.precision = default_precision(source_type);
  own.fusion = default_fusion(source_type);
  const Costs from = roofline(plan, there, own);
  const Costs to = roofline(plan, types, options);
  for (std::size_t id = 0; id < calls.size(); ++id) {
    const auto found = source.kernels.find(calls[id]);
    if (calls[id].empty() || found == source.kernels.end()) continue;
    const Seconds before = from.nodes[id].seconds;
    const double ratio = before > Seconds(0) ? to.nodes[id].seconds / before : 1;
    target.kernels.emplace(calls[id], found->second * ratio);
  }
}

}  // namespace wt::plan
