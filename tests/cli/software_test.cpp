// Claims: `explain` says that TensorFlow's own software makes small networks slow, and why more devices make them slower,
// and shows what would help; it says nothing of it where devices bound the step. It names the frequent causes of slow steps.
// Keys that change the software's time are
// refused where they have no meaning.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/command.h"
#include "support/folder.h"

namespace wt {
namespace {

using test::call;
using test::has;
using test::Said;
using test::scenario_file;

std::string explained(const std::string& scenario, const std::vector<std::string>& set) {
  std::vector<std::string> words{"explain", scenario_file(scenario)};
  for (const std::string& each : set) words.insert(words.end(), {"--set", each});
  const Said said = call(words);
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  return said.results;
}

TEST(ExplainSoftware, SaysWhyTwoReplicasAreSlowerThanOneAndWhatHelps) {
  const std::string fit = explained("quickstart", {"training.loop=fit"});
  EXPECT_TRUE(has(fit, "bound by the framework's software: ")) << fit;
  EXPECT_TRUE(has(fit, "which is why 2 replicas are slower than one device")) << fit;
  for (const char* change : {"\n10 steps per execution ", "\na loop of one's own ", "\ncompiled by XLA "})
    EXPECT_TRUE(has(fit, change)) << change << fit;
  EXPECT_TRUE(has(explained("quickstart", {"training.run_eagerly=true"}), "\ncompiled by tf.function "));
}

TEST(ExplainSoftware, SaysNothingWhereDevicesBoundTheStep) {
  for (const auto& [scenario, set] : {std::pair("resnet50", std::vector<std::string>{}),
                                      {"quickstart", {"training.loop=fit", "time.software=false"}},
                                      {"tpu_v3_8", {}},
                                      {"parameter_server_4_p100", {}}}) {
    const std::string text = explained(scenario, set);
    EXPECT_FALSE(has(text, "own software")) << text;
    EXPECT_FALSE(has(text, "steps per execution")) << text;
  }
}

// What users of tf.distribute ask for most, in words.
TEST(ExplainCauses, NamesTheFrequentOnes) {
  struct Case {
    std::string scenario{};
    std::vector<std::string> set{};
    std::string cause{};
  };
  const std::string plain = explained("resnet50", {});
  for (const Case& each :
       {Case{
            "resnet50", {R"(input={"decode": "500 samples/s"})"}, "- Rows come too late: decoding on a host"},
        Case{"multi_worker_2x2", {}, "- The global batch of 64 rows is kept, so each of 4 replicas has 16"},
        Case{"multi_worker_8_k80_10gbe",
             {R"(strategy={"type": "multi_worker_mirrored", "communication": "ring"})"},
             "- Gradients go over TensorFlow's own gRPC ring"},
        Case{"multi_worker_32_dgx_a100",
             {"training.per_replica_batch=1", "time.updates=fused"},
             "cross the machines in every step"},
        Case{"resnet50",
             {"platform={\"file\": \"dgx_a100\", \"set\": {\"machines\": 2}}",
              R"(strategy={"type": "multi_worker_mirrored", "communication_options":
                           {"implementation": "nccl", "bytes_per_pack": "1 KiB"}})"},
             "Larger packs (\"bytes_per_pack\""},
        Case{"mirrored_dgx_a100", {"time.jitter=0.1"}, "- Devices wait for the slowest of 8"},
        Case{"mirrored_dgx_a100",
             {},
             "- Before its first step, a process traces the step once for each of its 8 replicas"}}) {
    const std::string text = explained(each.scenario, each.set);
    EXPECT_TRUE(has(text, each.cause)) << each.scenario << ": " << each.cause << "\n" << text.substr(0, 2000);
    EXPECT_FALSE(has(plain, each.cause)) << each.cause;
  }
}

// A table of which each replica looks up 8,192 rows, 32 MiB with their ids.
class ExplainGatheredRows : public testing::Test {
 protected:
  std::string explained(const std::string& strategy, int machines, int gpus,
                        const std::vector<std::string>& set = {}) {
    std::vector<std::string> words{
        "explain",
        base_
            .write("words.json", R"({
  "name": "words", "platform": "dgx_a100", "semantics": "keras2",
  "model": {"keras_json": {"class_name": "Sequential", "config": {"name": "words", "layers": [
    {"class_name": "InputLayer", "config": {"batch_input_shape": [null, 128], "dtype": "int32", "name": "ids"}},
    {"class_name": "Embedding", "config": {"name": "table", "input_dim": 30000, "output_dim": 1024}},
    {"class_name": "GlobalAveragePooling1D", "config": {"name": "mean"}},
    {"class_name": "Dense", "config": {"name": "out", "units": 1}}]}}},
  "dataset": {"type": "synthetic", "rows": 65536, "repeat": -1},
  "training": {"loss": "mse", "optimizer": "sgd", "per_replica_batch": 64, "steps": 10000}, "numerics": "none"})")
            .string(),
        "--set",
        fmt::format(R"(platform={{"file": "dgx_a100", "set": {{"machines": {}, "devices": {}}}}})", machines,
                    gpus),
        "--set",
        "strategy=" + strategy};
    for (const std::string& each : set) words.insert(words.end(), {"--set", each});
    const Said said = call(words);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return said.results;
  }

 private:
  test::TestFolder base_{};
};

TEST_F(ExplainGatheredRows, UnderStrategiesThatGatherThem) {
  const std::string cause = "- Gradients of embeddings (table/embeddings)";
  for (const int gpus : {2, 3, 8})
    for (const char* strategy :
         {R"({"type": "mirrored"})", R"({"type": "mirrored", "cross_device_ops": "hierarchical_copy"})",
          R"({"type": "mirrored", "cross_device_ops": "reduction_to_one_device"})",
          R"({"type": "central_storage"})",
          R"({"type": "multi_worker_mirrored", "communication_options": {"implementation": "nccl"}})"}) {
      const std::string text = explained(strategy, 1, gpus);
      EXPECT_TRUE(has(text, cause)) << strategy << gpus << text;
      EXPECT_TRUE(has(text, fmt::format("32.1 MiB of each of {} replicas", gpus)))
          << strategy << gpus << text;
    }
  for (const int machines : {2, 3})
    EXPECT_TRUE(has(explained(R"({"type": "multi_worker_mirrored"})", machines, 1), cause)) << machines;
}

TEST_F(ExplainGatheredRows, NowhereElse) {
  const std::string cause = "IndexedSlices";
  for (const char* strategy : {R"({"type": "default"})", R"({"type": "one_device"})",
                               R"({"type": "mirrored"})", R"({"type": "central_storage"})"})
    EXPECT_FALSE(has(explained(strategy, 1, 1), cause)) << strategy;
  EXPECT_FALSE(has(
      explained(R"({"type": "parameter_server"})", 4, 1, {R"(cluster={"worker": 2, "ps": 1, "chief": 1})"}),
      cause));
  EXPECT_FALSE(has(explained(R"({"type": "mirrored"})", 1, 8, {"training.per_replica_batch=1"}), cause));
}

TEST(SoftwareKeys, AreRefusedWhereTheyMeanNothing) {
  const auto refusal = [](const std::string& scenario, const std::vector<std::string>& set) {
    std::vector<std::string> words{"validate", scenario_file(scenario)};
    for (const std::string& each : set) words.insert(words.end(), {"--set", each});
    const Said said = call(words);
    EXPECT_EQ(said.exit, cli::Exit::input_wrong);
    return said.messages;
  };
  EXPECT_TRUE(
      has(refusal("quickstart", {"training.steps_per_execution=4"}), "only fit, predict, a TPU's host and"));
  EXPECT_TRUE(
      has(refusal("tpu_v3_8", {"training.run_eagerly=true"}), "the strategy tpu runs compiled steps only"));
  EXPECT_TRUE(has(refusal("quickstart", {"training.run_eagerly=true", "training.jit_compile=true"}),
                  "what runs eagerly is not compiled"));
  EXPECT_TRUE(has(refusal("quickstart", {"time.fusion=none", "training.jit_compile=true"}),
                  R"("jit_compile" says how far operations are joined, too)"));
}

}  // namespace
}  // namespace wt
