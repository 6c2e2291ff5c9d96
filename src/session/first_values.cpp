#include "session/first_values.h"

#include <map>

#include "program/trace.h"
#include "strategy/place.h"
#include "timing/simulation.h"

namespace wt::session {

namespace {

// Between the times of the next smaller and the next larger size.
Seconds between(const std::map<Bytes, Seconds>& times, Bytes size) {
  const auto above = times.lower_bound(size), below = std::prev(above);
  const double share = (size - below->first) / (above->first - below->first);
  return below->second + (above->second - below->second) * share;
}

}  // namespace

std::optional<Seconds> time_of_first_values(const scenario::Scenario& scenario,
                                            const cluster::Machine& machine,
                                            std::span<const TensorSpec> variables) {
  if (machine.replicas.size() > most_replicas_of_first_values || variables.empty()) return std::nullopt;
  std::map<Bytes, const TensorSpec*> sizes;
  for (const TensorSpec& spec : variables) sizes.emplace(spec.bytes(), &spec);
  if (machine.replicas.size() > most_replicas_simulated_exactly && sizes.size() > 2)
    sizes.erase(std::next(sizes.begin()), std::prev(sizes.end()));
  const std::vector<strategy::Place> places = strategy::places(machine);
  std::map<Bytes, Seconds> times;
  for (const auto& size : sizes) {
    const Step step = trace("first value", [&](Trace& made) { made.variable("variable", *size.second); });
    const std::optional<plan::Plan> plan = scenario.strategy->lower_first_values(step, places);
    if (!plan) return std::nullopt;
    times.emplace(size.first, timing::time_of_messages(*plan, machine));
  }
  Seconds all{};
  for (const TensorSpec& spec : variables) {
    const auto known = times.find(spec.bytes());
    all += known != times.end() ? known->second : between(times, spec.bytes());
  }
  return all;
}

}  // namespace wt::session
