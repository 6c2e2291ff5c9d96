// Claim: where a plan's devices lie on this machine is one rule, for pieces of its memory and for its GPUs; replicas that
// a piece holds alone but not together take turns in it, and what doesn't fit is refused with what each would hold.

#include "session/host_pieces.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/scenario_runs.h"
#include "scenario/build.h"
#include "scenario/parse.h"

namespace wt {
namespace {

constexpr Bytes mib{std::int64_t{1} << 20};

// 8 replicas of 10 MiB, and their host's 2 MiB.
class HostPieces : public testing::Test {
 protected:
  HostPieces() {
    for (const cluster::Replica& replica : machine_.replicas) add(print(replica.device.name), 10 * mib);
    add(print(device::host_of(machine_.replicas[0].device.name)), 2 * mib);
  }

  void add(const std::string& name, Bytes arena) { plan_.devices.push_back({.name = name, .arena = arena}); }

  static scenario::Scenario scenario_with(std::vector<std::string> overrides) {
    overrides.insert(overrides.begin(), {"numerics=cuda", "platform=dgx_a100"});
    return scenario::parse_file(test::scenario_file("mirrored_small_batch"), overrides);
  }
  static std::vector<session::HostPiece> gpus(Bytes first, Bytes others) {
    return {{"GPU 0 (Tesla T4)", first}, {"GPU 1", others}, {"GPU 2", others}};
  }
  static std::string pieces(int count, Bytes limit) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += fmt::format(R"({}{{"memory_limit": "{} B"}})", i == 0 ? "" : ", ", limit.count());
    return fmt::format("host.logical_devices=[{}]", text);
  }

  struct Seated {
    std::optional<plan::InTurns> turns{};
    std::string refusal{};
  };
  Seated seated(const std::vector<session::HostPiece>& gpus,
                const std::vector<std::string>& overrides = {}) const {
    const scenario::Scenario scenario = scenario_with(overrides);
    const session::HostPieces pieces(scenario, gpus, session::replicas_of(machine_));
    try {
      pieces.require_room(plan_);
      return {pieces.seated(plan_), ""};
    } catch (const InputError& error) {
      return {std::nullopt, error.what()};
    }
  }

  cluster::Machine machine_ = scenario::build(scenario_with({})).machine;
  plan::Plan plan_{};
};

TEST_F(HostPieces, HoldReplicasInTurn) {
  ASSERT_EQ(machine_.replicas.size(), 8u);
  const session::ReplicaOf replica_of = session::replicas_of(machine_);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(replica_of(plan_.devices[i]), i);
  EXPECT_EQ(replica_of(plan_.devices[8]), 0u);  // the host feeds the first
  EXPECT_EQ(replica_of({.name = "a switch"}), 0u);
}

// Four pieces on three GPUs: replicas 3 and 7 lie in the fourth piece, which is cut from the first GPU again.
TEST_F(HostPieces, LieOnGpusInTurn) {
  const scenario::Scenario scenario = scenario_with({pieces(4, 32 * mib)});
  const session::HostPieces cut(scenario, gpus(64 * mib, 64 * mib), session::replicas_of(machine_));
  const std::vector<std::size_t> expected{0, 1, 2, 0, 0, 1, 2, 0, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(cut.gpu_of(plan_.devices[i]), expected[i]) << i;
  plan::Device seat;
  seat.name = "piece 2 seat 0";
  seat.seat_of = plan_.devices[6].name;
  EXPECT_EQ(cut.gpu_of(seat), 2u) << "a seat is where its replicas would be";
}

// 3, 3 and 2 replicas on three GPUs, and the host's 2 MiB on the first.
TEST_F(HostPieces, AreSharedInTurnsWhereOneIsTooSmall) {
  EXPECT_FALSE(seated({}).turns) << "the memory of a CPU is not cut";
  EXPECT_FALSE(seated(gpus(32 * mib, 30 * mib)).turns) << "all fit";
  for (const Bytes first : {32 * mib - Bytes(1), 10 * mib}) {
    const auto turns = seated(gpus(first, 30 * mib)).turns;
    ASSERT_TRUE(turns);
    for (std::size_t i = 0; i < plan_.devices.size(); ++i)
      EXPECT_EQ(turns->plan.devices[i].is_parked, i % 3 == 0 || i == 8) << plan_.devices[i].name;
  }
}

TEST_F(HostPieces, RefuseWhatTheyCannotHoldEvenAlone) {
  const std::string refused = seated(gpus(32 * mib, 10 * mib - Bytes(1))).refusal;
  EXPECT_TRUE(test::has(refused,
                        "the replicas don't fit into this machine's GPUs, not even one at a "
                        "time: GPU 0 (Tesla T4) with 3 replicas needs 10.0 MiB of 32.0 MiB; GPU 1 with 3 "
                        "replicas needs 10.0 MiB of 10.0 MiB; GPU 2 with 2 replicas needs 10.0 MiB"))
      << refused;
  const std::string cut = seated(gpus(64 * mib, 64 * mib), {pieces(1, 9 * mib)}).refusal;
  EXPECT_TRUE(
      test::has(cut, "pieces, not even one at a time: piece 0 with 8 replicas needs 10.0 MiB of 9.0 MiB"))
      << cut;
}

// Two pieces with two seats each need 40 MiB of a GPU; of one with 30 MiB they can't be cut.
TEST_F(HostPieces, AreNotCutFromMoreThanAGpuHas) {
  const std::vector<session::HostPiece> small{{"GPU 0", 30 * mib}}, large{{"GPU 0", 40 * mib}};
  EXPECT_TRUE(seated(large, {pieces(2, 20 * mib)}).turns);
  const std::string refused = seated(small, {pieces(2, 20 * mib)}).refusal;
  EXPECT_TRUE(test::has(refused, "the pieces of GPU 0 need 40.0 MiB of its free 30.0 MiB: piece 0 with 4 "))
      << refused;
}

TEST_F(HostPieces, LetNcclAddAmongThoseOnlyThatNeedNoTurns) {
  const std::string nccl = "host.collectives=nccl";
  EXPECT_FALSE(seated(gpus(32 * mib, 30 * mib), {nccl}).turns);
  EXPECT_TRUE(test::has(seated(gpus(31 * mib, 30 * mib), {nccl}).refusal,
                        "NCCL can't add among replicas that take turns: GPU 0 (Tesla T4) with 3 replicas"));
}

}  // namespace
}  // namespace wt
