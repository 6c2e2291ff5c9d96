// Claim: a scenario of so many replicas is its file with further overrides; what can't be had is refused with what
// can.

#include "scenario/variant.h"

#include <gtest/gtest.h>

#include "scenario/parse.h"

namespace wt::scenario {
namespace {

std::string text_of(const std::string& platform, const std::string& strategy) {
  return R"({"name": "small", "platform": )" + platform + R"(, "strategy": )" + strategy +
         R"(, "model": "mlp", "dataset": {"type": "synthetic", "rows": 64},
    "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "per_replica_batch": 2},
    "numerics": "none"})";
}

struct Resized {
  Overrides overrides{};
  std::size_t replicas = 0;  // that the variant has
  int tasks = 0;
};

Resized resized(const std::string& platform, const std::string& strategy, int replicas) {
  const std::string text = text_of(platform, strategy);
  const Scenario scenario = parse(text, "small.json");
  Resized made{.overrides = with_replicas(scenario, build_machine(scenario), replicas)};
  const cluster::Machine machine = build_machine(parse(text, "small.json", made.overrides));
  made.replicas = machine.replicas.size();
  made.tasks = machine.tasks;
  return made;
}

std::string refusal(const std::string& platform, const std::string& strategy, int replicas) {
  try {
    resized(platform, strategy, replicas);
  } catch (const InputError& error) {
    const Problem& problem = error.problems().front();
    return problem.fact + "; " + problem.remedy;
  }
  return "";
}

const std::string mirrored = R"({"type": "mirrored"})";
const std::string workers = R"({"type": "multi_worker_mirrored", "communication": "nccl"})";
const std::string tpu = R"({"type": "tpu"})";

TEST(Variant, TakesTheFirstDevicesOfAMachine) {
  const Resized three = resized(R"("dgx_a100")", mirrored, 3);
  EXPECT_EQ(three.overrides,
            Overrides{R"(strategy.devices=["/device:GPU:0", "/device:GPU:1", "/device:GPU:2"])"});
  EXPECT_EQ(three.replicas, 3u);
  EXPECT_EQ(resized(R"("dgx_a100")", R"({"type": "central_storage"})", 2).overrides,
            Overrides{R"(strategy.compute_devices=["/device:GPU:0", "/device:GPU:1"])"});
  const std::string named = R"({"type": "mirrored", "devices": ["GPU:6", "GPU:2", "GPU:5"]})";
  EXPECT_EQ(resized(R"("dgx_a100")", named, 2).overrides,
            Overrides{R"(strategy.devices=["/device:GPU:6", "/device:GPU:2"])"});
  EXPECT_EQ(refusal(R"("dgx_a100")", named, 4).find("4 replicas: the scenario names 3 devices"), 0u);
}

TEST(Variant, AddsMachinesForWorkers) {
  for (const std::string platform :
       {R"("dgx_a100")", R"({"file": "dgx_a100", "set": {"machines": 4, "machine.nics.count": 4}})"}) {
    for (const int replicas : {1, 4, 8, 16, 64}) {
      const Resized made = resized(platform, workers, replicas);
      EXPECT_EQ(made.replicas, static_cast<std::size_t>(replicas));
      EXPECT_EQ(made.tasks, std::max(1, replicas / 8));
    }
    EXPECT_EQ(
        refusal(platform, workers, 20),
        "20 replicas: every worker has 8 devices; write 8 at most, or a multiple of it: 24 is the next one");
  }
}

TEST(Variant, MakesVirtualDevices) {
  const std::string four = R"({"virtual": {"devices": 4, "workers": 2}})";
  for (const int replicas : {1, 2, 6, 32}) {
    const Resized made = resized(four, workers, replicas);
    EXPECT_EQ(made.replicas, static_cast<std::size_t>(replicas));
    EXPECT_EQ(made.tasks, std::max(1, replicas / 2));
  }
  EXPECT_EQ(resized(R"({"virtual": {"devices": 4}})", mirrored, 12).replicas, 12u);
}

TEST(Variant, TakesAnotherSlice) {
  for (const int replicas : {8, 32, 128}) EXPECT_EQ(resized(R"("tpu_v3")", tpu, replicas).replicas, replicas);
  for (const int replicas : {4, 64, 512})
    EXPECT_EQ(resized(R"({"file": "tpu_v4", "set": {"slice": "2x2x2"}})", tpu, replicas).replicas, replicas);
  // Replicas of two cores need twice the slice.
  const std::string of_chips = R"({"type": "tpu", "computation_shape": [1, 1, 1, 2]})";
  for (const int replicas : {4, 16, 64})
    EXPECT_EQ(resized(R"("tpu_v3")", of_chips, replicas).replicas, replicas);
  EXPECT_EQ(refusal(R"("tpu_v3")", tpu, 24).find("24 replicas: tpu_v3 has no such slice; nearest: 2x2 (v3-8"),
            0u)
      << refusal(R"("tpu_v3")", tpu, 24);
}

TEST(Variant, SaysWhatWouldDo) {
  EXPECT_EQ(refusal(R"("dgx_a100")", mirrored, 16),
            "16 replicas: mirrored trains on the devices of one machine, and dgx_a100 has 8; write 8 at "
            "most, or take "
            "multi_worker_mirrored for several machines: --set strategy.type=multi_worker_mirrored");
  EXPECT_EQ(resized(R"("dgx_a100")", R"({"type": "one_device"})", 1).overrides, Overrides{});
  EXPECT_EQ(
      refusal(R"("dgx_a100")", R"({"type": "one_device"})", 2),
      "2 replicas: one_device computes on one device; take mirrored for the devices of one machine: --set "
      "strategy.type=mirrored");
}

}  // namespace
}  // namespace wt::scenario
