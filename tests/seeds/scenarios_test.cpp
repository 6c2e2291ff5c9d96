// Claims: the documents' programs as scenarios print what TensorFlow printed, line by line, on the recorded data and with the
// recorded first weights; and their checkpoints have the recorded names.

#include "base/json_writer.h"
#include "cli/command.h"
#include "model/zoo.h"
#include "seeds/images.h"
#include "tensor/safetensors.h"
#include "train/checkpoint.h"

namespace wt::test::seeds {
namespace {

using Words = std::vector<std::string>;

// A run of a scenario in scenarios/seeds, with files in a folder of its own.
class SeedsScenario {
 public:
  explicit SeedsScenario(const std::string& name)
      : words_{"run", scenario_file("seeds/" + name), "--out", (folder_.path() / "out").string()} {}

  void set(const std::string& key, const std::string& value) {
    words_.insert(words_.end(), {"--set", key + "=" + value});
  }
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  void begin_with(const std::map<std::string, Tensor>& weights) {
    write_safetensors(file("first.safetensors"), {.tensors = weights});
    set("model.weights", file("first.safetensors").string());
  }
  void take_replicas(std::int64_t replicas) {
    set("platform", fmt::format(R"({{"virtual": {{"devices": {}}}}})", replicas));
  }
  void take_semantics(const Recording& recording) { set("semantics", recording.version); }
  // The recorded programs build their optimizer before the loop, without which Keras 3 ends it.
  void take_built_optimizer(const Recording& recording) {
    if (recording.version == "keras3") set("training.build_optimizer", "true");
  }

  // What the program says of wrong input.
  std::string refusal() const {
    const Said said = call(words_);
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << said.results;
    return said.messages;
  }

  // The first lines of standard output, which are the program's own.
  std::vector<std::string> first_lines(std::size_t count) {
    const Said said = call(words_);
    EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
    std::vector<std::string> lines;
    std::istringstream text(said.results);
    for (std::string line; lines.size() < count && std::getline(text, line);) lines.push_back(line);
    return lines;
  }

 private:
  TemporaryFolder folder_{};
  Words words_;
};

std::string images_in(SeedsScenario& run, const std::string& name, std::int64_t count, std::uint32_t seed) {
  const Images images(count, seed);
  write_safetensors(run.file(name), {.tensors = {{"x", images.pixels}, {"y", images.labels}}});
  return fmt::format(R"({{"type": "safetensors", "file": "{}"}})", run.file(name).string());
}

// The tutorial on the recorded images, with the recorded number of replicas.
void take_recorded_images(SeedsScenario& run, const Recording& recording) {
  run.set("dataset", images_in(run, "train.safetensors", config_number(recording, "train"), 1));
  run.take_replicas(config_number(recording, "replicas"));
  run.take_semantics(recording);
  run.take_built_optimizer(recording);
  run.set("training.per_replica_batch", fmt::format("{}", config_number(recording, "per replica")));
  run.set("model", R"({"zoo": "fashion_cnn"})");
  run.begin_with(first_weights(*model::zoo_model("fashion_cnn").build()));
}

double number_in(const json::Value& row, const std::string& key) {
  return numbers_of(*row.find(key)).front();
}

TEST(P1_P23_L16, TheTutorialAsAScenarioPrintsItsKoreanLines) {
  int count = 0;
  for (const Recording* recording : family("loop_each_epoch")) {
    SeedsScenario run("tutorial_custom_loop");
    take_recorded_images(run, *recording);
    run.set("training.epochs", fmt::format("{}", config_number(*recording, "epochs")));
    run.set("training.evaluation.dataset",
            images_in(run, "test.safetensors", config_number(*recording, "test"), 2));
    Words wanted_lines{fmt::format("장치의 수: {}", config_number(*recording, "replicas"))};
    for (const json::Value& row : wanted(*recording, "table").elements())
      wanted_lines.push_back(
          fmt::format("에포크 {}, 손실: {}, 정확도: {}, 테스트 손실: {}, 테스트 정확도: {}",
                      row.find("epoch")->integer(), number_in(row, "loss"), number_in(row, "accuracy x 100"),
                      number_in(row, "test loss"), number_in(row, "test accuracy x 100")));
    wanted_lines.push_back(fmt::format("전략을 사용하지 않고, 저장된 모델을 복원한 후의 정확도: {}",
                                       numbers_of(wanted(*recording, "restored accuracy x 100")).front()));
    expect_lines(at(*recording, "scenario"), wanted_lines, run.first_lines(wanted_lines.size()));
    for (const json::Value& saved : wanted(*recording, "saved").elements())
      EXPECT_TRUE(std::filesystem::exists(run.file("out/training_checkpoints") /
                                          (saved.find("path")->string() + ".safetensors")))
          << recording->id;
    ++count;
  }
  EXPECT_GE(count, 6);
}

TEST(AP12, TenStepsAsAScenarioPrintTheirLine) {
  for (const Recording* recording : family("loop_iterator")) {
    SeedsScenario run("tutorial_ten_steps");
    take_recorded_images(run, *recording);
    if (const json::Value* error = recording->error("iterator runs out");
        error != nullptr && error->find("type")->kind() != json::Kind::null) {
      EXPECT_NE(run.refusal().find("10 steps want as many batches"), std::string::npos) << recording->id;
      continue;
    }
    const json::Value& row = wanted(*recording, "table").elements().front();
    expect_lines(at(*recording, "scenario"),
                 {fmt::format("에포크 10, 손실: {}, 정확도: {}", number_in(row, "loss"),
                              number_in(row, "accuracy x 100"))},
                 run.first_lines(1));
  }
}

std::map<std::string, Tensor> linear_weights(const Recording& recording) {
  std::map<std::string, Tensor> weights;
  for (const auto& [name, tensor] : recording.tensors())
    if (name.starts_with("initial/")) weights["dense/" + name.substr(name.rfind('/') + 1)] = tensor;
  return weights;
}

// Times are simulated here, and TIME in the recording.
std::string without_times(const std::string& line) {
  static const std::regex whole(" - [0-9]+s -"), of_each("[0-9]+(us|ms|s)/(epoch|step)");
  return std::regex_replace(std::regex_replace(line, whole, " - TIME -"), of_each, "TIME/$2");
}

TEST(P3_P13, TheGuidesFitAsAScenarioPrintsKerasLines) {
  for (const Recording* recording : family("fit_dataset_100_")) {
    if (recording->value("printed fit") == nullptr) continue;  // Keras 3 refused the batch
    SeedsScenario run("guide_fit");
    run.take_replicas(config_number(*recording, "replicas"));
    run.take_semantics(*recording);
    run.set("model", R"({"zoo": "linear"})");
    run.begin_with(linear_weights(*recording));
    Words lines = run.first_lines(5);
    for (std::string& line : lines) line = without_times(line);
    Words wanted_lines = texts_of(*wanted(*recording, "printed fit").find("out"));
    wanted_lines.push_back(fmt::format("evaluate: {}", numbers_of(wanted(*recording, "evaluate")).front()));
    expect_lines(at(*recording, "scenario"), wanted_lines, lines);
  }
}

TEST(P7_L11, TheGuidesLoopsAsScenariosPrintEachStep) {
  for (const Recording* recording : family("guide_")) {
    const std::string kind = config_text(*recording, "kind");
    const bool is_binary = kind == "binary";
    if (kind == "softmax_central" || (!is_binary && config_number(*recording, "classes") != 3)) continue;
    SeedsScenario run(is_binary ? "guide_custom_loop" : "guide_mean_along_axis");
    run.take_replicas(config_number(*recording, "replicas"));
    run.take_semantics(*recording);
    if (is_binary) run.set("model", R"({"zoo": "linear"})");
    run.begin_with(linear_weights(*recording));
    const Words wanted_lines = texts_of(*wanted(*recording, "printed loop").find("out"));
    expect_lines(at(*recording, "scenario"), wanted_lines, run.first_lines(wanted_lines.size()));
  }
}

// ---- Any number of replicas

// A training of 51 rows in batches of 24, whose last one has 3.
std::vector<double> losses_on(std::int64_t replicas, const std::string& reported,
                              const std::string& more = "") {
  SeedsScenario run("guide_custom_loop");
  run.take_replicas(replicas);
  run.set("dataset.rows", "51");
  run.set("training",
          fmt::format(R"({{"loss": {{"class_name": "BinaryCrossentropy", "config": {{"from_logits": true, )"
                      R"("reduction": "none"}}}}, "optimizer": "sgd", "global_batch": 24, )"
                      R"("reported_loss": "{}", "print": {{"step": "{{step}} {{loss}}"}}{}}})",
                      reported, more));
  std::vector<double> losses;
  for (const std::string& line : run.first_lines(3)) losses.push_back(Line(line).numbers.at(1));
  return losses;
}

TEST(P7, TheSameGlobalBatchHasTheSameLossesOnOneTwoThreeAndEightReplicas) {
  const std::vector<double> alone = losses_on(1, "sum");
  for (const int replicas : {2, 3, 8})
    expect_close(fmt::format("{}", replicas), alone, losses_on(replicas, "sum"), 1e-6);
}

// MEAN along axis 0 divides by the rows that are there, and the scaled sum by the nominal batch.
TEST(AP9_L11, MeansAlongTheAxisDifferFromSumsInThePartialStep) {
  for (const int replicas : {1, 2, 3, 8}) {
    const std::vector<double> sums = losses_on(replicas, "sum"), means = losses_on(replicas, "mean");
    EXPECT_DOUBLE_EQ(sums[0], means[0]);
    EXPECT_DOUBLE_EQ(sums[1], means[1]);
    EXPECT_NEAR(sums[2] * 24 / 3, means[2], 1e-6);
  }
}

TEST(AP9_L11, AMeanThatIsNotKnownIsRefused) {
  const auto refused = [](const std::string& name, const Words& overrides) {
    Words words{"validate", scenario_file("seeds/" + name)};
    for (const std::string& each : overrides) words.insert(words.end(), {"--set", each});
    const Said said = call(words);
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << name;
    return said.messages;
  };
  EXPECT_NE(
      refused("guide_fit", {"training.reported_loss=mean"}).find("only a loop of one's own chooses the loss"),
      std::string::npos);
  const std::string regularized =
      R"(model={"layers": [{"class_name": "Dense", "config": {"units": 3, "batch_input_shape": [null, 1], )"
      R"("kernel_regularizer": {"class_name": "L2", "config": {"l2": 0.1}}}}]})";
  EXPECT_NE(refused("guide_mean_along_axis", {regularized}).find("penalties"), std::string::npos);
  EXPECT_NE(refused("guide_fit", {"training.verbose=1"}).find("moving bar"), std::string::npos);
}

// Saved are the first epoch and each `every` epochs from there, and the last one in any case.
TEST(P23, CheckpointsAreSavedFromTheFirstEpochOn) {
  const auto saved = [](const std::string& checkpointing, int epochs) {
    const TemporaryFolder folder;
    const std::string out = (folder.path() / "out").string();
    call({"run", scenario_file("seeds/guide_custom_loop"), "--out", out, "--set", "dataset.rows=10", "--set",
          "training.checkpointing=" + checkpointing, "--set", fmt::format("training.epochs={}", epochs)});
    return train::latest_checkpoint(folder.path() / "out/checkpoints")->filename().string();
  };
  EXPECT_EQ(saved(R"({"every": 2})", 5), "ckpt-3");              // after 2, 4 and 5
  EXPECT_EQ(saved(R"({"every": 2, "first": 1})", 5), "ckpt-3");  // after 1, 3 and 5
  EXPECT_EQ(saved(R"({"every": 3, "first": 2})", 5), "ckpt-2");  // after 2 and 5
  EXPECT_EQ(saved(R"({"every": 2, "first": 1})", 4), "ckpt-3");  // after 1, 3 and 4
}

// ---- What is wrong with a line is said before the training.

TEST(L16, WrongFieldsAndFormatsAreNamedWithASuggestion) {
  const auto refused = [](const std::string& key, const std::string& line) {
    const Said said = call({"validate", scenario_file("seeds/tutorial_custom_loop"), "--set",
                            "training.print." + key + "=" + json::quote(line)});
    EXPECT_EQ(said.exit, cli::Exit::input_wrong) << line;
    return said.messages;
  };
  EXPECT_NE(refused("epoch", "Loss: {los}").find("did you mean \"loss\"?"), std::string::npos);
  EXPECT_NE(refused("epoch", "Loss: {loss:q}").find("no format for \"loss\""), std::string::npos);
  EXPECT_NE(refused("epoch", "Loss: {loss").find("stands alone"), std::string::npos);
  EXPECT_NE(refused("begin", "{loss}").find("there is no field \"loss\""), std::string::npos);
  EXPECT_NE(refused("step", "{val_loss}").find("there is no field \"val_loss\""), std::string::npos);
}

TEST(L16, LinesAreMessagesWhereStandardOutputIsData) {
  const TemporaryFolder folder;
  const Said said = call({"run", scenario_file("seeds/guide_custom_loop"), "--json", "--set",
                          "dataset.rows=20", "--out", (folder.path() / "out").string()});
  EXPECT_EQ(said.exit, cli::Exit::done) << said.messages;
  EXPECT_EQ(said.results.front(), '{');
  EXPECT_NE(said.messages.find("tf.Tensor("), std::string::npos) << said.messages;
}

}  // namespace
}  // namespace wt::test::seeds
