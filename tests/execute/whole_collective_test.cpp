// Claims: a whole collective is carried out by the library of the queues, after the nodes that write its
// values and before those that read them, whichever queues run at the same time. Without a library it is an
// error.

#include <gtest/gtest.h>

#include "collective/request.h"
#include "device/cpu/workers.h"
#include "plan/memory.h"
#include "strategy/mirrored.h"
#include "support/several_threads.h"
#include "support/summing_communicator.h"
#include "support/training_step.h"
#include "support/two_queues.h"

namespace wt {
namespace {

class WholeCollectives : public testing::Test {
 protected:
  test::Training made_ =
      test::training(*model::zoo_model("mlp", {{"features", 8}, {"units", 16}, {"classes", 2}}).build(), 2);
  test::Values given_ = test::starting_values(made_);
  device::Workers workers_{1};
  device::CpuQueue one_{workers_};
  test::SummingCommunicator library_;

  plan::Plan mirrored(std::size_t replicas, strategy::StandFor whole) const {
    const std::vector<const Step*> steps(replicas, &made_.step);
    return strategy::lower_mirrored(steps, test::gpus_with_host(static_cast<int>(replicas)),
                                    {.stand_for = whole});
  }
  execute::Queues with_library() {
    const execute::PlaceQueues place{&one_, &one_, &one_};
    return {{place}, [](const plan::Device&) { return std::size_t{0}; }, &library_};
  }
};

// All replicas have the same rows, and two or four equal numbers have the same sum in any order.
TEST_F(WholeCollectives, AddWhatThePlanWouldHaveAdded) {
  int calls = 0;
  for (const std::size_t replicas : {2, 4}) {
    SCOPED_TRACE(replicas);
    const plan::Plan plan = mirrored(replicas, replicas);
    const test::Values planned = test::run_on(one_, mirrored(replicas, {}), given_, 3);
    EXPECT_TRUE(test::same_bits(test::run_on(with_library(), plan, given_, 3), planned));
    calls += 3 * static_cast<int>(std::ranges::count_if(plan.nodes, [](const plan::Node& node) {
               return std::holds_alternative<plan::Collective>(node.action);
             }));
  }
  EXPECT_GT(calls, 0);
  EXPECT_EQ(library_.calls(), calls);
}

TEST_F(WholeCollectives, WaitForTheirValuesAndAreWaitedFor) {
  const plan::Plan plan = mirrored(4, 4);
  const test::Values expected = test::run_on(with_library(), plan, given_, 3);
  for (const bool has_streams : {false, true})
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const test::SeveralThreads several(plan, 4, has_streams, seed, &library_);
      EXPECT_TRUE(test::same_bits(test::run_on(several.all(), plan, given_, 3), expected)) << seed;
    }
}

// The plan is written by hand, since no strategy broadcasts in a step of this model.
TEST_F(WholeCollectives, GiveEverybodyTheRootsNumbers) {
  const TensorSpec spec{Type::float32, {5}};
  plan::Plan plan{.name = "broadcast"};
  plan::Collective whole{.operation = collective::Operation::broadcast, .algorithm = "flat"};
  whole.request = collective::Request{.ranks = 3, .elements = 5, .root = 1};
  for (int rank = 0; rank < 3; ++rank) {
    plan.devices.push_back({.name = fmt::format("/device:GPU:{}", rank)});
    const plan::BufferId buffer = plan.add_buffer(
        {fmt::format("value {}", rank), plan::DeviceId(rank), spec.bytes(), plan::BufferKind::variable, {}});
    whole.values.push_back({buffer, spec});
    plan.variables.push_back({plan.buffer(buffer).name, whole.values.back()});
  }
  plan.add_node(whole, "broadcast");
  std::vector<plan::Frontier> frontiers = plan::order_accesses(plan);
  plan::plan_memory(plan, frontiers);
  const test::SeveralThreads several(plan, 3, true, 1, &library_);
  execute::Execution execution(plan, several.all());
  for (int rank = 0; rank < 3; ++rank)
    execution.write(fmt::format("value {}", rank),
                    Tensor::of<float>({5}, std::vector<float>(5, static_cast<float>(rank))));
  execution.step();
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(execution.read(fmt::format("value {}", rank)).values<float>()[4], 1.F) << rank;
}

TEST_F(WholeCollectives, AreAnErrorWithoutALibrary) {
  const plan::Plan plan = mirrored(4, 4);
  EXPECT_THROW(execute::Execution(plan, one_), InternalError);
}

// The plan has two of the collective's eight ranks.
TEST_F(WholeCollectives, OfRanksElsewhereAreTimedAndNotExecuted) {
  plan::Plan plan = mirrored(2, 2);
  for (plan::Node& node : plan.nodes)
    if (auto* whole = std::get_if<plan::Collective>(&node.action)) {
      collective::Request request = *whole->request;
      request.ranks = 8;
      whole->request = request;
    }
  EXPECT_THROW(execute::Execution(plan, with_library()), InternalError);
}

}  // namespace
}  // namespace wt
