// Multi-worker mirrored and TPU: what their places and options decide.

#include <gtest/gtest.h>

#include "collective/catalog.h"
#include "collective/execute.h"
#include "several_replicas.h"
#include "strategy/collective_ops.h"
#include "strategy/multi_worker_mirrored.h"
#include "strategy/tpu.h"

namespace wt::strategy {
namespace {

using test::places, test::ReplicaSteps, test::run_plan, test::small_net, test::split_batch, test::Values;

template <class Lower>
std::string refusal(Lower lower) {
  try {
    lower();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(F2, ST14_AutoIsTheRing) {
  using enum CommunicationImplementation;
  const auto chosen = [](CommunicationImplementation asked, device::Kind kind) {
    const ChosenImplementation choice = choose_implementation(asked, places(2, kind, 1));
    return fmt::format("{}: {}", name(choice.implementation), choice.why);
  };
  EXPECT_EQ(chosen(automatic, device::Kind::gpu),
            "RING: AUTO is RING in TensorFlow, on GPUs too: write NCCL to have it");
  EXPECT_EQ(chosen(automatic, device::Kind::cpu),
            "RING: AUTO is RING in TensorFlow, and NCCL would need GPUs");
  EXPECT_EQ(chosen(nccl, device::Kind::gpu), "NCCL: NCCL was asked for, and all devices are GPUs");
  EXPECT_EQ(chosen(nccl, device::Kind::cpu),
            "RING: Enabled NCCL communication but no GPUs detected/specified.");
  EXPECT_EQ(chosen(ring, device::Kind::gpu), "RING: RING was asked for");
}

// 23 numbers in 4 chunks are 6 each, but a chunk has 64 bytes at least: 16 and 7, and two without any. Rank 0 begins
// the sum of chunk 0, ends that of chunk 1 and hands it on, then chunk 0's.
TEST(MultiWorkerMirrored, ST14_TheRingCutsChunksAsTensorFlowDoes) {
  const ReplicaSteps steps({4, 4, 4, 4}, [](std::int64_t rows) { return small_net(rows); });
  const plan::Plan plan = lower_multi_worker_mirrored(steps, places(4, device::Kind::gpu, 2), {});
  std::vector<std::int64_t> sent;
  for (const plan::Node& node : plan.nodes) {
    const auto* move = std::get_if<plan::Move>(&node.action);
    if (move == nullptr || node.scope != "all_reduce/0") continue;
    if (plan.buffer(move->source.buffer).name == "all_reduce/0") sent.push_back(payload(*move).count() / 4);
  }
  EXPECT_EQ(sent, (std::vector<std::int64_t>{16, 7, 16}));
}

// tf_distribute.md 2.5.2.
TEST(CollectiveOps, ST11_EachHasItsKernelByTheCommunicationThatWasChosen) {
  using enum CommunicationImplementation;
  std::string table;
  for (const CollectiveOp& row : collective_ops())
    table += fmt::format("{} {}\n", kernel_of(row.type, nccl),
                         row.own.empty() ? "undefined" : kernel_of(row.type, ring));
  EXPECT_EQ(table,
            "NcclReduce RingReduce\nNcclGather RingGather\nNcclBroadcast HierarchicalTreeBroadcast\n"
            "NcclAllToAll AllToAll\nNcclReduceScatter undefined\nPermute Permute\n");
  EXPECT_EQ(refusal([] { kernel_of(CollectiveType::reduce_scatter, ring); }),
            "CollectiveRegistry::Lookup did not find collective implementation undefined\n"
            "NCCL has it: ask for NCCL, on GPUs");
}

// Rank r brings 100 r and the element's number. What every rank ends with is the sum of what was brought: of an
// all-reduce everybody's, of the others the value of the one that had it.
TEST(CollectiveOps, ST11_WhatTensorFlowsOwnKernelsDoIsComputed) {
  constexpr int ranks = 4;
  for (const CollectiveOp& row : collective_ops()) {
    if (row.algorithm.empty()) continue;
    SCOPED_TRACE(row.own);
    const auto& algorithm = collective::algorithm_named(row.operation, row.algorithm);
    const collective::Expanded schedule =
        collective::expand(collective::make_schedule(algorithm, {.ranks = ranks, .elements = 32}));
    const collective::Contract& contract = schedule.contract;
    std::vector<std::vector<float>> vectors(ranks);
    for (int rank = 0; rank < ranks; ++rank)
      for (std::int64_t i = 0; i < contract.cut.elements; ++i)
        vectors[static_cast<std::size_t>(rank)].push_back(static_cast<float>(100 * rank + i));
    const auto results = collective::execute_on(schedule, vectors, 3);
    for (int rank = 0; rank < ranks; ++rank)
      for (int chunk = 0; chunk < contract.cut.chunks; ++chunk)
        for (std::int64_t i = contract.cut.begin(chunk); i < contract.cut.begin(chunk + 1); ++i) {
          float wanted = 0;
          for (int from = 0; from < ranks; ++from)
            if (contract.brings(from, chunk)) wanted += static_cast<float>(100 * from + i);
          if (!contract.wants(rank, chunk)) continue;
          EXPECT_EQ(results[static_cast<std::size_t>(rank)][static_cast<std::size_t>(i)], wanted);
        }
  }
}

TEST(CollectiveOps, ST11_TheRingAddsNoInt32OnGpus) {
  const Step step = trace("count", [](Trace& trace) {
    trace.result("sum", all_reduce(trace.input("x", {Type::int32, {2}}), Reduction::sum));
  });
  const std::vector<const Step*> two(2, &step);
  EXPECT_EQ(refusal([&] { lower_multi_worker_mirrored(two, places(2, device::Kind::gpu, 1), {}); }),
            "Collective all-reduce does not support datatype DT_INT32 on DEVICE_GPU\n"
            "cast it to int64 or float32, or ask for NCCL");
  EXPECT_NO_THROW(lower_multi_worker_mirrored(two, places(2, device::Kind::cpu, 1), {}));
}

TEST(MultiWorkerMirrored, ST10_TheChiefSendsItsInitialValues) {
  const Step step = small_net(1);
  Values values = test::weights();
  const plan::Plan plan = lower_initial_broadcast(step, places(6, device::Kind::gpu, 2));
  for (const auto& [name, value] : test::weights())
    for (std::size_t r = 1; r < 6; ++r) values[port_name(name, r)] = Tensor::zeros(value.spec());
  for (const auto& [port, value] : run_plan(plan, values))
    EXPECT_TRUE(test::same_bits(value, values.at(port.substr(0, port.find("/replica_"))))) << port;
  // Between tasks only from first to first.
  for (const plan::Node& node : plan.nodes) {
    const auto& move = std::get<plan::Move>(node.action);
    const auto task = [&](const plan::Operand& end) { return index(plan.buffer(end.buffer).device) / 2; };
    if (task(move.source) != task(move.target)) {
      EXPECT_EQ(index(plan.buffer(move.target.buffer).device) % 2, 0u);
    }
  }
}

TEST(MultiWorkerMirrored, ST10_WantsTasksOfEqualSize) {
  const Step step = small_net(1);
  const std::vector<const Step*> three(3, &step);
  std::vector<Place> uneven = places(3, device::Kind::gpu, 2);
  EXPECT_EQ(refusal([&] { lower_multi_worker_mirrored(three, uneven, {}); }),
            "[multi_worker_mirrored] task 0 has 2 devices, and task 1 has 1\ngive every task as many");
  uneven = places(3, device::Kind::gpu, 1);
  uneven[2].task = 0;
  EXPECT_EQ(
      refusal([&] { lower_multi_worker_mirrored(three, uneven, {}); }),
      "[multi_worker_mirrored] the devices of task 0 don't stand together\nlist the devices task by task");
}

TEST(Tpu, ST15_AddsAlongTheAxesOfItsSlice) {
  const Values one = test::run(small_net(test::batch), split_batch({test::batch}));
  const ReplicaSteps steps(std::vector<std::int64_t>(8, 2),
                           [](std::int64_t rows) { return small_net(rows); });
  for (const TpuOptions& options :
       {TpuOptions{}, TpuOptions{.slice = {2, 4}}, TpuOptions{.slice = {2, 2, 2}},
        TpuOptions{.slice = {2, 2, 1, 2}}, TpuOptions{.slice = {1, 8}, .algorithm = "halving_doubling"}}) {
    const plan::Plan plan = lower_tpu(steps, places(8, device::Kind::tpu), options);
    test::expect_same_as_one_device(run_plan(plan, split_batch(std::vector<std::int64_t>(8, 2))), one);
  }
}

TEST(Tpu, G23_IsForTpus) {
  const Step step = small_net(1);
  const std::vector<const Step*> two(2, &step);
  EXPECT_EQ(refusal([&] { lower_tpu(two, places(2)); }),
            "[tpu] task:0/GPU:0 of replica 0 is a GPU\ntake mirrored, or multi_worker_mirrored where there "
            "are several "
            "machines");
  EXPECT_EQ(refusal([&] {
              lower_tpu(two, places(2, device::Kind::tpu), {.slice = {2, 2}});
            }),
            "[tpu] a slice of 2x2 has no 2 replicas\ntake as many replicas as the slice has cores");
}

}  // namespace
}  // namespace wt::strategy
