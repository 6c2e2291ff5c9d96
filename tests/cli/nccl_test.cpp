// Claims: who carries collectives out on this machine changes no simulated time; NCCL is refused where it isn't what the
// strategy takes. (What it computes: tests/cuda/nccl_test.cpp.)

#include <gtest/gtest.h>

#include <map>

#include "cli/command.h"

namespace wt::test {
namespace {

class Nccl : public testing::Test {
 protected:
  static Said explained(const std::vector<std::string>& overrides) {
    std::vector<std::string> words{"explain", scenario_file("mirrored_small_batch"), "--json"};
    for (const std::string& each : overrides) words.insert(words.end(), {"--set", each});
    return call(words);
  }
  static double step_time(const std::vector<std::string>& overrides) {
    const Said said = explained(overrides);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return number_at(json::parse(said.results, "standard output"), {"step_time_s"});
  }
};

TEST_F(Nccl, ChangesNoSimulatedTime) {
  const double planned = step_time({"numerics=cuda"});
  EXPECT_NEAR(step_time({"numerics=cuda", "host.collectives=nccl"}) / planned, 1, 1e-9);
}

TEST_F(Nccl, TakesThePlaceOfWhatIsItsOwnAlone) {
  for (const auto& [strategy, name] : std::map<std::string, std::string>{
           {R"(strategy={"type": "mirrored", "cross_device_ops": "collective_ring"})", "RING"},
           {R"(strategy={"type": "mirrored", "cross_device_ops": "reduction_to_one_device"})", "OneDevice"},
           {R"(strategy={"type": "central_storage"})", "central_storage"}}) {
    const Said said = explained({"numerics=cuda", "host.collectives=nccl", strategy});
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << strategy;
    EXPECT_NE(said.messages.find("NCCL carries out what is NCCL's in TensorFlow"), std::string::npos)
        << said.messages;
    EXPECT_NE(said.messages.find(name), std::string::npos) << said.messages;
  }
}

}  // namespace
}  // namespace wt::test
