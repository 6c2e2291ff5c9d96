// Claim: a scenario becomes plain data with every default filled in; files are found from where they were
// named; what the command line sets is as good as written.

#include "scenario/parse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scenario/resolved.h"

namespace wt::scenario {
namespace {

constexpr const char* small = R"({
  "name": "small",
  "model": "linear",
  "dataset": { "type": "synthetic", "rows": 20 },
  "training": { "loss": "mse", "optimizer": "sgd", "per_replica_batch": 4 }
})";

Scenario small_with(const std::vector<std::string>& overrides) {
  return parse(small, "folder/small.json", overrides);
}

TEST(Parse, FillsInWhatIsLeftOut) {
  const Scenario scenario = small_with({});
  EXPECT_EQ(scenario.strategy->name(), "default");
  EXPECT_EQ(scenario.numerics, Numerics::cpu);
  EXPECT_EQ(scenario.semantics, model::Semantics::keras3);
  EXPECT_EQ(scenario.training.loop, Loop::custom);
  EXPECT_EQ(scenario.training.epochs, 1);
  EXPECT_EQ(scenario.training.loss_scale, LossScale::global_batch);
  EXPECT_EQ(std::get<SyntheticData>(scenario.dataset.source).seed, 0);
  EXPECT_EQ(scenario.global_batch(), 4);
}

TEST(Parse, ScalesTheLossOfFitAsKerasDoes) {
  EXPECT_EQ(small_with({"training.loop=fit"}).training.loss_scale, LossScale::keras);
}

TEST(Parse, GivesEveryRandomThingTheScenariosSeed) {
  const Scenario scenario = small_with({"seed=7", "dataset.shuffle={}"});
  EXPECT_EQ(std::get<SyntheticData>(scenario.dataset.source).seed, 7);
  EXPECT_EQ(scenario.dataset.shuffle->seed, 7);
}

TEST(Parse, FindsFilesFromTheFolderOfTheScenario) {
  const std::string text = R"({
    "name": "n", "model": { "zoo": "linear", "weights": "first/../w.safetensors" },
    "dataset": { "type": "safetensors", "file": "/data/rows.safetensors" },
    "training": { "loss": "mse", "optimizer": "sgd", "per_replica_batch": 4 }
  })";
  const Scenario scenario = parse(text, "some/folder/n.json");
  EXPECT_EQ(scenario.model.weights->path, "some/folder/w.safetensors");
  EXPECT_EQ(std::get<SafetensorsData>(scenario.dataset.source).file.path, "/data/rows.safetensors");
}

TEST(Parse, FindsFilesOfTheCommandLineFromWhereTheProgramStarted) {
  const Scenario scenario = small_with({R"(dataset={"type": "safetensors", "file": "rows.safetensors"})"});
  EXPECT_EQ(std::get<SafetensorsData>(scenario.dataset.source).file.path, "rows.safetensors");
}

TEST(Parse, TakesJsonAndPlainWordsFromTheCommandLine) {
  const Scenario scenario = small_with({"training.epochs=3", "name=another", "training.optimizer=\"adam\"",
                                        "training.metrics=[\"mse\"]", "training.metrics.0=mae"});
  EXPECT_EQ(scenario.training.epochs, 3);
  EXPECT_EQ(scenario.name, "another");
  EXPECT_EQ(scenario.training.optimizer.written->string(), "adam");
  ASSERT_EQ(scenario.training.metrics.lists.front().size(), 1u);
  EXPECT_EQ(scenario.training.metrics.lists.front()[0].written->string(), "mae");
}

TEST(Parse, KnowsWhereEveryKeyStands) {
  const Scenario scenario = small_with({"training.epochs=3"});
  EXPECT_EQ(scenario.place("dataset.rows").line, 4);
  EXPECT_EQ(scenario.place("dataset.shuffle.seed").line, 4);  // of the dataset, which has none
  EXPECT_EQ(scenario.place("training.epochs").file, "--set");
  EXPECT_EQ(scenario.place("training.epochs").column, 17);
  EXPECT_EQ(scenario.place("host.threads").line, 1);
}

// Keras 2 writes its number into the file, and Keras 3 none.
TEST(Parse, FollowsTheVersionThatWroteTheModelsFile) {
  const auto semantics = [](const std::string& era, const std::vector<std::string>& overrides = {}) {
    const std::string text = fmt::format(R"({{
      "name": "n", "model": {{ "keras_json": "{}/model/keras/linear.{}.json" }},
      "dataset": {{ "type": "synthetic", "rows": 20 }},
      "training": {{ "loss": "mse", "optimizer": "sgd", "per_replica_batch": 4 }} }})",
                                         WT_TEST_DATA, era);
    return parse(text, "n.json", overrides).chosen_semantics();
  };
  EXPECT_TRUE(
      semantics("keras2_old").starts_with("keras2 (TensorFlow 2.x with Keras 2.15), as Keras 2.4.0 wrote "));
  EXPECT_TRUE(
      semantics("keras2_13").starts_with("keras2 (TensorFlow 2.x with Keras 2.15), as Keras 2.15.0 wrote "));
  EXPECT_TRUE(semantics("keras3").starts_with("keras3 (Keras 3 on TensorFlow), as Keras 3 wrote "));
  EXPECT_EQ(semantics("keras2_13", {"semantics=tf20"}), "tf20 (TensorFlow 2.0), as the scenario says");
  EXPECT_EQ(small_with({}).chosen_semantics(), "keras3 (Keras 3 on TensorFlow), the default");
}

TEST(Parse, ReadsNumbersOfOneRow) {
  const std::string text = R"({
    "name": "n", "model": "linear", "dataset": { "type": "constant", "x": [[1, 2, 3], [4, 5, 6]], "y": 7, "rows": 2 },
    "training": { "loss": "mse", "optimizer": "sgd", "per_replica_batch": 4 }
  })";
  const auto source = std::get<ConstantData>(parse(text, "n.json").dataset.source);
  EXPECT_EQ(source.x.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(source.x.values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(source.y.shape.empty());
  EXPECT_EQ(source.y.values, (std::vector<double>{7}));
}

TEST(Parse, MakesAFoldersNameOfAnyName) {
  EXPECT_EQ(slug("fashion CNN, mirrored over two GPUs"), "fashion_cnn_mirrored_over_two_gpus");
  EXPECT_EQ(slug("../../etc"), "etc");
  EXPECT_EQ(slug("größe"), "gr_e");
  EXPECT_EQ(slug("..."), "scenario");
}

}  // namespace
}  // namespace wt::scenario
