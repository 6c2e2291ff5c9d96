// Claim: where a plan's devices lie on this machine is one rule, for pieces of its memory and for its GPUs; what
// doesn't fit is refused with what every one of them would hold.

#include "session/host_pieces.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "scenario/build.h"
#include "scenario/parse.h"

namespace wt {
namespace {

constexpr Bytes mib{std::int64_t{1} << 20};

class HostPieces : public testing::Test {
 protected:
  HostPieces() {
    for (const cluster::Replica& replica : machine_.replicas) add(print(replica.device.name), 10 * mib);
    add(print(device::host_of(machine_.replicas[0].device.name)), 2 * mib);
  }

  void add(const std::string& name, Bytes arena) { plan_.devices.push_back({.name = name, .arena = arena}); }

  std::string refusal(const std::vector<session::HostPiece>& gpus) const {
    try {
      session::require_place_on_host(scenario_, machine_, plan_, gpus);
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  }

  scenario::Scenario scenario_ = scenario::parse_file(test::scenario_file("mirrored_small_batch"),
                                                      {"numerics=cuda", "platform=dgx_a100"});
  cluster::Machine machine_ = scenario::build(scenario_).machine;
  plan::Plan plan_{};
};

TEST_F(HostPieces, GiveReplicasToGpusInTurn) {
  ASSERT_EQ(machine_.replicas.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(session::replica_of(machine_, plan_.devices[i].name), i);
  EXPECT_EQ(session::replica_of(machine_, plan_.devices[8].name), 0u);  // the host feeds the first
  EXPECT_EQ(session::replica_of(machine_, "a switch"), 0u);
}

// 8 replicas of 10 MiB on three GPUs: 3, 3 and 2 of them, and the host's 2 MiB on the first.
TEST_F(HostPieces, RefuseWhatTheGpusCannotHold) {
  const auto gpus = [](Bytes first, Bytes others) {
    return std::vector<session::HostPiece>{{"GPU 0 (Tesla T4)", first}, {"GPU 1", others}, {"GPU 2", others}};
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal(gpus(32 * mib, 30 * mib)), "");
  const std::string refused = refusal(gpus(32 * mib - Bytes(1), 30 * mib));
  EXPECT_NE(
      refused.find("the replicas don't fit into this machine's GPUs: GPU 0 (Tesla T4) with 3 replicas "
                   "needs 32.0 MiB of 32.0 MiB; GPU 1 with 3 replicas needs 30.0 MiB of 30.0 MiB; GPU 2 with "
                   "2 replicas needs 20.0 MiB of 30.0 MiB\n"),
      std::string::npos)
      << refused;
  EXPECT_NE(refused.find("CUDA_VISIBLE_DEVICES"), std::string::npos) << refused;
  EXPECT_NE(refusal(gpus(32 * mib, 30 * mib - Bytes(1))), "");
}

}  // namespace
}  // namespace wt
