#pragma once
// What TensorFlow's transport between processes, gRPC, adds to the copy of a variable or of a gradient from
// one machine to another: a latency for the call, and the time of software for each byte, which passes before
// the bytes flow over the network. Source of the numbers: platforms/communication.json.

#include <span>

#include "plan/costs.h"
#include "platform/platform.h"

namespace wt::communication {

// Adds it to the costs of all such copies of the plan. Copies within a machine stay as they are, and so do
// the messages of collectives. `where` holds the endpoint of each device of the plan.
void add_remote_copies(plan::Costs& costs, const plan::Plan& plan, const platform::Platform& platform,
                       std::span<const platform::Endpoint> where);

}  // namespace wt::communication
