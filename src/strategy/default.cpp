#include "strategy/default.h"

#include "plan/memory.h"
#include "plan/order.h"
#include "strategy/replica.h"

namespace wt::strategy {

plan::Plan lower_default(const Step& step, std::string device) {
  plan::Plan plan{.name = step.name, .devices = {{.name = std::move(device)}}};
  lower_replica(step, plan::DeviceId{0}, plan);
  plan::plan_memory(plan, plan::order_accesses(plan));
  return plan;
}

}  // namespace wt::strategy
