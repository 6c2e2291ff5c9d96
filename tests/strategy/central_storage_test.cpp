#include "strategy/central_storage.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "several_replicas.h"
#include "support/pinned_isa.h"

namespace wt::strategy {
namespace {

using test::batch, test::floats, test::places, test::ReplicaSteps, test::run_plan, test::small_net,
    test::split_batch, test::Values;

Step two_variables(std::int64_t rows) {
  return trace("train", [&](Trace& trace) {
    const Symbol x = trace.input("x", floats({rows, 2}));
    const Symbol rate = trace.input("rate", floats({}));
    const Symbol w = trace.variable("w", floats({2, 1}));
    const Symbol v = trace.variable("v", floats({1}));
    const Symbol loss = reduce_sum(square(bias_add(matmul(x, w), v)));
    std::vector<Symbol> gradients = trace.gradient(loss, {{w, v}});
    for (Symbol& gradient : gradients) gradient = all_reduce(gradient, Reduction::sum);
    apply_sgd({w, v}, {}, gradients, rate, {});
  });
}

TEST(CentralStorage, ST9_PullsPushesAddsAndAppliesWhereVariablesAre) {
  const test::PinnedIsa pinned;
  const ReplicaSteps steps({1, 1}, two_variables);
  EXPECT_EQ(print(lower_central_storage(steps, places(2))), R"(plan train
  device task:0/GPU:0 needs 1.5 KiB
  device task:0/GPU:1 needs 1.5 KiB
  device task:0/CPU:0 needs 3 KiB
  variable       w 8 B at 0
  variable       v 4 B at 256
  activation     w/pulled 8 B at 512
  activation     w/pulled/replica_1 8 B at 512
  activation     v/pulled 4 B at 768
  activation     v/pulled/replica_1 4 B at 768
  input          x 8 B at 0
  input          x 8 B at 512
  input          rate 4 B at 256
  input          rate 4 B at 768
  input          x/replica_1 8 B at 0
  input          x/replica_1 8 B at 1024
  input          rate/replica_1 4 B at 256
  input          rate/replica_1 4 B at 1280
  activation     matmul#0 4 B at 1024
  workspace      matmul#0 64 B at 1280
  activation     matmul#0/replica_1 4 B at 1024
  workspace      matmul#0/replica_1 64 B at 1280
  gradient       gradient/fill#2 4 B at 512
  gradient       gradient/fill#2/replica_1 4 B at 512
  gradient       gradient/broadcast_to#4 4 B at 768
  gradient       gradient/broadcast_to#4/replica_1 4 B at 768
  gradient       gradient/fill#5 4 B at 512
  gradient       gradient/fill#5/replica_1 4 B at 512
  gradient       gradient/reduce_sum#8 4 B at 512
  gradient       gradient/reduce_sum#8/replica_1 4 B at 512
  gradient       gradient/matmul#9 8 B at 1024
  workspace      matmul#9 64 B at 1280
  gradient       gradient/matmul#9/replica_1 8 B at 1024
  workspace      matmul#9/replica_1 64 B at 1280
  communication  push/0/0 4 B at 1536
  communication  push/0/1 4 B at 1792
  communication  push/1/0 8 B at 2048
  communication  push/1/1 8 B at 2304
  communication  update/0 4 B at 2560
  communication  push/0 4 B at 2816
  communication  push/1 8 B at 1536
    0 move w float32[2,1] -> w/pulled float32[2,1]  # pull [pull]
    1 move w float32[2,1] -> w/pulled/replica_1 float32[2,1]  # replica_1/pull [pull]
    2 move v float32[1] -> v/pulled float32[1]  # pull [pull]
    3 move v float32[1] -> v/pulled/replica_1 float32[1]  # replica_1/pull [pull]
    4 move x float32[1,2] -> x float32[1,2]  # input [input_copy]
    5 move rate float32[] -> rate float32[]  # input [input_copy]
    6 move x/replica_1 float32[1,2] -> x/replica_1 float32[1,2]  # replica_1/input [input_copy]
    7 move rate/replica_1 float32[] -> rate/replica_1 float32[]  # replica_1/input [input_copy]
    8 run matmul (x float32[1,2], w/pulled float32[2,1]) -> matmul#0 float32[1,1] using 64 B after 0 2 4 [forward]
    9 run matmul (x/replica_1 float32[1,2], w/pulled/replica_1 float32[2,1]) -> matmul#0/replica_1 float32[1,1] using 64 B after 1 3 6  # replica_1 [forward]
   10 run bias_add (matmul#0 float32[1,1], v/pulled float32[1]) -> matmul#0 float32[1,1] after 2 8 [forward]
   11 run bias_add (matmul#0/replica_1 float32[1,1], v/pulled/replica_1 float32[1]) -> matmul#0/replica_1 float32[1,1] after 3 9  # replica_1 [forward]
   12 run fill spec=float32[] value=1 () -> gradient/fill#2 float32[] after 8  # gradient [gradient]
   13 run fill spec=float32[] value=1 () -> gradient/fill#2/replica_1 float32[] after 9  # replica_1/gradient [gradient]
   14 run broadcast_to shape=[1,1] (gradient/fill#2 float32[1,1]) -> gradient/broadcast_to#4 float32[1,1] after 10 12  # gradient [gradient]
   15 run broadcast_to shape=[1,1] (gradient/fill#2/replica_1 float32[1,1]) -> gradient/broadcast_to#4/replica_1 float32[1,1] after 11 13  # replica_1/gradient [gradient]
   16 run fill spec=float32[] value=2 () -> gradient/fill#5 float32[] after 14  # gradient [gradient]
   17 run fill spec=float32[] value=2 () -> gradient/fill#5/replica_1 float32[] after 15  # replica_1/gradient [gradient]
   18 run multiply (matmul#0 float32[1,1], gradient/fill#5 float32[]) -> matmul#0 float32[1,1] after 10 16  # gradient [gradient]
   19 run multiply (matmul#0/replica_1 float32[1,1], gradient/fill#5/replica_1 float32[]) -> matmul#0/replica_1 float32[1,1] after 11 17  # replica_1/gradient [gradient]
   20 run multiply (gradient/broadcast_to#4 float32[1,1], matmul#0 float32[1,1]) -> gradient/broadcast_to#4 float32[1,1] after 14 18  # gradient [gradient]
   21 run multiply (gradient/broadcast_to#4/replica_1 float32[1,1], matmul#0/replica_1 float32[1,1]) -> gradient/broadcast_to#4/replica_1 float32[1,1] after 15 19  # replica_1/gradient [gradient]
   22 run reduce_sum axes=[0] (gradient/broadcast_to#4 float32[1,1]) -> gradient/reduce_sum#8 float32[1] after 18 20  # gradient [gradient]
   23 run reduce_sum axes=[0] (gradient/broadcast_to#4/replica_1 float32[1,1]) -> gradient/reduce_sum#8/replica_1 float32[1] after 19 21  # replica_1/gradient [gradient]
   24 run matmul transpose_a=true (x float32[1,2], gradient/broadcast_to#4 float32[1,1]) -> gradient/matmul#9 float32[2,1] using 64 B after 4 8 20  # gradient [gradient]
   25 run matmul transpose_a=true (x/replica_1 float32[1,2], gradient/broadcast_to#4/replica_1 float32[1,1]) -> gradient/matmul#9/replica_1 float32[2,1] using 64 B after 6 9 21  # replica_1/gradient [gradient]
   26 move gradient/reduce_sum#8 float32[1] -> push/0/0 float32[1] after 22  # push/0 [push]
   27 move gradient/reduce_sum#8/replica_1 float32[1] -> push/0/1 float32[1] after 23  # push/0 [push]
   28 move gradient/matmul#9 float32[2,1] -> push/1/0 float32[2,1] after 24  # push/1 [push]
   29 move gradient/matmul#9/replica_1 float32[2,1] -> push/1/1 float32[2,1] after 25  # push/1 [push]
   30 move rate float32[] -> update/0 float32[] after 5  # update [update]
   31 sum push/0/0 float32[1], push/0/1 float32[1] -> push/0 float32[1] after 26 27  # push/0 [push]
   32 run sgd_update (v float32[1], push/0 float32[1], update/0 float32[]) -> v float32[1] after 2 3 30 31 [update]
   33 sum push/1/0 float32[2,1], push/1/1 float32[2,1] -> push/1 float32[2,1] after 28 29 31  # push/1 [push]
   34 run sgd_update (w float32[2,1], push/1 float32[2,1], update/0 float32[]) -> w float32[2,1] after 0 1 30 33 [update]
)");
}

// Adam's iteration belongs to all parameters: applied one by one they must still all see the old one.
TEST(CentralStorage, AppliesAnOptimizerParameterByParameter) {
  const auto adam = [](const std::vector<Symbol>& variables, const std::vector<Symbol>& gradients) {
    Trace& trace = *variables[0].trace;
    Slots slots;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const std::string& name = trace.program().values[index(variables[i].value)].name;
      const VariableOptions slot{.trainable = false, .slot_of = name};
      slots.first.push_back(trace.variable(fmt::format("m{}", i), variables[i].spec(), slot));
      slots.second.push_back(trace.variable(fmt::format("v{}", i), variables[i].spec(), slot));
    }
    const Symbol iteration = trace.variable("iteration", {Type::int64, {}}, {.trainable = false});
    apply_adam(variables, slots, iteration, gradients, fill(trace, floats({}), 0.125), {});
  };
  const Values one = test::run(small_net(batch, Reduction::sum, adam), split_batch({batch}));
  const ReplicaSteps steps({8, 8}, [&](std::int64_t rows) { return small_net(rows, Reduction::sum, adam); });
  const plan::Plan plan = lower_central_storage(steps, places(2));
  test::expect_same_as_one_device(run_plan(plan, split_batch({8, 8})), one);
  int updates = 0;
  for (const plan::Node& node : plan.nodes) updates += plan::kernel_name(node) == "adam_update";
  EXPECT_EQ(updates, 4);
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    test::expect_same_as_one_device(run_plan(plan, split_batch({8, 8}), {.order_seed = seed}), one);
}

TEST(CentralStorage, ST9_OneReplicaKeepsEverythingOnItsDevice) {
  const ReplicaSteps steps({4}, two_variables);
  const plan::Plan plan = lower_central_storage(steps, places(1));
  for (const plan::Port& port : plan.variables)
    EXPECT_EQ(plan.buffer(port.operand.buffer).device, plan::DeviceId(0)) << port.name;
}

// The forward pass begins with the whole pull, in no order of layers.
TEST(CentralStorage, FirstKernelWaitsForAllThatIsPulled) {
  const ReplicaSteps steps({8, 8}, [](std::int64_t rows) { return small_net(rows); });
  const plan::Plan plan = lower_central_storage(steps, places(2));
  std::vector<plan::NodeId> pulls;
  for (const plan::NodeId id : plan::canonical_order(plan)) {
    if (plan.node(id).scope == "pull") pulls.push_back(id);
    const auto* run = std::get_if<plan::Run>(&plan.node(id).action);
    if (run == nullptr || run->device != plan::DeviceId(0)) continue;
    EXPECT_EQ(pulls.size(), 4u);
    EXPECT_TRUE(std::ranges::includes(plan.node(id).after, pulls));
    return;
  }
  FAIL() << "no kernel";
}

TEST(CentralStorage, ST9_SaysWhatItNeeds) {
  const Step step = two_variables(1);
  const std::vector<const Step*> two(2, &step);
  const auto refusal = [&](const std::vector<Place>& on) -> std::string {
    try {
      lower_central_storage(two, on);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  EXPECT_EQ(refusal(places(2, device::Kind::gpu, 1)),
            "[central_storage] task:0/GPU:0 is in task 0, task:1/GPU:0 in task 1\n"
            "take multi_worker_mirrored, or the devices of one machine");
  std::vector<Place> without_host = places(2);
  for (Place& place : without_host) place.host.reset();
  EXPECT_EQ(refusal(without_host),
            "[central_storage] several replicas keep their variables on a host, and there is none\n"
            "give the places a host, or name a parameter device");
}

}  // namespace
}  // namespace wt::strategy
