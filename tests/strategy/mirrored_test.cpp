#include "strategy/mirrored.h"

#include <gtest/gtest.h>

#include "collective/catalog.h"
#include "collective/print.h"
#include "several_replicas.h"
#include "strategy/default.h"

namespace wt::strategy {
namespace {

using plan::NodeId;
using test::floats, test::places, test::ReplicaSteps, test::run_plan, test::Values;

// Two gradients of different sizes: that is all a plan needs to show how they travel.
Step two_gradients(std::int64_t rows) {
  return trace("train", [&](Trace& trace) {
    const Symbol x = trace.input("x", floats({rows, 2}));
    const Symbol w = trace.variable("w", floats({2}));
    const Symbol v = trace.variable("v", floats({}));
    const Symbol of_w = trace.in_scope("gradient", [&] { return reduce_sum(x, {0}); });
    const Symbol of_v = trace.in_scope("gradient", [&] { return reduce_sum(x); });
    const Symbol of_all = all_reduce(of_w, Reduction::sum), other = all_reduce(of_v, Reduction::sum);
    trace.update(w, w - of_all);
    trace.update(v, v - other);
  });
}

plan::Plan lowered(std::size_t replicas, const MirroredOptions& options) {
  const ReplicaSteps steps(std::vector<std::int64_t>(replicas, 1), two_gradients);
  return lower_mirrored(steps, places(replicas), options);
}

Values ones(std::size_t replicas) {
  Values values{{"w", Tensor::zeros(floats({2}))}, {"v", Tensor::zeros(floats({}))}};
  for (std::size_t r = 0; r < replicas; ++r) {
    const auto number = static_cast<float>(1 << r);
    values[port_name("x", r)] = Tensor::of<float>({1, 2}, {number, 2 * number});
  }
  return values;
}

float first_of(const Tensor& tensor) { return tensor.values<float>()[0]; }

template <class Lower>
std::string refusal(Lower lower) {
  try {
    lower();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Mirrored, G22_PacksAllGradientsOfACompiledStepInReverseOrder) {
  EXPECT_EQ(print(lowered(2, {})), R"(plan train
  device task:0/GPU:0 needs 1.5 KiB
  device task:0/GPU:1 needs 1.5 KiB
  device task:0/CPU:0 needs 512 B
  input          x 8 B at 0
  input          x 8 B at 0
  variable       w 8 B at 256
  variable       v 4 B at 512
  input          x/replica_1 8 B at 0
  input          x/replica_1 8 B at 256
  variable       w/replica_1 8 B at 256
  variable       v/replica_1 4 B at 512
  activation     gradient/reduce_sum#0 8 B at 768
  activation     gradient/reduce_sum#0/replica_1 8 B at 768
  activation     gradient/reduce_sum#1 4 B at 1024
  activation     gradient/reduce_sum#1/replica_1 4 B at 1024
  communication  all_reduce/0 12 B at 1280
  communication  all_reduce/0/replica_1 12 B at 1280
  arrival        0 to 1 4 B at 1536
  arrival        1 to 0 8 B at 1536
    0 move x float32[1,2] -> x float32[1,2]  # input [input_copy]
    1 move x/replica_1 float32[1,2] -> x/replica_1 float32[1,2]  # replica_1/input [input_copy]
    2 run reduce_sum axes=[0] (x float32[1,2]) -> gradient/reduce_sum#0 float32[2] after 0  # gradient [forward]
    3 run reduce_sum axes=[0] (x/replica_1 float32[1,2]) -> gradient/reduce_sum#0/replica_1 float32[2] after 1  # replica_1/gradient [forward]
    4 run reduce_sum axes=[0,1] (x float32[1,2]) -> gradient/reduce_sum#1 float32[] after 0  # gradient [forward]
    5 run reduce_sum axes=[0,1] (x/replica_1 float32[1,2]) -> gradient/reduce_sum#1/replica_1 float32[] after 1  # replica_1/gradient [forward]
    6 move gradient/reduce_sum#1 float32[1] -> all_reduce/0 float32[1], gradient/reduce_sum#0 float32[2] -> all_reduce/0 float32[2] from byte 4 after 2 4  # all_reduce/0/pack [packing]
    7 move gradient/reduce_sum#1/replica_1 float32[1] -> all_reduce/0/replica_1 float32[1], gradient/reduce_sum#0/replica_1 float32[2] -> all_reduce/0/replica_1 float32[2] from byte 4 after 3 5  # replica_1/all_reduce/0/pack [packing]
    8 move all_reduce/0 float32[1] from byte 8 -> 0 to 1 float32[1] after 6  # all_reduce/0 [reduction]
    9 sum all_reduce/0/replica_1 float32[1] from byte 8, 0 to 1 float32[1] -> all_reduce/0/replica_1 float32[1] from byte 8 after 7 8  # all_reduce/0 [reduction]
   10 move all_reduce/0/replica_1 float32[2] -> 1 to 0 float32[2] after 7  # all_reduce/0 [reduction]
   11 sum all_reduce/0 float32[2], 1 to 0 float32[2] -> all_reduce/0 float32[2] after 6 10  # all_reduce/0 [reduction]
   12 move all_reduce/0 float32[2] -> all_reduce/0/replica_1 float32[2] after 6 7 11 behind 8  # all_reduce/0 [reduction]
   13 move all_reduce/0/replica_1 float32[1] from byte 8 -> all_reduce/0 float32[1] from byte 8 after 6 7 9 behind 10  # all_reduce/0 [reduction]
   14 move all_reduce/0 float32[1] -> gradient/reduce_sum#1 float32[1], all_reduce/0 float32[2] from byte 4 -> gradient/reduce_sum#0 float32[2] after 4 6 11 13  # all_reduce/0/unpack [packing]
   15 move all_reduce/0/replica_1 float32[1] -> gradient/reduce_sum#1/replica_1 float32[1], all_reduce/0/replica_1 float32[2] from byte 4 -> gradient/reduce_sum#0/replica_1 float32[2] after 5 7 9 12  # replica_1/all_reduce/0/unpack [packing]
   16 run subtract (w float32[2], gradient/reduce_sum#0 float32[2]) -> w float32[2] after 14 [forward]
   17 run subtract (w/replica_1 float32[2], gradient/reduce_sum#0/replica_1 float32[2]) -> w/replica_1 float32[2] after 15  # replica_1 [forward]
   18 run subtract (v float32[], gradient/reduce_sum#1 float32[]) -> v float32[] after 14 [forward]
   19 run subtract (v/replica_1 float32[], gradient/reduce_sum#1/replica_1 float32[]) -> v/replica_1 float32[] after 15  # replica_1 [forward]
)");
}

TEST(Mirrored, G22_ReducesEachGradientOfAnEagerStepWhereItLies) {
  EXPECT_EQ(print(lowered(2, {.packing = {.eager = true}})), R"(plan train
  device task:0/GPU:0 needs 1.28 KB
  device task:0/GPU:1 needs 1.28 KB
  device task:0/CPU:0 needs 512 B
  input          x 8 B at 0
  input          x 8 B at 0
  variable       w 8 B at 256
  variable       v 4 B at 512
  input          x/replica_1 8 B at 0
  input          x/replica_1 8 B at 256
  variable       w/replica_1 8 B at 256
  variable       v/replica_1 4 B at 512
  activation     gradient/reduce_sum#0 8 B at 768
  activation     gradient/reduce_sum#0/replica_1 8 B at 768
  activation     gradient/reduce_sum#1 4 B at 1024
  activation     gradient/reduce_sum#1/replica_1 4 B at 1024
  arrival        0 to 1 4 B at 1280
  arrival        1 to 0 4 B at 1280
  arrival        1 to 0 4 B at 1280
    0 move x float32[1,2] -> x float32[1,2]  # input [input_copy]
    1 move x/replica_1 float32[1,2] -> x/replica_1 float32[1,2]  # replica_1/input [input_copy]
    2 run reduce_sum axes=[0] (x float32[1,2]) -> gradient/reduce_sum#0 float32[2] after 0  # gradient [forward]
    3 run reduce_sum axes=[0] (x/replica_1 float32[1,2]) -> gradient/reduce_sum#0/replica_1 float32[2] after 1  # replica_1/gradient [forward]
    4 run reduce_sum axes=[0,1] (x float32[1,2]) -> gradient/reduce_sum#1 float32[] after 0  # gradient [forward]
    5 run reduce_sum axes=[0,1] (x/replica_1 float32[1,2]) -> gradient/reduce_sum#1/replica_1 float32[] after 1  # replica_1/gradient [forward]
    6 move gradient/reduce_sum#0 float32[1] from byte 4 -> 0 to 1 float32[1] after 2 4 5  # all_reduce/0 [reduction]
    7 sum gradient/reduce_sum#0/replica_1 float32[1] from byte 4, 0 to 1 float32[1] -> gradient/reduce_sum#0/replica_1 float32[1] from byte 4 after 3 6  # all_reduce/0 [reduction]
    8 move gradient/reduce_sum#0/replica_1 float32[1] -> 1 to 0 float32[1] after 3 4 5  # all_reduce/0 [reduction]
    9 sum gradient/reduce_sum#0 float32[1], 1 to 0 float32[1] -> gradient/reduce_sum#0 float32[1] after 2 8  # all_reduce/0 [reduction]
   10 move gradient/reduce_sum#0 float32[1] -> gradient/reduce_sum#0/replica_1 float32[1] after 2 3 9 behind 6  # all_reduce/0 [reduction]
   11 move gradient/reduce_sum#0/replica_1 float32[1] from byte 4 -> gradient/reduce_sum#0 float32[1] from byte 4 after 2 3 7 behind 8  # all_reduce/0 [reduction]
   12 move gradient/reduce_sum#1/replica_1 float32[1] -> 1 to 0 float32[1] after 4 5 6 8 10 11 in the slot of 9  # all_reduce/1 [reduction]
   13 sum gradient/reduce_sum#1 float32[1], 1 to 0 float32[1] -> gradient/reduce_sum#1 float32[1] after 4 12  # all_reduce/1 [reduction]
   14 move gradient/reduce_sum#1 float32[1] -> gradient/reduce_sum#1/replica_1 float32[1] after 4 5 13  # all_reduce/1 [reduction]
   15 run subtract (w float32[2], gradient/reduce_sum#0 float32[2]) -> w float32[2] after 9 11 [forward]
   16 run subtract (w/replica_1 float32[2], gradient/reduce_sum#0/replica_1 float32[2]) -> w/replica_1 float32[2] after 7 10  # replica_1 [forward]
   17 run subtract (v float32[], gradient/reduce_sum#1 float32[]) -> v float32[] after 13 [forward]
   18 run subtract (v/replica_1 float32[], gradient/reduce_sum#1/replica_1 float32[]) -> v/replica_1 float32[] after 14  # replica_1 [forward]
)");
}

TEST(Mirrored, OneReplicaIsTheDefaultStrategy) {
  const Step step = two_gradients(3);
  const std::vector<const Step*> steps{&step};
  const Place place = places(1)[0];
  EXPECT_EQ(print(lower_mirrored(steps, {{place}})), print(lower_default(step, place.device, place.host)));
}

TEST(Mirrored, ST6_HierarchicalCopyLeavesOutTheLastOfThreeDevices) {
  const MirroredOptions options{.cross_device_ops = CrossDeviceOps::hierarchical_copy};
  const Values values = run_plan(lowered(3, options), ones(3));
  for (const std::string name : {"w", "w/replica_1", "w/replica_2"})
    EXPECT_EQ(first_of(values.at(name)), -3) << name;
  const Values mended = run_plan(
      lowered(3, {.cross_device_ops = CrossDeviceOps::hierarchical_copy, .faithful = false}), ones(3));
  EXPECT_EQ(first_of(mended.at("w")), -7);
}

MirroredOptions by_schedule(const std::string& text) {
  MirroredOptions options;
  options.cross_device_ops = CrossDeviceOps::schedule;
  options.schedule = text;
  return options;
}

TEST(Mirrored, ST6_TakesAScheduleThatSomebodyWrote) {
  const auto& chain = collective::algorithm_named(collective::Operation::all_reduce, "chain");
  const std::string text =
      print(collective::expand(collective::make_schedule(chain, {.ranks = 3, .elements = 3})));
  const Values values = run_plan(lowered(3, by_schedule(text)), ones(3));
  EXPECT_EQ(first_of(values.at("w/replica_2")), -7);
  EXPECT_EQ(refusal([&] { lowered(4, by_schedule(text)); }),
            "[mirrored] the schedule is for all_reduce among 3 ranks\nwrite one for all_reduce among 4");
}

TEST(Mirrored, AsksTheLibraryOnceForEachAllReduce) {
  std::vector<std::int64_t> asked;
  MirroredOptions options{.packing = {.eager = true}};
  options.nccl.choose = [&](Bytes bytes) {
    asked.push_back(bytes.count());
    return LibraryChoice{.algorithm = "nvls", .helpers = {{.name = "switch"}}};
  };
  const plan::Plan plan = lowered(2, options);
  EXPECT_EQ(asked, (std::vector<std::int64_t>{8, 4}));
  EXPECT_EQ(plan.devices.back().name, "switch");
  EXPECT_EQ(first_of(run_plan(plan, ones(2)).at("w")), -3);
}

TEST(Mirrored, AddsOnTheDeviceThatIsNamedInTheOrderOfReplicas) {
  const plan::Plan plan =
      lowered(3, {.cross_device_ops = CrossDeviceOps::reduction_to_one_device, .reduce_to = 1});
  int sums = 0;
  for (const plan::Node& node : plan.nodes) {
    const auto* sum = std::get_if<plan::Sum>(&node.action);
    if (sum == nullptr) continue;
    ++sums;
    EXPECT_EQ(sum->device, plan::DeviceId(1));
    EXPECT_EQ(plan.buffer(sum->slots[0].buffer).name, node.scope + "/0");
    EXPECT_EQ(plan.buffer(sum->slots[2].buffer).name, node.scope + "/2");
  }
  EXPECT_EQ(sums, 2);
}

// All nodes that must have happened before.
std::vector<bool> ancestors(const plan::Plan& plan, NodeId node) {
  std::vector<bool> is_before(plan.nodes.size(), false);
  for (const NodeId other : plan.node(node).after) is_before[index(other)] = true;
  for (std::size_t i = index(node); i-- > 0;)
    if (is_before[i])
      for (const NodeId other : plan.nodes[i].after) is_before[index(other)] = true;
  return is_before;
}

struct Found {
  NodeId last_backward{};  // of replica 0
  NodeId first_message{};  // from one replica to another
};
Found find(const plan::Plan& plan) {
  Found found;
  std::optional<NodeId> message;
  for (const NodeId id : plan::canonical_order(plan)) {
    const plan::Node& node = plan.node(id);
    if (std::holds_alternative<plan::Run>(node.action) && node.scope == "gradient") found.last_backward = id;
    const auto* move = std::get_if<plan::Move>(&node.action);
    if (move == nullptr || message || !node.scope.starts_with("all_reduce")) continue;
    if (plan.buffer(move->source.buffer).device != plan.buffer(move->target.buffer).device) message = id;
  }
  found.first_message = *message;
  return found;
}

TEST(Mirrored, OverlapLetsTheFirstBucketGoBeforeTheBackwardPassIsOver) {
  const ReplicaSteps steps({8, 8}, [](std::int64_t rows) { return test::small_net(rows); });
  const auto waits = [&](const Packing& packing) {
    const plan::Plan plan = lower_mirrored(steps, places(2), {.packing = packing});
    const Found found = find(plan);
    return bool{ancestors(plan, found.first_message)[index(found.last_backward)]};
  };
  EXPECT_FALSE(waits({.overlap = true, .bucket_cap = Bytes(8)}));
  EXPECT_TRUE(waits({}));
  EXPECT_TRUE(waits({.eager = true}));
  // As in graphs of TensorFlow 2.15.1 and 2.21.0, where a pack waits for its own gradients alone.
  EXPECT_FALSE(waits({.bytes_per_pack = Bytes(8)}));
  EXPECT_TRUE(waits({.bytes_per_pack = Bytes(8), .eager = true}));
  // A loop that clips all gradients before it hands them over.
  EXPECT_TRUE(waits({.bytes_per_pack = Bytes(8), .after_backward = true}));
}

TEST(Mirrored, ST1_RefusesWhatItsPlacesCantCarry) {
  const Step step = two_gradients(1);
  const std::vector<const Step*> three(3, &step), two(2, &step);
  EXPECT_EQ(
      refusal([&] { lower_mirrored(three, places(2)); }),
      "[mirrored] 3 replicas can't run on 2 devices\ngive each replica a device, or take as many replicas as "
      "there are devices");
  EXPECT_EQ(
      refusal([&] { lower_mirrored(two, places(2, device::Kind::gpu, 1)); }),
      "[mirrored] task:0/GPU:0 is in task 0, task:1/GPU:0 in task 1\ntake multi_worker_mirrored, or the "
      "devices of one machine");
  EXPECT_EQ(refusal([&] { lower_mirrored(two, std::vector(2, places(1)[0])); }),
            "[mirrored] replicas 0 and 1 are both on task:0/GPU:0\ngive each replica a device of its own");
  EXPECT_EQ(refusal([&] { lower_mirrored({}, {}); }),
            "[mirrored] there are no devices\ngive it at least one");
  EXPECT_EQ(refusal([&] {
              lower_mirrored(two, places(2), {.cross_device_ops = CrossDeviceOps::nccl, .num_packs = -1});
            }),
            "[mirrored] num_packs is -1\nwrite 0 for none, or how many packs there should be");
  EXPECT_EQ(refusal([&] { lower_mirrored(two, places(2), {.reduce_to = 2}); }),
            "[mirrored] reduce_to is 2, and there are 2 replicas\nwrite a replica from 0 to 1");
  EXPECT_EQ(
      refusal([&] { lower_mirrored(two, places(2), {.nccl = {.always = {.algorithm = "nvls"}}}); }),
      "[mirrored] nvls adds in 1 switches or servers, and there are 0\ntake an algorithm in which replicas "
      "add, as ring");
}

}  // namespace
}  // namespace wt::strategy
