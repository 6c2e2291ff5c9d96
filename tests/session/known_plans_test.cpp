// Claims: trainings that share what they know have the same forecasts as trainings that know nothing; a plan is lowered
// anew when the model, the batch, the devices or the library's choice differ, and only then.
#include "session/known_plans.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/scenario_runs.h"
#include "scenario/parse.h"
#include "session/training.h"

namespace wt::session {
namespace {

class Known : public testing::Test {
 protected:
  static Forecast forecast(const std::vector<std::string>& overrides, Shared* shared) {
    const scenario::Scenario scenario = scenario::parse_file(test::scenario_file("resnet50"), overrides);
    Training training(scenario, scenario::build(scenario), {.shared = shared, .asks_nccl = false});
    return training.forecast();
  }

  // Returns the number of plans that this forecast lowered.
  std::size_t lowered_for(const std::vector<std::string>& overrides) {
    const std::size_t before = shared_.plans.size();
    const Forecast with = forecast(overrides, &shared_), without = forecast(overrides, nullptr);
    EXPECT_EQ(print(with.planned.memory), print(without.planned.memory));
    EXPECT_EQ(with.simulated.has_value(), without.simulated.has_value());
    if (with.simulated && without.simulated) {
      EXPECT_EQ(with.simulated->step, without.simulated->step);
      EXPECT_EQ(with.simulated->communication, without.simulated->communication);
      EXPECT_EQ(with.simulated->baseline->step, without.simulated->baseline->step);
    }
    return shared_.plans.size() - before;
  }

  Shared shared_{};
};

TEST_F(Known, PlansServeAnotherSpeedOfALink) {
  for (const char* machines : {"1", "2", "3", "8"}) {
    const std::string count = fmt::format("platform.set.machines={}", machines);
    EXPECT_GE(lowered_for({count, "platform.set.machine.nics.bandwidth=100 Gb/s"}), 1U);
    EXPECT_EQ(lowered_for({count, "platform.set.machine.nics.bandwidth=99 Gb/s"}), 0U) << machines;
  }
}

TEST_F(Known, PlansServeNoOtherStep) {
  const std::vector<std::string> base{"platform=dgx_a100", "semantics=keras2"};
  EXPECT_EQ(lowered_for(base), 2U);  // of all devices, and of one alone
  EXPECT_EQ(lowered_for(base), 0U);
  for (const char* other : {"platform=dgx_h100", "training.per_replica_batch=64", "model=alexnet",
                            "strategy=central_storage", "platform.set.machines=2", "training.optimizer=adam",
                            "semantics=keras3", "strategy.cross_device_ops=hierarchical_copy"}) {
    std::vector<std::string> overrides = base;
    overrides.emplace_back(other);
    EXPECT_GE(lowered_for(overrides), 1U) << other;
  }
}

// The sizes from which NCCL takes another algorithm depend on the speed of the links.
TEST_F(Known, PlansServeNoOtherChoiceOfTheLibrary) {
  const auto at = [](const char* bandwidth) {
    return std::vector<std::string>{"platform=dgx_a100", "platform.set.machines=8",
                                    R"(strategy={"type":"multi_worker_mirrored","communication":"nccl"})",
                                    fmt::format("platform.set.machine.nics.bandwidth={} Gb/s", bandwidth)};
  };
  const std::vector<std::string> slow = at("10"), fast = at("400");
  ASSERT_NE(print(*forecast(slow, nullptr).planned.reduction),
            print(*forecast(fast, nullptr).planned.reduction));
  EXPECT_EQ(lowered_for(slow), 2U);
  EXPECT_GE(lowered_for(fast), 1U);
}

}  // namespace
}  // namespace wt::session
