// Claims: some replicas stand for all that are alike, and what they exchange with them stays whole; what needs all
// of them is refused, or expanded where all are there.

#include <gtest/gtest.h>

#include "several_replicas.h"
#include "strategy/mirrored.h"
#include "strategy/multi_worker_mirrored.h"
#include "strategy/tpu.h"

namespace wt::strategy {
namespace {

using test::places, test::small_net;

std::vector<const plan::Collective*> wholes(const plan::Plan& plan) {
  std::vector<const plan::Collective*> found;
  for (const plan::Node& node : plan.nodes)
    if (const auto* whole = std::get_if<plan::Collective>(&node.action)) found.push_back(whole);
  return found;
}

std::vector<const Step*> copies(const Step& step, std::size_t count) { return {count, &step}; }

TEST(Folded, OneAllReduceStandsForAllItsMessages) {
  const Step step = small_net(4);
  const plan::Plan plan = lower_mirrored(copies(step, 4), places(4), {.stand_for = 4});
  ASSERT_EQ(wholes(plan).size(), 1u);
  const plan::Collective& whole = *wholes(plan)[0];
  EXPECT_EQ(whole.algorithm, "ring");
  EXPECT_EQ((*whole.request).ranks, 4);
  EXPECT_EQ((*whole.request).elements, 12 + 3 + 6 + 2);
  EXPECT_EQ(whole.values.size(), 4u);
}

// Two of two machines of two; gradients and the loss are reduced over all four.
TEST(Folded, OneTaskStandsForAll) {
  const Step step = small_net(4, Reduction::mean);
  const plan::Plan plan = lower_multi_worker_mirrored(copies(step, 2), places(2), {.stand_for = 8});
  ASSERT_EQ(wholes(plan).size(), 2u);
  for (const plan::Collective* whole : wholes(plan)) {
    EXPECT_EQ(whole->algorithm, "tensorflow_ring");
    EXPECT_EQ((*whole->request).ranks, 8);
    EXPECT_EQ((*whole->request).options.shape, (std::vector<int>{2, 4}));
    EXPECT_EQ(whole->values.size(), 2u);
  }
}

// The mean is over those that aren't there, too: the divisor that is filled in.
TEST(Folded, AMeanIsOverAllReplicas) {
  const Step step = small_net(4, Reduction::mean);
  for (const std::size_t all : {1, 16}) {
    const plan::Plan plan = lower_tpu(copies(step, 1), places(1, device::Kind::tpu), {.stand_for = all});
    std::vector<double> factors;
    for (const plan::Node& node : plan.nodes) {
      const auto* run = std::get_if<plan::Run>(&node.action);
      if (run == nullptr || !node.scope.ends_with("/scale") || run->kernel->name != "fill") continue;
      factors.push_back(std::get<FillAttributes>(*run->attributes).value);
    }
    EXPECT_EQ(factors, all == 1 ? std::vector<double>{} : std::vector<double>{1.0 / 16});
    EXPECT_EQ(wholes(plan).size(), all == 1 ? 0u : 1u);
  }
}

TEST(Folded, WhatRunsAtOnceIsExpandedWhereAllReplicasAreThere) {
  const Step step = small_net(4);
  const MirroredOptions options{.cross_device_ops = CrossDeviceOps::reduction_to_one_device, .stand_for = 4};
  EXPECT_TRUE(wholes(lower_mirrored(copies(step, 4), places(4), options)).empty());
}

TEST(Folded, RefusesWhatIsAddedOnOneDeviceWhereTheyAreNot) {
  const Step step = small_net(4);
  try {
    lower_mirrored(copies(step, 2), places(2),
                   {.cross_device_ops = CrossDeviceOps::reduction_to_one_device, .stand_for = 8});
    FAIL() << "nothing was refused";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "[mirrored] train adds on one device, so 2 replicas can't stand for 8\n"
                 "expand its collectives");
  }
}

TEST(Folded, IsNotForExecuting) {
  const Step step = small_net(4);
  const plan::Plan plan = lower_mirrored(copies(step, 2), places(2), {.stand_for = 2});
  EXPECT_ANY_THROW(test::run_plan(plan, {}));
}

}  // namespace
}  // namespace wt::strategy
