// Claims: the tasks of all workers are copies of the first one's, which share with it what outlives the step
// on devices of no worker, and nothing else.
#include "plan/pool.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "base/id.h"
#include "plan/memory.h"

namespace wt::plan {
namespace {

const TensorSpec numbers{Type::float32, {100}};

// Pulls a variable of 400 B from a server, and pushes it to a slot there, from which it is written.
struct OneWorker {
  Plan plan{.name = "one", .devices = {{"worker:0", {}}, {"ps:0", {}}}};

  OneWorker() {
    const Operand variable = add("w", DeviceId{1}, BufferKind::variable);
    const Operand pulled = add("w/pulled", DeviceId{0}, BufferKind::activation);
    const Operand slot = add("slot", DeviceId{1}, BufferKind::communication);
    plan.add_node(Move{variable, pulled, {}}, {"pull", {Purpose::pull}});
    plan.add_node(Move{pulled, slot, {}}, {"push", {Purpose::push}});
    plan.add_node(Move{slot, variable, {}}, {"update", {Purpose::update}});
    plan.variables.push_back({"w", variable});
    plan.results.push_back({"pulled", pulled});
    plan_memory(plan, order_accesses(plan));
  }

  Operand add(const char* name, DeviceId device, BufferKind kind) {
    return {plan.add_buffer({name, device, numbers.bytes(), kind, {}}), numbers, {}};
  }
};

std::vector<std::vector<Device>> workers(int count) {
  std::vector<std::vector<Device>> all;
  for (int i = 0; i < count; ++i) all.push_back({Device{.name = "worker:" + std::to_string(i)}});
  return all;
}

TEST(Pooled, HasATaskOfEqualNodesForEveryWorker) {
  const OneWorker one;
  for (const int count : {1, 2, 3, 8}) {
    const Pooled all = pooled(one.plan, workers(count), 1);
    ASSERT_EQ(std::ssize(all.tasks), count);
    EXPECT_EQ(all.plan.nodes.size(), one.plan.nodes.size() * static_cast<std::size_t>(count));
    for (const Task& task : all.tasks)
      for (std::size_t id = index(task.first); id < index(task.end); ++id)
        for (const NodeId other : all.plan.nodes[id].after) {
          EXPECT_GE(index(other), index(task.first));
          EXPECT_LT(index(other), id);
        }
  }
}

TEST(Pooled, SharesVariablesAndNothingElse) {
  const OneWorker one;
  const Pooled all = pooled(one.plan, workers(3), 1);
  std::set<std::int32_t> variables, slots;
  for (const Task& task : all.tasks) {
    const Move& update = std::get<Move>(all.plan.nodes[index(task.end) - 1].action);
    slots.insert(static_cast<std::int32_t>(update.source.buffer));
    variables.insert(static_cast<std::int32_t>(update.target.buffer));
    EXPECT_EQ(all.plan.devices[index(all.plan.buffer(update.source.buffer).device)].name, "ps:0");
  }
  EXPECT_EQ(variables.size(), 1U);
  EXPECT_EQ(slots.size(), 3U);
}

// Closures overlap in time, so no two buffers of a device may have an address in common, but for those of one
// task.
TEST(Pooled, GivesEachWorkerAddressesOfItsOwn) {
  const OneWorker one;
  const Pooled all = pooled(one.plan, workers(3), 1);
  std::set<std::int64_t> addresses;
  for (const Buffer& buffer : all.plan.buffers) {
    if (all.plan.devices[index(buffer.device)].name != "ps:0") continue;
    EXPECT_TRUE(addresses.insert(buffer.address.count()).second) << buffer.name;
    EXPECT_LE((buffer.address + buffer.bytes).count(), all.plan.devices[index(buffer.device)].arena.count());
  }
  EXPECT_EQ(addresses.size(), 4U);  // the variable, and a slot for each worker
}

TEST(Pooled, NamesPortsByTheReplicasOfAllWorkers) {
  const OneWorker one;
  const auto names = [&](std::size_t replicas) {
    std::vector<std::string> all;
    for (const Port& port : pooled(one.plan, workers(3), replicas).plan.results) all.push_back(port.name);
    return all;
  };
  EXPECT_EQ(names(1), (std::vector<std::string>{"pulled", "pulled/replica_1", "pulled/replica_2"}));
  EXPECT_EQ(names(2), (std::vector<std::string>{"pulled", "pulled/replica_2", "pulled/replica_4"}));
  EXPECT_EQ(pooled(one.plan, workers(3), 1).plan.variables.size(), 1U);
}

TEST(Pooled, NeedsWorkersWithEquallyManyDevices) {
  const OneWorker one;
  std::vector<std::vector<Device>> unequal = workers(2);
  unequal[1].push_back({});
  EXPECT_THROW(pooled(one.plan, unequal, 1), InternalError);
}

}  // namespace
}  // namespace wt::plan
