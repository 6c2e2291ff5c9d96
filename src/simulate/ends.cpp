#include "simulate/ends.h"

#include "base/id.h"

namespace wt::simulate {

Ends ends_of(const plan::Plan& plan, const plan::Node& node, const plan::Move& move,
             const platform::Platform& platform, std::span<const platform::Endpoint> where) {
  const auto endpoint = [&](const plan::Operand& operand) {
    return where[index(plan.buffer(operand.buffer).device)];
  };
  Ends ends{endpoint(move.source), endpoint(move.target)};
  const auto use_own_host = [&](platform::Endpoint& host, platform::Endpoint device) {
    const bool is_host = !platform.is_device(host) && !platform.is_switch(host);
    if (is_host && platform.is_device(device) && platform.machine_of(host) == platform.machine_of(device))
      host = platform.host_of(device);
  };
  if (node.role.purpose == plan::Purpose::input_copy) use_own_host(ends.source, ends.target);
  if (node.role.purpose == plan::Purpose::output_copy) use_own_host(ends.target, ends.source);
  return ends;
}

}  // namespace wt::simulate
