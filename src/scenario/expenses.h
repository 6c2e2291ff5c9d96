#pragma once
// What a scenario's job pays for: the price of its platform, and how much of the platform it occupies.

#include <optional>

#include "cluster/machine.h"
#include "cost/bill.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// Reports prices that contradict themselves, and names that mean no platform.
void check_expenses(const Scenario& scenario, Problems& problems);

// The price of the platform with this name. Null: the scenario has none. Requires: check_expenses found nothing.
const cost::Price* price_of(const Scenario& scenario, std::string_view platform);

// Machines whose devices compute, with those of further tasks of the cluster, and without spares. Requires: the
// machine has a platform.
std::int64_t machines_in_use(const cluster::Machine& machine);

// Machines whose devices compute, and those of further tasks of the cluster (servers, a coordinator,
// evaluators), and spares. A TPU slice is occupied whole. Requires: the machine has a platform.
cost::Rented rented_by(const Scenario& scenario, const cluster::Machine& machine);

// Reports a price that does not fit the machine. Requires: the machine has a platform.
void check_price(const Scenario& scenario, const cluster::Machine& machine, Problems& problems);

}  // namespace wt::scenario
