// Claim: a training step on a GPU gives the numbers of the CPU except for rounding, and they do not depend on
// how it is launched.

#include "execute/execution.h"
#include "device/cpu/workers.h"

#include <gtest/gtest.h>

#include "cuda/gpu.h"
#include "device/error.h"
#include "execute/fusion.h"
#include "execute/measure.h"
#include "execute/measure_copies.h"
#include "plan/turns.h"

namespace wt {
namespace {

using test::Launching;
using test::run_on;
using test::Values;

class CudaExecution : public testing::Test {
 protected:
  device::CudaQueue gpu_{test::first_gpu()};
  device::Workers workers_{device::hardware_threads()};
  device::CpuQueue cpu_{workers_};
};

// Trains with SGD, since Adam divides by a number that may consist of rounding errors only.
TEST_F(CudaExecution, TrainsEverySmallModelAsTheCpuDoes) {
  for (const model::ZooChoice& choice : test::small_models()) {
    SCOPED_TRACE(choice.model->name);
    const test::Training made = test::training(*choice.build(), 8, "sgd");
    const plan::Plan plan = test::on_one(made.step);
    const Values given = test::starting_values(made);
    EXPECT_LT(test::difference(run_on(gpu_, plan, given, 3), run_on(cpu_, plan, given, 3)), 1e-4);
  }
}

TEST_F(CudaExecution, GivesTheSameBitsAsAGraphOneByOneAndAgain) {
  for (const model::ZooChoice& choice : test::small_models()) {
    SCOPED_TRACE(choice.model->name);
    const test::Training made = test::training(*choice.build(), 8);
    const plan::Plan plan = test::on_one(made.step);
    const Values given = test::starting_values(made);
    const Values as_graph = run_on(gpu_, plan, given, 3);
    EXPECT_TRUE(test::same_bits(run_on(gpu_, plan, given, 3), as_graph));
    EXPECT_TRUE(test::same_bits(run_on(gpu_, plan, given, 3, Launching::one_by_one), as_graph));
  }
}

TEST_F(CudaExecution, JoinsABiasAndItsActivationInSteps) {
  const test::Training made = test::training(*model::zoo_model("fashion_cnn").build(), 8);
  EXPECT_FALSE(execute::fusions_of(test::on_one(made.step)).empty()) << "so the bits above are theirs, too";
}

// No time is compared with an expectation. But every call has a time, and no call takes longer than all of
// them.
TEST_F(CudaExecution, MeasuresEveryCallOfAStep) {
  const test::Training made = test::training(*model::zoo_model("fashion_cnn").build(), 8);
  const plan::Plan plan = test::on_one(made.step);
  const execute::Measured found = execute::measure(plan, plan::DeviceId{0}, {}, gpu_);
  for (const plan::Node& node : plan.nodes) {
    const auto kernel = found.kernels.find(call_of(plan, node));
    ASSERT_NE(kernel, found.kernels.end()) << call_of(plan, node);
    EXPECT_GT(kernel->second, Seconds(0)) << kernel->first;
    EXPECT_LT(kernel->second, found.round) << kernel->first;
  }
}

TEST_F(CudaExecution, MeasuresCopiesFromAndToTheHost) {
  const execute::CopyPlace place{"GPU 0", &gpu_};
  const auto found = execute::measure_copies({&place, 1});
  ASSERT_EQ(found.size(), 6u) << "three ways, few bytes and many";
  for (const plan::ProfiledCopy& copy : found) EXPECT_GT(copy.seconds, Seconds(0)) << copy.from << copy.to;
}

TEST_F(CudaExecution, RunsReplicasOnVirtualGpusOfOneRealOne) {
  const test::Training made = test::training(*model::zoo_model("fashion_cnn").build(), 4, "sgd");
  const plan::Plan plan = test::mirrored(made.step, 4);
  const Values given = test::starting_values(made);
  EXPECT_LT(test::difference(run_on(gpu_, plan, given, 3), run_on(cpu_, plan, given, 3)), 1e-4);
}

// Copies from the host have a stream of their own.
TEST_F(CudaExecution, GivesTheSameBitsWhereInputsTravelBesideTheStep) {
  const test::Training made = test::training(*model::zoo_model("fashion_cnn").build(), 8, "sgd");
  const plan::Plan plan = test::on_one(made.step);
  const test::SeveralStreams streams({gpu_.device()});
  execute::Execution ahead(plan, streams.queues()), plain(plan, gpu_);
  const Values first = test::starting_values(made);
  test::write_all(ahead, plan, first);
  test::write_all(plain, plan, first);
  for (int step = 0; step < 8; ++step) {
    Tensor rows = first.at("x0").copy();
    for (float& value : rows.values<float>()) value += static_cast<float>(step);
    ahead.step();
    ahead.write("x0", rows);
    plain.step();
    EXPECT_TRUE(std::ranges::equal(ahead.read("loss").bytes(), plain.read("loss").bytes())) << step;
    plain.write("x0", rows);
  }
}

// Two streams of one GPU stand for two GPUs, so that the graph forks and joins.
TEST_F(CudaExecution, GivesTheSameBitsOnSeveralStreamsAsOneGraph) {
  const test::Training made = test::training(*model::zoo_model("fashion_cnn").build(), 4, "sgd");
  const plan::Plan plan = test::mirrored(made.step, 4);
  const Values given = test::starting_values(made);
  device::CudaQueue compute(gpu_.device()), communication(gpu_.device()), other(gpu_.device());
  const execute::Queues queues(
      {{&compute, &communication, &compute}, {&other, &communication, &other}},
      [](const plan::Device& device) { return static_cast<std::size_t>(device.name.back() - '0') % 2; });
  const Values expected = run_on(gpu_, plan, given, 3);
  EXPECT_TRUE(test::same_bits(run_on(queues, plan, given, 3), expected));
  EXPECT_TRUE(test::same_bits(run_on(queues, plan, given, 3, Launching::one_by_one), expected));
}

TEST_F(CudaExecution, GivesTheSameBitsOnSeveralGpus) {
  const device::CudaDevices gpus = device::find_cuda_devices();
  if (gpus.found.size() < 2) GTEST_SKIP() << "it takes two GPUs, and CUDA finds " << gpus.found.size();
  const test::SeveralStreams several(gpus.found);
  for (const auto& [from, to] : several.team().staged) fmt::print("GPU {} to GPU {} is staged\n", from, to);
  const test::Training made = test::training(*model::zoo_model("fashion_cnn").build(), 4, "sgd");
  const plan::Plan plan = test::mirrored(made.step, 4);
  const Values given = test::starting_values(made);
  const Values expected = run_on(gpu_, plan, given, 3);
  EXPECT_TRUE(test::same_bits(run_on(several.queues(), plan, given, 3), expected));
}

// What waits lies in page-locked memory of the host: eight replicas with their host, in one seat and in three.
TEST_F(CudaExecution, GivesTheSameBitsWhereReplicasTakeTurns) {
  const test::Training made = test::training(*model::zoo_model("fashion_cnn").build(), 2, "sgd");
  const plan::Plan plan = test::mirrored(made.step, 8);
  const Values given = test::starting_values(made);
  const Values expected = run_on(gpu_, plan, given, 3);
  plan::Piece piece{.name = "piece 0"};
  for (std::size_t i = 0; i < plan.devices.size(); ++i)
    piece.devices.push_back(static_cast<plan::DeviceId>(i));
  const test::SeveralStreams streams({gpu_.device()});
  for (const std::int64_t seats : {1, 3}) {
    piece.limit = plan.devices.front().arena * seats;
    const plan::InTurns turns = plan::in_turns(plan, {&piece, 1});
    ASSERT_GT(turns.swaps, 0);
    EXPECT_TRUE(test::same_bits(run_on(gpu_, turns.plan, given, 3), expected)) << seats;
    EXPECT_TRUE(test::same_bits(run_on(streams.queues(), turns.plan, given, 3), expected)) << seats;
    EXPECT_TRUE(test::same_bits(run_on(gpu_, turns.plan, given, 3, Launching::one_by_one), expected))
        << seats;
  }
}

TEST_F(CudaExecution, SaysWhichTensorFindsNoPlace) {
  const test::Training made = test::training(*model::zoo_model("fashion_cnn").build(), 1 << 20);
  const plan::Plan plan = test::on_one(made.step);
  ASSERT_GT(plan.devices[0].arena, gpu_.device().memory);
  try {
    const execute::Execution execution(plan, gpu_);
    FAIL() << "it found a place";
  } catch (const device::ResourceExhaustedError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("OOM when allocating tensor with shape["))
        << error.what();
  }
}

}  // namespace
}  // namespace wt
