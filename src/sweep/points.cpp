#include "sweep/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "scenario/check.h"
#include "scenario/machine.h"
#include "scenario/parse.h"
#include "scenario/variant.h"
#include "sweep/names.h"

namespace wt::sweep {

namespace {

bool agrees(const Test& test, const Setting& setting) {
  if (test.kind == Test::Kind::equal) return std::ranges::count(test.texts, setting.text) > 0;
  double value = 0;
  const std::string& text = setting.text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  switch (test.kind) {
    case Test::Kind::less:
      return value < test.number;
    case Test::Kind::at_most:
      return value <= test.number;
    case Test::Kind::greater:
      return value > test.number;
    default:
      return value >= test.number;
  }
}

int replicas_of(const Setting& setting) {
  int count = 0;
  const std::string& text = setting.text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < 1)
    throw InputError(Problem{setting.value.place(), fmt::format("\"{}\" is no number of replicas", text),
                             "write a whole number from 1 on"});
  return count;
}

}  // namespace

Points::Points(const Sweep& sweep) : sweep_(sweep) {
  double product = 1;
  for (const Axis& axis : sweep.axes) product *= static_cast<double>(axis.size());
  if (product > static_cast<double>(most_points))
    throw InputError(
        fmt::format("the axes make {:.3g} points, and a sweep has at most {}", product, most_points),
        "take fewer values, or several sweeps");
  const auto size = static_cast<std::int64_t>(product);
  for (std::int64_t grid = 0; grid < size; ++grid)
    if (!is_left_out(grid)) kept_.push_back(grid);
  if (kept_.empty())
    throw InputError(fmt::format("\"leave_out\" leaves no point of {}", size), "take a condition away");
}

// The position on each axis. The last axis varies fastest.
std::vector<std::size_t> Points::steps_of(std::int64_t grid) const {
  std::vector<std::size_t> steps(sweep_.axes.size());
  auto rest = static_cast<std::size_t>(grid);
  for (std::size_t i = steps.size(); i-- > 0;) {
    steps[i] = rest % sweep_.axes[i].size();
    rest /= sweep_.axes[i].size();
  }
  return steps;
}

bool Points::is_left_out(std::int64_t grid) const {
  if (sweep_.leave_out.empty()) return false;
  const std::vector<std::size_t> steps = steps_of(grid);
  std::vector<const Setting*> settings;
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const std::vector<Setting>& of_key : sweep_.axes[i].settings) settings.push_back(&of_key[steps[i]]);
  return std::ranges::any_of(sweep_.leave_out, [&](const Condition& condition) {
    return std::ranges::all_of(condition,
                               [&](const Test& test) { return agrees(test, *settings[test.column]); });
  });
}

Point Points::at(std::int64_t number) const {
  Point point{.number = number};
  const std::vector<std::size_t> steps = steps_of(kept_.at(static_cast<std::size_t>(number)));
  for (std::size_t i = 0; i < steps.size(); ++i)
    for (const std::vector<Setting>& of_key : sweep_.axes[i].settings)
      point.settings.push_back(&of_key[steps[i]]);
  return point;
}

// The overrides of all axes but a number of replicas, which is added to `replicas`.
std::vector<std::string> Points::overrides(const Point& point, const Setting** replicas) const {
  std::vector<std::string> overrides = sweep_.overrides;
  const std::vector<std::string> columns = sweep_.columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (is_replicas(columns[i])) *replicas = point.settings[i];
    for (std::string& text : overrides_of(columns[i], *point.settings[i]))
      overrides.push_back(std::move(text));
  }
  return overrides;
}

scenario::Scenario Points::scenario(const Point& point) const {
  const Setting* replicas = nullptr;
  std::vector<std::string> overrides = this->overrides(point, &replicas);
  scenario::Scenario scenario = scenario::parse_file(sweep_.scenario, overrides);
  if (replicas == nullptr) return scenario;
  const cluster::Machine machine = scenario::build_machine(scenario);
  if (!machine.platform)
    throw InputError(Problem{scenario.place("platform"), "the scenario has no platform to take devices of",
                             "add an axis or --set platform=dgx_a100"});
  for (std::string& text : scenario::with_replicas(scenario, machine, replicas_of(*replicas)))
    overrides.push_back(std::move(text));
  return scenario::parse_file(sweep_.scenario, overrides);
}

// Whether there are so many devices is a matter of the point, and not of its values.
void Points::require_readable(const Point& point) const {
  const Setting* replicas = nullptr;
  const scenario::Scenario scenario = scenario::parse_file(sweep_.scenario, overrides(point, &replicas));
  Problems problems;
  scenario::check_platform(scenario, problems);
  problems.throw_if_any();
  if (replicas != nullptr) replicas_of(*replicas);
}

void Points::require_usable_values() const {
  std::map<const Setting*, std::optional<InputError>> refused;  // every value that no point has proved yet
  for (const Axis& axis : sweep_.axes)
    for (const std::vector<Setting>& of_key : axis.settings)
      for (const Setting& setting : of_key) refused.emplace(&setting, std::nullopt);
  for (std::int64_t number = 0; number < size() && !refused.empty(); ++number) {
    const Point here = at(number);
    const auto is_open = [&](const Setting* setting) { return refused.contains(setting); };
    if (std::ranges::none_of(here.settings, is_open)) continue;
    try {
      require_readable(here);
      for (const Setting* setting : here.settings) refused.erase(setting);
    } catch (const InputError& error) {
      for (const Setting* setting : here.settings)
        if (const auto found = refused.find(setting); found != refused.end() && !found->second)
          found->second = error;
    }
  }
  // The values of points that are left out are not refused. Values that fail together are reported once.
  std::set<std::string> texts;
  Problems problems;
  for (const auto& [setting, error] : refused)
    if (error && texts.insert(error->what()).second)
      for (const Problem& problem : error->problems()) problems.add(problem);
  problems.throw_if_any();
}

}  // namespace wt::sweep
