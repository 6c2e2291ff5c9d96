#pragma once
// A published row as the text of a scenario, as a user would write it.

#include <optional>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "study/evidence/setups.h"

namespace wt::evidence {

// Where and how a row was trained, as JSON of the scenario's "platform" and "strategy".
struct RowPlace {
  std::string platform{};
  std::string strategy{};
  int replicas = 1;
};

// Requires: the row is a throughput with a setup and a network. `alone` is the measured time of one device for its share
// of a step. Without it, the roofline gives that time.
std::string row_scenario(const Measurement& row, std::string_view name, const RowPlace& place,
                         std::optional<Seconds> alone = {});

// One device of the row's type, without a strategy.
RowPlace on_one_device(const Setup& setup);

}  // namespace wt::evidence
