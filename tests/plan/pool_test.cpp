// Pools of tasks, on a plan in which each task pulls a variable from a server and pushes a value back.
#include "plan/pool.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/order.h"

namespace wt::plan {
namespace {

// Two tasks of two nodes each on worker 0, and a second worker with its own device.
struct TwoTasks {
  Plan plan{.name = "pool", .devices = {{"worker:0", {}}, {"worker:1", {}}, {"ps:0", {}}}};
  Pool pool{.templates = {{NodeId{0}, NodeId{2}}, {NodeId{2}, NodeId{4}, 1}},
            .workers = {{DeviceId{0}}, {DeviceId{1}}}};

  TwoTasks() {
    for (int task = 0; task < 2; ++task) {
      const Operand variable = buffer(2), value = buffer(0);
      plan.add_node(Move{variable, value, {}}, {"pull", {Purpose::pull}});
      plan.add_node(Move{value, variable, {}}, {"push", {Purpose::push}});
    }
    order_accesses(plan);
  }

  Operand buffer(int device) {
    const TensorSpec spec{Type::float32, {4}};
    return {plan.add_buffer({"v", DeviceId{device}, spec.bytes(), BufferKind::variable, {}}), spec, {}};
  }
};

TEST(Pool, OfIndependentTasksAndEqualWorkersIsAccepted) {
  const TwoTasks two;
  EXPECT_NO_THROW(check(two.plan, two.pool));
}

TEST(Pool, NeedsTasksOfNodesThatThePlanHas) {
  TwoTasks two;
  two.pool.templates[1].end = NodeId{5};
  EXPECT_THROW(check(two.plan, two.pool), InternalError);
  two.pool.templates[1].end = two.pool.templates[1].first;
  EXPECT_THROW(check(two.plan, two.pool), InternalError);
}

TEST(Pool, NeedsTasksThatShareNoNodeAndDependOnNoOtherTask) {
  TwoTasks overlapping;
  overlapping.pool.templates[0].end = NodeId{3};
  EXPECT_THROW(check(overlapping.plan, overlapping.pool), InternalError);
  TwoTasks dependent;
  wait_for(dependent.plan.nodes[2], std::vector{NodeId{1}});
  EXPECT_THROW(check(dependent.plan, dependent.pool), InternalError);
}

TEST(Pool, NeedsWorkersWithDevicesOfTheirOwn) {
  TwoTasks shared;
  shared.pool.workers[1] = {DeviceId{0}};
  EXPECT_THROW(check(shared.plan, shared.pool), InternalError);
  TwoTasks unequal;
  unequal.pool.workers[1] = {DeviceId{1}, 2};
  EXPECT_THROW(check(unequal.plan, unequal.pool), InternalError);
  TwoTasks unknown;
  unknown.pool.templates[1].worker = 2;
  EXPECT_THROW(check(unknown.plan, unknown.pool), InternalError);
}

}  // namespace
}  // namespace wt::plan
