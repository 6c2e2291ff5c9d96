#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "scenario/check.h"
#include "scenario/faults.h"

namespace wt::scenario {

namespace {

// A kind of fault, by the key that names it, and the further keys that it has.
struct KindOfFault {
  std::string_view key{};
  std::vector<std::string_view> needs{};
  std::vector<std::string_view> may_have{};

  bool has(std::string_view name) const {
    return std::ranges::count(needs, name) + std::ranges::count(may_have, name) > 0;
  }
};

const std::vector<KindOfFault>& kinds() {
  static const std::vector<KindOfFault> kinds{
      {"slow", {}, {"factor", "from_step", "until_step"}},
      {"degrade", {}, {"factor", "from_step", "until_step"}},
      {"kill", {}, {"step", "at", "back_after"}},
      {"preempt", {"grace"}, {"step", "at", "back_after"}},
      {"cut", {"back_after"}, {"step", "at"}},
      {"random", {"mean_time"}, {"back_after"}},
      {"log", {}, {}},
  };
  return kinds;
}

constexpr std::string_view all_keys[] = {"factor", "from_step", "until_step", "step",
                                         "at",     "grace",     "mean_time",  "back_after"};

std::string quoted(const std::vector<std::string_view>& keys) {
  std::string text;
  for (const std::string_view key : keys) text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", key);
  return text;
}

}  // namespace

void check_faults(const Scenario& scenario, Problems& problems) {
  const strategy::IsGiven given = is_given(scenario);
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const std::string key = fmt::format("faults.{}", i);
    const auto has = [&](std::string_view name) { return given(fmt::format("{}.{}", key, name)); };
    const auto kind = std::ranges::find_if(kinds(), [&](const KindOfFault& each) { return has(each.key); });
    if (kind == kinds().end()) continue;  // reported when it was read
    for (const std::string_view name : all_keys) {
      if (!has(name) || kind->has(name)) continue;
      std::vector<std::string_view> of;
      for (const KindOfFault& each : kinds())
        if (each.has(name)) of.push_back(each.key);
      problems.add(
          scenario.place(fmt::format("{}.{}", key, name)),
          fmt::format("\"{}\" is a matter of {}, and this fault is \"{}\"", name, quoted(of), kind->key),
          "leave it out");
    }
    for (const std::string_view name : kind->needs)
      if (!has(name))
        problems.add(
            scenario.place(key), fmt::format("\"{}\" needs \"{}\"", kind->key, name),
            fmt::format("add it, for example \"{}\": \"{}\"", name, name == "mean_time" ? "3000 h" : "30 s"));
    const Fault& fault = scenario.faults[i];
    if (fault.until_step && *fault.until_step <= fault.from_step.value_or(0))
      problems.add(scenario.place(key + ".until_step"), "it ends before it begins",
                   "name a step after \"from_step\"");
    if (fault.mean_time && *fault.mean_time <= Seconds(0))
      problems.add(scenario.place(key + ".mean_time"), "the mean time between failures must be above 0",
                   "write for example \"3000 h\"");
  }
}

}  // namespace wt::scenario
