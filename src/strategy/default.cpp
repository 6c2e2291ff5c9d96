#include "strategy/default.h"

#include "plan/memory.h"
#include "plan/order.h"
#include "strategy/replica.h"

namespace wt::strategy {

plan::Plan lower_default(const Step& step, plan::Device device, std::optional<plan::Device> host) {
  plan::Plan plan{.name = step.name, .devices = {std::move(device)}};
  Replica replica{.device = plan::DeviceId{0}};
  if (host) {
    plan.devices.push_back(std::move(*host));
    replica.host = plan::DeviceId{1};
  }
  lower_replica(step, replica, plan);
  plan::plan_memory(plan, plan::order_accesses(plan));
  return plan;
}

}  // namespace wt::strategy
