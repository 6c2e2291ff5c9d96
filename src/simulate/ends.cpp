#include "simulate/ends.h"

#include "base/id.h"

namespace wt::simulate {

Ends ends_of(const plan::Plan& plan, const plan::Node& node, const plan::Move& move,
             const platform::Platform& platform, std::span<const platform::Endpoint> where) {
  const auto endpoint = [&](const plan::Operand& operand) {
    return where[index(plan.buffer(operand.buffer).device)];
  };
  Ends ends{endpoint(move.source), endpoint(move.target)};
  const bool is_of_rows = node.role.purpose == plan::Purpose::input_copy;
  const bool is_from_host = !platform.is_device(ends.source) && !platform.is_switch(ends.source);
  if (is_of_rows && is_from_host && platform.is_device(ends.target) &&
      platform.machine_of(ends.source) == platform.machine_of(ends.target))
    ends.source = platform.host_of(ends.target);
  return ends;
}

}  // namespace wt::simulate
