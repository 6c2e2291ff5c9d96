// Claim: a scenario becomes a program with the strategy, model, data and loop that it names, and the files that the program
// reads have the scenario's rows and first weights. tests/export compares what such programs print with `run`.
#include "tensorflow/program.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <map>

#include "cluster/tf_config.h"
#include "model/keras/archive.h"
#include "scenario/golden.h"
#include "scenario/parse.h"
#include "scenario/rows.h"
#include "support/folder.h"

namespace wt::tensorflow {
namespace {

// A scenario with keys beside those that each needs. `training` has the keys beside loss, optimizer and batch.
std::string scenario_text(const std::string& keys, const std::string& training = "") {
  return R"({"name": "small", "model": {"zoo": "mlp", "features": 6, "units": 8, "classes": 3, "layers": 1},
             "dataset": {"type": "synthetic", "rows": 40},
             "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "global_batch": 8)" +
         (training.empty() ? "" : ", " + training) + "}" + (keys.empty() ? "" : ", " + keys) + "}";
}

scenario::Scenario parsed(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return scenario::parse(text, "small.json", overrides);
}

std::string program_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const scenario::Scenario scenario = parsed(text, overrides);
  return program(scenario, scenario::build(scenario), "small.json", "VERSION");
}

std::string refusal_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    program_of(text, overrides);
  } catch (const InputError& error) {
    return error.problems().front().fact;
  }
  return "none";
}

// ---- Texts

struct Case {
  std::string name{};
  std::string text{};
};

const std::string two_gpus = R"("platform": {"virtual": {"devices": 2}})";
const std::string servers =
    R"("platform": {"machines": [{"file": "dgx1_p100", "count": 2}, {"file": "cpu_server", "count": 3}],
         "network": {"type": "switch", "bandwidth": "12.5 GB/s", "latency": "1 us"}},
       "devices": {"visible": ["GPU:0"]}, "cluster": {"worker": 2, "ps": 2, "chief": 1})";

std::vector<Case> cases() {
  return {
      {"default", scenario_text(R"("semantics": "keras2")")},
      {"one_device", scenario_text(two_gpus + R"(, "strategy": {"type": "one_device", "device": "/GPU:1"})")},
      {"mirrored",
       scenario_text(
           two_gpus + R"(, "strategy": {"type": "mirrored", "cross_device_ops": "nccl", "num_packs": 2})",
           R"("loop": "fit", "epochs": 2, "metrics": ["accuracy"],
                  "evaluation": {"dataset": {"type": "synthetic", "rows": 56, "skip": 40}, "every": 1},
                  "callbacks": [{"type": "EarlyStopping", "patience": 2}])")},
      {"central_storage",
       scenario_text(two_gpus + R"(, "strategy": "central_storage")", R"("loss_scale": "global_rows")")},
      {"multi_worker_mirrored",
       scenario_text(
           R"("platform": {"virtual": {"devices": 2, "workers": 2}}, "cluster": {"chief": 1, "worker": 1},
                  "strategy": {"type": "multi_worker_mirrored", "communication_options": {"implementation": "nccl",
                  "timeout": "10 s"}})",
           R"("checkpointing": {"every": 2}, "epochs": 2)")},
      {"tpu", scenario_text(R"("platform": "tpu_v3", "strategy": "tpu")")},
      {"parameter_server", scenario_text(servers + R"(, "strategy": {"type": "parameter_server",
                                   "variable_partitioner": {"min_size": "256 KiB", "max_shards": 2}})")},
  };
}

class Programs : public testing::TestWithParam<Case> {};

TEST_P(Programs, AreAsTheyWere) {
  expect_golden(std::string(WT_TEST_DATA) + "/tensorflow/programs/" + GetParam().name + ".py",
                program_of(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(OfEachStrategy, Programs, testing::ValuesIn(cases()),
                         [](const auto& given) { return given.param.name; });

// ---- Files

// What is written for a scenario.
class Written {
 public:
  explicit Written(const std::string& text) : scenario(parsed(text)), job(scenario::build(scenario)) {
    OutputFolder folder(path());
    folder.begin("a test");
    names = write_program(scenario, job, "small.json", "VERSION", folder);
    folder.commit();
  }
  std::filesystem::path path() const { return folder_ / "program"; }

  scenario::Scenario scenario;
  scenario::Job job;
  std::vector<std::string> names{};

 private:
  test::TestFolder folder_{};
};

// Compares an entry of an archive with a tensor, byte for byte.
void expect_entry(const std::filesystem::path& archive, const std::string& name, std::string_view descriptor,
                  std::string_view shape, const Tensor& tensor) {
  const std::optional<std::string> bytes = model::keras::read_entry(archive, name + ".npy", 1 << 20);
  ASSERT_TRUE(bytes) << name;
  EXPECT_EQ(bytes->substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t header =
      10 + static_cast<unsigned char>((*bytes)[8]) + 256u * static_cast<unsigned char>((*bytes)[9]);
  EXPECT_EQ(header % 64, 0u);
  EXPECT_EQ(bytes->substr(10, header - 10)
                .find("{'descr': '" + std::string(descriptor) + "', 'fortran_order': False, 'shape': (" +
                      std::string(shape) + "), }"),
            0u)
      << bytes->substr(10, header - 10);
  ASSERT_EQ(bytes->size() - header, tensor.bytes().size());
  EXPECT_EQ(std::memcmp(bytes->data() + header, tensor.bytes().data(), tensor.bytes().size()), 0) << name;
}

TEST(Program, ReadsTheScenariosRowsAndWeights) {
  const Written written(scenario_text(R"("seed": 7)"));
  EXPECT_EQ(written.names, (std::vector<std::string>{"program.py", "weights.npz", "data.npz"}));
  const scenario::RowsOfJob rows = scenario::rows_of(written.scenario, written.job);
  const data::Element all = *rows.training.batch(40).iterate().next();
  expect_entry(written.path() / "data.npz", "x", "<f4", "40, 6", all[0]);
  expect_entry(written.path() / "data.npz", "y", all[1].type() == Type::int64 ? "<i8" : "<i4", "40,", all[1]);
  ASSERT_EQ(written.job.weights.size(), 4u);
  for (const model::Weight& weight : written.job.weights) {
    const bool is_kernel = weight.spec.shape.rank() == 2;
    expect_entry(written.path() / "weights.npz", weight.name, "<f4",
                 is_kernel ? fmt::format("{}, {}", weight.spec.shape[0], weight.spec.shape[1])
                           : fmt::format("{},", weight.spec.shape[0]),
                 model::initial_value(weight.initializer, weight.spec, weight.name, 7));
  }
}

TEST(Program, AsynchronousCheckpointsAreSavedByTheirOption) {
  const std::string program =
      program_of(scenario_text("", R"("checkpointing": {"asynchronous": true}, "epochs": 2)"));
  EXPECT_NE(
      program.find(
          "checkpoints.save(options=tf.train.CheckpointOptions(experimental_enable_async_checkpoint=True))"),
      std::string::npos);
}

TEST(Program, SkippedRowsAreNotWritten) {
  const Written whole(scenario_text("")),
      part(scenario_text("", R"("evaluation": {"dataset": {"type": "synthetic", "rows": 40, "skip": 30}})"));
  const data::Element all = *scenario::rows_of(whole.scenario, whole.job).training.batch(40).iterate().next();
  expect_entry(part.path() / "data.npz", "evaluation_x", "<f4", "10, 6", all[0].rows(30, 40));
}

TEST(Program, WithoutNumbersMakesItsRows) {
  const Written written(scenario_text(R"("numerics": "none")"));
  EXPECT_EQ(written.names, (std::vector<std::string>{"program.py"}));
  EXPECT_NE(program_of(scenario_text(R"("numerics": "none")")).find(".repeat(40)"), std::string::npos);
}

// ---- A cluster

std::map<std::string, cluster::TfConfig> configs_in(const std::filesystem::path& folder) {
  std::map<std::string, cluster::TfConfig> configs;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "tf_config"))
    configs.emplace(entry.path().filename().string(), cluster::parse_tf_config(test::bytes_of(entry.path())));
  return configs;
}

TEST(Program, EachTaskHasATfConfig) {
  const Written written(scenario_text(servers + R"(, "strategy": "parameter_server")"));
  const auto configs = configs_in(written.path());
  ASSERT_EQ(configs.size(), 5u);
  for (const auto& [name, config] : configs) {
    EXPECT_EQ(name, fmt::format("{}-{}.json", *config.task_type, *config.task_index));
    EXPECT_EQ(config.cluster.num_tasks("worker"), 2);
    EXPECT_EQ(config.cluster.num_tasks("ps"), 2);
    EXPECT_EQ(config.cluster.task_address("ps", 1), "small-ps-1.small:12345");
  }
}

TEST(Program, AddressesOfTheScenarioAreKept) {
  const Written written(scenario_text(
      R"("platform": {"virtual": {"devices": 2, "workers": 2}}, "strategy": "multi_worker_mirrored",
                                   "cluster": {"worker": ["a:1", "b:2"]})"));
  const auto configs = configs_in(written.path());
  ASSERT_EQ(configs.size(), 2u);
  EXPECT_EQ(configs.at("worker-1.json").cluster.task_address("worker", 0), "a:1");
}

// An indexed Job for each role, whose pods have the host names that TF_CONFIG names.
TEST(Program, KubernetesHasAServiceAndAJobForEachRole) {
  const Written written(scenario_text(servers + R"(, "strategy": "parameter_server")"));
  const json::Value manifest = json::parse_file(written.path() / "kubernetes.json");
  std::map<std::string, std::int64_t> completions;
  for (const json::Value& item : manifest.find("items")->elements())
    if (item.find("kind")->string() == "Job")
      completions[item.find("metadata")->find("name")->string()] =
          item.find("spec")->find("completions")->integer();
  EXPECT_EQ(completions,
            (std::map<std::string, std::int64_t>{{"small-chief", 1}, {"small-ps", 2}, {"small-worker", 2}}));
}

TEST(Program, SlurmStartsATaskForEachProcess) {
  const Written written(scenario_text(servers + R"(, "strategy": "parameter_server")"));
  const std::string script = test::bytes_of(written.path() / "job.sbatch");
  EXPECT_NE(script.find("#SBATCH --ntasks=5\n"), std::string::npos) << script;
  EXPECT_NE(script.find("#SBATCH --gpus-per-node=1\n"), std::string::npos) << script;
  EXPECT_NE(script.find("export ROLES=\"worker worker ps ps chief\"\n"), std::string::npos) << script;
}

// ---- Refusals

TEST(Program, RefusesWhatTensorFlowCannotDo) {
  EXPECT_NE(refusal_of(scenario_text(R"("platform": {"file": "dgx1_p100", "set": {"machines": 4}},
                                  "cluster": {"worker": 2, "ps": 2}, "strategy": "parameter_server_v1")"))
                .find("TensorFlow 1's"),
            std::string::npos);
  EXPECT_NE(refusal_of(scenario_text(two_gpus + R"(, "strategy": "mirrored")",
                                     R"("gradient_compression": "float16")"))
                .find("no compression"),
            std::string::npos);
  EXPECT_NE(refusal_of(scenario_text(R"("semantics": "tf20")")).find("TensorFlow"), std::string::npos);
  EXPECT_NE(
      refusal_of(scenario_text(R"("platform": {"virtual": {"devices": 3}}, "strategy": {"type": "mirrored",
                                  "cross_device_ops": "hierarchical_copy", "faithful": false})"))
          .find("odd number"),
      std::string::npos);
}

// Recorded: keras3/workers/workers_fit_2_data.
TEST(Program, RefusesFitOfSeveralWorkersUnderKeras3) {
  const std::string text = scenario_text(
      R"("platform": {"virtual": {"devices": 2, "workers": 2}}, "strategy": "multi_worker_mirrored")",
      R"("loop": "fit")");
  EXPECT_NE(refusal_of(text).find("ValueError"), std::string::npos);
  EXPECT_EQ(refusal_of(text, {"semantics=keras2"}), "none");
}

TEST(Program, RefusesMoreRowsThanAFileMayHave) {
  const scenario::Scenario scenario = parsed(scenario_text(""), {"dataset.rows=50000000"});
  test::TestFolder folder;
  OutputFolder out(folder / "program");
  out.begin("a test");
  try {
    write_program(scenario, scenario::build(scenario), "small.json", "VERSION", out);
    FAIL() << "it wrote all rows";
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().front().fact,
              "50000000 rows of 28 B each are more than the 1 GiB that data.npz may have");
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "program"));
}

}  // namespace
}  // namespace wt::tensorflow
