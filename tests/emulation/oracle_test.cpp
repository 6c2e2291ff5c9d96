// Claim: trainings of a reference that was not written here (tests/oracle) come out on GPUs as they did there: on one card that
// all replicas share, and on a card for each.

#include "study/evidence/oracle.h"

#include <gtest/gtest.h>

#include "cuda/gpu.h"
#include "emulation/machine.h"
#include "study/evidence/strategy_ways.h"

namespace wt {
namespace {

class OraclesOnGpus : public testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  const int replicas_ = std::get<int>(GetParam());
  const evidence::Oracle oracle_ = evidence::read_oracle(std::filesystem::path(WT_TEST_DATA) / "oracle" /
                                                         std::get<const char*>(GetParam()));

  evidence::StrategyWay way() const {
    for (evidence::StrategyWay& each : evidence::strategy_ways(replicas_))
      if (each.strategy == (replicas_ == 1 ? "one_device" : "mirrored") &&
          each.reduction == (replicas_ == 1 ? "" : "collective ring"))
        return std::move(each);
    WT_EXPECT(false, "no way for {} replicas", replicas_);
    return {};
  }

  void expect_the_reference(const execute::Queues& queues) const {
    const evidence::StrategyWay chosen = way();
    const session::Rehearsal run =
        session::rehearse(oracle_.scenario, oracle_.job, {chosen.lower, queues, chosen.input}, {});
    const evidence::Deviation found = evidence::deviation(run, oracle_.losses, oracle_.weights);
    EXPECT_TRUE(found.is_within()) << found.loss << ", " << found.weight << " of " << found.tensor;
  }
};
INSTANTIATE_TEST_SUITE_P(CaseAndReplicas, OraclesOnGpus,
                         testing::Combine(testing::Values("linear_sgd", "mlp_momentum", "mlp_uneven"),
                                          testing::Values(1, 2, 4)));

TEST_P(OraclesOnGpus, AreFollowedOnOneCard) {
  device::CudaQueue card(test::first_gpu());
  expect_the_reference(card);
}

TEST_P(OraclesOnGpus, AreFollowedOnACardForEach) {
  std::vector<device::CudaDevice> cards = device::find_cuda_devices().found;
  cards.resize(static_cast<std::size_t>(replicas_));
  const test::SeveralStreams streams(cards);
  expect_the_reference(streams.queues());
}

}  // namespace
}  // namespace wt
