#include "communication/calibrated.h"

#include <algorithm>
#include <array>

namespace wt::communication {

namespace {

using platform::CallFactors, platform::LibraryFactors;

struct Part {
  std::string_view name{};
  std::optional<CallFactors> LibraryFactors::*factors = nullptr;
};
constexpr Part switches{"switches", &LibraryFactors::switches};
constexpr Part wires{"wires", &LibraryFactors::wires};
constexpr std::array protocols{Part{"ll", &LibraryFactors::ll}, Part{"ll128", &LibraryFactors::ll128},
                               Part{"simple", &LibraryFactors::simple}};

Part part_of(const Call& call) {
  if (call.algorithm->name.starts_with("nvls")) return switches;
  const auto found = std::ranges::find(protocols, call.protocol, &Part::name);
  return found == protocols.end() ? wires : *found;
}

void correct(plan::Crossing& crossing, const CallFactors& factors) {
  if (crossing.latency) *crossing.latency = *crossing.latency * factors.latency;
  crossing.wire /= factors.rate;
}

}  // namespace

std::string_view library_part(const Call& call) { return part_of(call).name; }

std::optional<CallFactors>& factors_for(const Call& call, LibraryFactors& factors) {
  return factors.*part_of(call).factors;
}

bool is_between_machines(const Group& group) {
  const auto machine = [&](platform::Endpoint rank) { return group.platform.machine_of(rank); };
  return std::ranges::any_of(
      group.ranks, [&](platform::Endpoint rank) { return machine(rank) != machine(group.ranks.front()); });
}

void correct(Call& call, const CallFactors& factors) {
  call.floor = call.floor * factors.latency + factors.start;
  correct(call.inside, factors);
  correct(call.between, factors);
}

void calibrate(Call& call, const Group& group) {
  const platform::Calibration* measured = group.platform.calibration();
  if (measured == nullptr) return;
  const std::optional<LibraryFactors>& all =
      is_between_machines(group) ? measured->between : measured->inside;
  const std::optional<CallFactors> factors =
      all ? (*all).*part_of(call).factors : std::optional<CallFactors>();
  if (!factors) return;
  correct(call, *factors);
  call.basis = basis_of_calibrated;
}

}  // namespace wt::communication
