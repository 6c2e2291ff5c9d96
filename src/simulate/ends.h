#pragma once
// Between which endpoints the bytes of a move flow.

#include <span>

#include "plan/plan.h"
#include "platform/platform.h"

namespace wt::simulate {

struct Ends {
  platform::Endpoint source{}, target{};
};

// Those of the move's two devices; `where` gives the endpoint of each device of the plan. Rows, however, come from
// the memory of the socket that their device is attached to: the device of a host in a plan stands for all sockets
// of its machine, whose threads read and decode rows. Predictions go to the memory of the same socket.
Ends ends_of(const plan::Plan& plan, const plan::Node& node, const plan::Move& move,
             const platform::Platform& platform, std::span<const platform::Endpoint> where);

}  // namespace wt::simulate
