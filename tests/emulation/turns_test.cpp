// Claim: replicas that share one GPU in turns train as a reference that was not written here (tests/oracle), and with the
// bits of replicas that lie side by side, under every strategy and reduction of `verify strategies`.

#include "plan/turns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cuda/gpu.h"
#include "emulation/machine.h"
#include "study/evidence/oracle.h"
#include "study/evidence/strategy_ways.h"

namespace wt {
namespace {

struct Trained {
  int replicas = 1;
  const char* oracle = "";
};

class TurnsOnAGpu : public testing::TestWithParam<Trained> {
 protected:
  static evidence::Oracle oracle(const std::string& name) {
    return evidence::read_oracle(std::filesystem::path(WT_TEST_DATA) / "oracle" / name);
  }
  device::CudaQueue gpu_{test::first_gpu()};
};
INSTANTIATE_TEST_SUITE_P(Replicas, TurnsOnAGpu,
                         testing::Values(Trained{1, "mlp_uneven"}, Trained{2, "linear_sgd"},
                                         Trained{3, "mlp_uneven"}, Trained{8, "linear_sgd"}),
                         [](const auto& row) {
                           return fmt::format("{}{}", row.param.oracle, row.param.replicas);
                         });

// In memory for the largest arena and no more.
std::optional<plan::Plan> one_at_a_time(const plan::Plan& plan) {
  plan::Piece piece{.name = "piece 0"};
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    piece.devices.push_back(static_cast<plan::DeviceId>(i));
    piece.limit = std::max(piece.limit, plan.devices[i].arena);
  }
  plan::InTurns turns = plan::in_turns(plan, {&piece, 1});
  EXPECT_GT(turns.swaps, 0) << plan.name;
  return std::move(turns.plan);
}

TEST_P(TurnsOnAGpu, TrainAsTheReferenceAndAsSideBySide) {
  const evidence::Oracle reference = oracle(GetParam().oracle);
  for (const evidence::StrategyWay& way : evidence::strategy_ways(GetParam().replicas)) {
    SCOPED_TRACE(way.strategy + ": " + way.reduction);
    const auto run = [&](decltype(train::Resources::seat) seat) {
      return session::rehearse(reference.scenario, reference.job,
                               {way.lower, gpu_, way.input, std::move(seat)}, {});
    };
    const session::Rehearsal turns = run(one_at_a_time), beside = run({});
    const evidence::Deviation found = evidence::deviation(turns, reference.losses, reference.weights);
    EXPECT_TRUE(found.is_within()) << found.loss << ", " << found.weight << " of " << found.tensor;
    EXPECT_EQ(session::losses_of(turns), session::losses_of(beside));
    for (const auto& [name, weight] : turns.weights)
      EXPECT_TRUE(std::ranges::equal(weight.bytes(), beside.weights.at(name).bytes())) << name;
  }
}

// The command does the same for all references at once, in a piece that every arena fits into.
TEST(TurnsByCommand, AreTakenUnderEveryStrategy) {
  const auto verify = [](const std::string& limit) {
    return test::call({"verify", "strategies", "--oracles", std::string(WT_TEST_DATA) + "/oracle",
                       "--replicas", "3", "--only", "central", "--set", "numerics=cuda", "--set",
                       R"(host.logical_devices=[{"memory_limit": ")" + limit + R"("}])"});
  };
  const test::Said said = verify("64 MiB");
  EXPECT_EQ(said.exit, cli::Exit::done) << said.results << said.messages;
  const test::Said refused = verify("1 KiB");
  EXPECT_EQ(refused.exit, cli::Exit::input_wrong);
  EXPECT_NE(refused.messages.find("not even one at a time: piece 0 with 3 replicas needs"), std::string::npos)
      << refused.messages;
}

}  // namespace
}  // namespace wt
