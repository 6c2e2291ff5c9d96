// Claim: comparisons, scaling tables and explanations say what single runs would say, and what follows from it.

#include <gtest/gtest.h>

#include "base/file.h"
#include "cli/command.h"
#include "tensor/safetensors.h"

namespace wt {
namespace {

using test::call;
using test::has;
using test::number_at;
using test::results_in;
using test::Said;
using test::scenario_file;
using test::TestFolder;
using test::write_bytes;

json::Value json_of(const Said& said) { return json::parse(said.results, "standard output"); }

std::vector<double> column(const json::Value& table, const std::string& key) {
  std::vector<double> numbers;
  for (const json::Value& row : table.find("rows")->elements()) numbers.push_back(number_at(row, {key}));
  return numbers;
}

// Products of matrices on equal devices behind an ideal switch.
const std::string wide = R"({
  "name": "wide",
  "platform": { "virtual": { "devices": 4 } },
  "strategy": { "type": "mirrored", "cross_device_ops": "collective_nccl", "algorithm": "ring" },
  "model": { "layers": [
    { "class_name": "InputLayer", "config": { "batch_shape": [null, 64] } },
    { "class_name": "Dense", "config": { "units": 4096, "activation": "relu" } },
    { "class_name": "Dense", "config": { "units": 4096, "activation": "relu" } },
    { "class_name": "Dense", "config": { "units": 4096, "activation": "relu" } },
    { "class_name": "Dense", "config": { "units": 64 } } ] },
  "dataset": { "type": "synthetic", "rows": 65536 },
  "training": { "loss": "mse", "optimizer": { "class_name": "SGD", "config": { "momentum": 0.9 } },
                "per_replica_batch": 256 },
  "numerics": "none"
})";

class Tables : public testing::Test {
 protected:
  Tables() { write_bytes(base_ / "wide.json", wide); }

  std::string path(const std::string& name) const { return (base_ / name).string(); }
  std::vector<std::string> words(std::vector<std::string> first, const std::vector<std::string>& overrides,
                                 const std::vector<std::string>& last = {}) const {
    for (const std::string& each : overrides) first.insert(first.end(), {"--set", each});
    first.insert(first.end(), last.begin(), last.end());
    return first;
  }
  Said scaling(const std::string& replicas, const std::vector<std::string>& overrides = {},
               const std::vector<std::string>& last = {"--json"}) const {
    return call(words({"run", path("wide.json"), "--replicas", replicas}, overrides, last));
  }
  json::Value explained(const std::vector<std::string>& overrides = {}) const {
    const Said said = call(words({"explain", path("wide.json")}, overrides, {"--json"}));
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    return json_of(said);
  }
  static const json::Value* change(const json::Value& explained, const std::string& name) {
    for (const json::Value& row : explained.find("changes")->elements())
      if (row.find("change")->string().starts_with(name)) return &row;
    return nullptr;
  }

  TestFolder base_{};
};

// ---- run --replicas

// An epoch of as many rows in fewer steps; the user reads off what a larger batch gains.
TEST_F(Tables, P15_MoreDevicesMakeAnEpochShorter) {
  for (const std::string batch : {"training.per_replica_batch=4096",
                                  R"(training={"loss": "mse", "optimizer": "sgd", "global_batch": 32768})"}) {
    SCOPED_TRACE(batch);
    const json::Value table = json_of(scaling("1,2,4,8", {batch}));
    const std::vector<double> epochs = column(table, "epoch_time_s"),
                              steps = column(table, "steps_per_epoch"), times = column(table, "step_time_s");
    ASSERT_EQ(epochs.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(epochs[i], steps[i] * times[i]);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_LT(epochs[i], epochs[i - 1]);
  }
}

TEST_F(Tables, WeakScalingKeepsTheRowsOfAReplica) {
  const json::Value table = json_of(scaling("1,2,4,8"));
  EXPECT_EQ(table.find("scaling")->string(), "weak");
  EXPECT_EQ(column(table, "replica_rows"), (std::vector<double>{256, 256, 256, 256}));
  EXPECT_EQ(column(table, "global_batch"), (std::vector<double>{256, 512, 1024, 2048}));
  EXPECT_EQ(column(table, "steps_per_epoch"), (std::vector<double>{256, 128, 64, 32}));
}

TEST_F(Tables, StrongScalingKeepsTheGlobalBatch) {
  const json::Value table =
      json_of(scaling("1,2,4", {R"(training={"loss": "mse", "optimizer": "sgd", "global_batch": 4096})"}));
  EXPECT_EQ(table.find("scaling")->string(), "strong");
  EXPECT_EQ(column(table, "global_batch"), (std::vector<double>{4096, 4096, 4096}));
  EXPECT_EQ(column(table, "replica_rows"), (std::vector<double>{4096, 2048, 1024}));
}

// Patarasuk and Yuan, 2009: of S bytes each device sends 2 (n - 1) / n. The sums read two chunks and write one, and
// every message passes two ports of the switch.
TEST_F(Tables, ScalingOfARingOnIdealLinksIsItsFormula) {
  const json::Value table = json_of(scaling("1,2,4,8"));
  const std::vector<double> exposed = column(table, "exposed_communication_s"),
                            steps = column(table, "step_time_s"),
                            efficiency = column(table, "scaling_efficiency"),
                            speed_up = column(table, "speed_up"),
                            alone = column(table, "baseline_samples_per_second"),
                            rows = column(table, "baseline_rows");
  const double bytes = 4.0 * (2 * (4096 * 4096 + 4096) + 64 * 4096 + 4096 + 4096 * 64 + 64);
  EXPECT_EQ(exposed[0], 0);
  for (std::size_t i = 1; i < 4; ++i) {
    const double n = static_cast<double>(1 << i);
    const double chunk = bytes / n;
    const double formula = 2 * (n - 1) * (chunk / 100e9 + 2e-6) + (n - 1) * 3 * chunk / 1555e9;
    EXPECT_NEAR(exposed[i], formula, 0.02 * formula) << n;
    EXPECT_NEAR(efficiency[i], rows[i] / alone[i] / steps[i], 1e-12);
    EXPECT_NEAR(efficiency[i], steps[0] / steps[i], 1e-12);
    EXPECT_NEAR(speed_up[i], n * efficiency[i], 1e-12);
  }
}

// A row says the same efficiency as a run alone, as a comparison and as an explanation, whatever the other rows are.
// The baseline is one device with a replica's rows (weak) or with the whole batch (strong), and stands beside it.
TEST_F(Tables, EfficiencyIsRelativeToOneDeviceAloneEverywhere) {
  for (const bool is_weak : {true, false}) {
    SCOPED_TRACE(is_weak);
    std::vector<std::string> batch;
    if (!is_weak) batch = {R"(training={"loss": "mse", "optimizer": "sgd", "global_batch": 4096})"};
    std::vector<std::string> of_one = batch;
    of_one.push_back(R"(strategy={"type": "one_device"})");
    ASSERT_EQ(call(words({"run", path("wide.json"), "--out", path("alone")}, of_one)).exit, cli::Exit::done);
    const double alone = number_at(results_in(base_ / "alone"), {"simulated", "samples_per_second"});
    const json::Value few = json_of(scaling("3,4", batch)), many = json_of(scaling("1,2,3,4,8", batch));
    ASSERT_EQ(call(words({"run", path("wide.json"), "--out", path("all")}, batch)).exit, cli::Exit::done);
    const json::Value run = results_in(base_ / "all"), why = explained(batch);
    for (const json::Value& row : many.find("rows")->elements()) {
      const double rate = number_at(row, {"samples_per_second"}), replicas = number_at(row, {"replicas"});
      const double baseline = number_at(row, {"baseline_samples_per_second"});
      EXPECT_NEAR(baseline, alone, 1e-12 * alone);
      EXPECT_NEAR(number_at(row, {"speed_up"}), rate / baseline, 1e-12 * rate / baseline);
      EXPECT_NEAR(number_at(row, {"scaling_efficiency"}), rate / baseline / replicas, 1e-12);
      EXPECT_EQ(number_at(row, {"baseline_devices"}), 1);
      EXPECT_EQ(number_at(row, {"baseline_rows"}), is_weak ? 256 : 4096);
      EXPECT_EQ(row.find("baseline")->string(), is_weak ? "weak" : "strong");
      EXPECT_EQ(row.find("baseline_memory")->string(), "fits");
    }
    for (const char* key : {"speed_up", "scaling_efficiency"}) {
      const std::vector<double> all = column(many, key);
      EXPECT_EQ(column(few, key), (std::vector<double>{all[2], all[3]})) << key;
      EXPECT_EQ(number_at(run, {"simulated", key}), all[3]) << key;
      EXPECT_EQ(number_at(why, {key}), all[3]) << key;
    }
    EXPECT_LT(column(few, "scaling_efficiency")[0], 1);
    EXPECT_EQ(run.find("simulated")->find("one_device")->find("scaling")->string(),
              is_weak ? "weak" : "strong");
    const std::string text = scaling("3,4", batch, {}).results;
    EXPECT_TRUE(
        has(text, fmt::format("are against one device with {} rows alone: {:.0f} samples/s ({} scaling)\n",
                              is_weak ? 256 : 4096, column(few, "baseline_samples_per_second")[0],
                              is_weak ? "weak" : "strong")))
        << text;
  }
}

// Memory doesn't bound the baseline: ResNet-50 with 1,024 rows needs more than the 40 GB of an A100.
TEST_F(Tables, ABaselineThatDoesNotFitIsNamed) {
  const std::vector<std::string> arguments{
      "run",
      scenario_file("mirrored_dgx_a100"),
      "--set",
      R"(training={"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "global_batch": 1024})",
      "--replicas",
      "1,8"};
  const Said text = call(arguments);
  EXPECT_EQ(text.exit, cli::Exit::job_failed);
  EXPECT_TRUE(has(text.results,
                  "(strong scaling); 1024 rows do not fit into its memory, and its time is simulated "
                  "as if they did\n"))
      << text.results;
  std::vector<std::string> as_json = arguments;
  as_json.push_back("--json");
  const json::Value table = json_of(call(as_json));
  const auto& rows = table.find("rows")->elements();
  EXPECT_EQ(rows[0].find("outcome")->string(), "out_of_memory");
  EXPECT_EQ(rows[0].find("scaling_efficiency")->kind(), json::Kind::null);
  EXPECT_EQ(rows[1].find("baseline_memory")->string(), "does not fit");
  EXPECT_GT(number_at(rows[1], {"speed_up"}), 1);
}

// Replicas of two cores: one replica alone is the baseline, and a device is a core.
TEST_F(Tables, AReplicaOfSeveralDevicesIsComparedWithOneReplica) {
  const std::vector<std::string> arguments{"run", scenario_file("tpu_v3_model_parallel"), "--json",
                                           "--replicas", "4,16"};
  const json::Value table = json_of(call(arguments));
  for (const json::Value& row : table.find("rows")->elements()) {
    const double rate = number_at(row, {"samples_per_second"}), replicas = number_at(row, {"replicas"});
    EXPECT_EQ(number_at(row, {"baseline_devices"}), 2);
    EXPECT_NEAR(number_at(row, {"scaling_efficiency"}),
                rate / replicas / number_at(row, {"baseline_samples_per_second"}), 1e-12);
    EXPECT_DOUBLE_EQ(number_at(row, {"samples_per_second_per_device"}), rate / replicas / 2);
  }
}

// ---- "strategy": "auto"

TEST_F(Tables, AutoIsChosenForEveryNumberOfReplicas) {
  const std::vector<std::string> dgx{"strategy=auto",
                                     R"(platform={"file": "dgx_a100", "set": {"machines": 2}})"};
  const Said said = scaling("1,4,8,16", dgx);
  const json::Value table = json_of(said);
  std::string strategies;
  for (const json::Value& row : table.find("rows")->elements())
    strategies += row.find("strategy")->string() + " ";
  EXPECT_EQ(strategies, "one_device mirrored mirrored multi_worker_mirrored ");
  EXPECT_TRUE(has(said.messages,
                  "note: 1 replica: strategy auto: one_device, since the machine is one with 1 visible "
                  "device\n"))
      << said.messages;
  EXPECT_TRUE(has(said.messages,
                  "note: 16 replicas: strategy auto: multi_worker_mirrored, since there are 2 machines "
                  "with 8 devices each\n"))
      << said.messages;
  // A row is what the strategy says that it names.
  for (std::size_t i = 0; i < 4; ++i) {
    const json::Value& row = table.find("rows")->elements()[i];
    std::vector<std::string> named = dgx;
    named.front() = "strategy=multi_worker_mirrored";
    if (i == 1 || i == 2) named = {"strategy=mirrored", "platform=dgx_a100"};
    const json::Value own = json_of(scaling(std::to_string(row.find("replicas")->integer()), named));
    EXPECT_EQ(number_at(row, {"step_time_s"}), column(own, "step_time_s")[0]) << i;
  }
}

TEST_F(Tables, EveryCommandSaysWhatAutoChose) {
  const std::string note = "strategy auto: mirrored, since the machine is one with 4 devices\n";
  const std::vector<std::string> auto_set{"strategy=auto"};
  for (const char* command : {"validate", "explain", "devices"})
    EXPECT_TRUE(has(call(words({command, path("wide.json")}, auto_set)).messages, note)) << command;
  const Said run = call(words({"run", path("wide.json"), "--out", path("chosen")}, auto_set));
  EXPECT_TRUE(has(run.messages, note));
  EXPECT_TRUE(has(run.results, ", mirrored over 4 replicas"));
  // The resolved scenario names the choice, so it runs to the same bytes without the rule.
  const Said again = call({"run", path("chosen/scenario.resolved.json"), "--out", path("again")});
  EXPECT_FALSE(has(again.messages, "strategy auto"));
  for (const char* file : {"results.json", "trace.json", "scenario.resolved.json"})
    EXPECT_EQ(read_text(base_ / "chosen" / file, {}), read_text(base_ / "again" / file, {})) << file;
}

TEST_F(Tables, EveryRowOfAScalingTableIsARun) {
  const json::Value table = json_of(scaling("3,4"));
  ASSERT_EQ(call({"run", path("wide.json"), "--out", path("four")}).exit, cli::Exit::done);
  ASSERT_EQ(
      call({"run", path("wide.json"), "--out", path("three"), "--set", "platform.virtual.devices=3"}).exit,
      cli::Exit::done);
  for (const auto& [key, place] :
       std::vector<std::pair<std::string, std::string>>{{"step_time_s", "step_time_s"},
                                                        {"compute_s", "compute_s"},
                                                        {"samples_per_second", "samples_per_second"}}) {
    EXPECT_NEAR(column(table, key)[0], number_at(results_in(base_ / "three"), {"simulated", place}),
                1e-9 * column(table, key)[0]);
    EXPECT_EQ(column(table, key)[1], number_at(results_in(base_ / "four"), {"simulated", place}));
  }
}

TEST_F(Tables, ScalingTellsWhatDoesNotFit) {
  const Said said = scaling("1,2", {"training.per_replica_batch=4000000", "dataset.rows=16000000"}, {});
  EXPECT_EQ(said.exit, cli::Exit::job_failed);
  EXPECT_TRUE(has(said.results, "does not fit")) << said.results;
  EXPECT_TRUE(has(said.results, "no step fits")) << said.results;
}

TEST_F(Tables, AllCountsThatCannotBeHadAreRefusedAtOnce) {
  const Said said = scaling("1,9,16", {"platform=dgx_a100"});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(
      has(said.messages, "9 replicas: mirrored trains on the devices of one machine, and dgx_a100 has 8"))
      << said.messages;
  EXPECT_TRUE(has(said.messages, "16 replicas: ")) << said.messages;
  EXPECT_TRUE(has(said.messages, "--set strategy.type=multi_worker_mirrored")) << said.messages;
  EXPECT_TRUE(has(scaling("0").messages, "--replicas must be at least 1, and it is 0"));
  EXPECT_TRUE(has(call({"run", scenario_file("linear_fit"), "--replicas", "1"}).messages,
                  "the scenario has no platform, so it can't be timed"));
}

// One step was measured, with the scenario's rows: other rows scale as their kernels do.
TEST_F(Tables, AMeasuredStepScalesOtherBatches) {
  const std::vector<std::string> measured{
      R"(training={"loss": "mse", "optimizer": {"class_name": "SGD", "config": {"momentum": 0.9}}, "global_batch": 4096})",
      "platform.virtual.devices=1"};
  const double predicted = column(json_of(scaling("1,2", measured)), "compute_s")[0];
  const double half = column(json_of(scaling("1,2", measured)), "compute_s")[1];
  std::vector<std::string> twice = measured;
  const double step = column(json_of(scaling("1", measured)), "step_time_s")[0];
  twice.push_back("time.measured_step=" + std::to_string((step + predicted) * 1e3) + " ms");
  const std::vector<double> found = column(json_of(scaling("1,2", twice)), "compute_s");
  EXPECT_NEAR(found[0], 2 * predicted, 1e-3 * predicted);
  EXPECT_NEAR(found[1], 2 * half, 1e-3 * half);
}

// ---- run A B

TEST_F(Tables, AComparisonHasWhatEachRunHas) {
  std::string other = wide;
  other.replace(other.find("\"wide\""), 6, "\"wide, by TensorFlow's ring\"");
  const std::string nccl = R"(collective_nccl", "algorithm": "ring")";
  other.replace(other.find(nccl), nccl.size(), "collective_ring\"");
  write_bytes(base_ / "other.json", other);
  const Said said = call({"run", path("wide.json"), path("other.json"), scenario_file("linear_fit"), "--out",
                          path("out"), "--json"});
  ASSERT_EQ(said.exit, cli::Exit::done) << said.messages;
  const json::Value table = json_of(said);
  const auto& rows = table.find("rows")->elements();
  ASSERT_EQ(rows.size(), 3u);
  for (std::size_t i = 0; i < 2; ++i) {
    const json::Value alone = results_in(base_ / "out" / (i == 0 ? "wide" : "wide_by_tensorflow_s_ring"));
    for (const char* key : {"step_time_s", "compute_s", "exposed_communication_s", "samples_per_second",
                            "mfu", "scaling_efficiency"})
      EXPECT_EQ(number_at(rows[i], {key}), number_at(alone, {"simulated", key})) << key;
    EXPECT_EQ(number_at(rows[i], {"replicas"}), number_at(alone, {"planned", "replicas"}));
    EXPECT_EQ(rows[i].find("loss")->kind(), json::Kind::null);
  }
  EXPECT_EQ(rows[0].find("reduction")->string(), "ring");
  EXPECT_EQ(rows[1].find("reduction")->string(), "tensorflow_ring");
  EXPECT_EQ(number_at(rows[2], {"loss"}), number_at(results_in(base_ / "out/linear_fit"), {"final", "loss"}));
  EXPECT_EQ(rows[2].find("step_time_s")->kind(), json::Kind::null);
}

TEST_F(Tables, RunningOutOfMemoryIsARow) {
  const Said said = call({"run", path("wide.json"), scenario_file("resnet50_memory"), "--out", path("out")});
  EXPECT_EQ(said.exit, cli::Exit::job_failed);
  EXPECT_TRUE(has(said.results, "out of memory")) << said.results;
  EXPECT_TRUE(has(said.results, "\nresults: ")) << said.results;
}

TEST_F(Tables, EverythingThatIsWrongIsSaidBeforeAnythingRuns) {
  write_bytes(base_ / "bad.json", R"({"name": "bad", "modle": "mlp"})");
  const Said said = call({"run", path("wide.json"), path("bad.json"), path("missing.json"), path("wide.json"),
                          "--out", path("out")});
  EXPECT_EQ(said.exit, cli::Exit::input_wrong);
  EXPECT_TRUE(has(said.messages, "modle")) << said.messages;
  EXPECT_TRUE(has(said.messages, "missing.json")) << said.messages;
  EXPECT_TRUE(has(said.messages, "would both write their results to ")) << said.messages;
  EXPECT_FALSE(std::filesystem::exists(base_ / "out"));
}

// ---- explain

TEST_F(Tables, TwiceTheComputeHalvesWhatIsBoundByIt) {
  const json::Value found = explained({"strategy={\"type\": \"one_device\"}"});
  EXPECT_TRUE(found.find("bound_by")->string().starts_with("bound by compute: 100 %"))
      << found.find("bound_by")->string();
  const json::Value* now = change(found, "as it is");
  const json::Value* twice = change(found, "twice the compute");
  EXPECT_NEAR(number_at(*twice, {"compute_s"}), number_at(*now, {"compute_s"}) / 2,
              1e-9 * number_at(*now, {"compute_s"}));
  EXPECT_EQ(change(found, "gradients by"), nullptr);
  double kernels = 0;
  for (const json::Value& kernel : found.find("kernels")->elements())
    kernels += number_at(kernel, {"time_s"});
  EXPECT_NEAR(kernels, number_at(found, {"split", "compute_s"}), 1e-9 * kernels);
}

TEST_F(Tables, TwiceTheNetworkHalvesWhatLinksExpose) {
  const json::Value found = explained({"training.per_replica_batch=1"});
  const double now = number_at(*change(found, "as it is"), {"exposed_communication_s"});
  const double twice = number_at(*change(found, "twice the network"), {"exposed_communication_s"});
  EXPECT_LT(twice, 0.6 * now);  // sums and latencies stay
  EXPECT_GT(twice, 0.5 * now);
  double split = 0;
  for (const json::Member& part : found.find("split")->members()) split += part.value.real();
  EXPECT_NEAR(split, number_at(found, {"step_time_s"}), 1e-9 * split);
}

TEST_F(Tables, EveryChangeIsARun) {
  const json::Value found = explained();
  const auto step = [&](const std::vector<std::string>& overrides) {
    EXPECT_EQ(call(words({"run", path("wide.json"), "--out", path("out")}, overrides)).exit, cli::Exit::done);
    return number_at(results_in(base_ / "out"), {"simulated", "step_time_s"});
  };
  EXPECT_EQ(number_at(*change(found, "twice the batch"), {"step_time_s"}),
            step({"training.per_replica_batch=512"}));
  EXPECT_EQ(number_at(*change(found, "overlapping"), {"step_time_s"}), step({"strategy.overlap=true"}));
  EXPECT_NE(change(found, "gradients by"), nullptr);
}

}  // namespace
}  // namespace wt
