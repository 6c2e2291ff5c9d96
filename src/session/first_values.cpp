#include "session/first_values.h"

#include <array>
#include <map>
#include <vector>

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

// The first device of each task, between which values travel first.
std::vector<strategy::Place> firsts_of(const std::vector<strategy::Place>& places) {
  std::vector<strategy::Place> firsts;
  for (const strategy::Place& place : places)
    if (firsts.empty() || place.task != firsts.back().task) firsts.push_back(place);
  return firsts;
}

std::vector<strategy::Place> first_task_of(const std::vector<strategy::Place>& places) {
  std::vector<strategy::Place> own;
  for (const strategy::Place& place : places)
    if (place.task == places.front().task) own.push_back(place);
  return own;
}

}  // namespace

std::optional<Seconds> time_of_first_values(const scenario::Scenario& scenario,
                                            const cluster::Machine& machine,
                                            std::span<const TensorSpec> variables) {
  const std::vector<strategy::Place> places = strategy::places(machine);
  const std::array groups{firsts_of(places), first_task_of(places)};
  if (groups[0].size() > most_tasks_of_first_values || variables.empty()) return std::nullopt;
  std::map<Bytes, const TensorSpec*> sizes;
  for (const TensorSpec& spec : variables) sizes.emplace(spec.bytes(), &spec);
  if (groups[0].size() > most_tasks_simulated_exactly && sizes.size() > 2)
    sizes.erase(std::next(sizes.begin()), std::prev(sizes.end()));
  std::map<Bytes, Seconds> times;
  for (const auto& size : sizes) {
    const Step step = trace("first value", [&](Trace& made) { made.variable("variable", *size.second); });
    for (const std::vector<strategy::Place>& group : groups)
      if (const std::optional<plan::Plan> plan = scenario.strategy->lower_first_values(step, group))
        times[size.first] += timing::time_of_messages(*plan, machine);
  }
  if (times.empty()) return std::nullopt;
  Seconds all{};
  for (const TensorSpec& spec : variables) {
    const auto known = times.find(spec.bytes());
    all += known != times.end() ? known->second : between(times, spec.bytes());
  }
  return all;
}

}  // namespace wt::session
