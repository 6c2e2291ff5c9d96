// Claim: what a scenario names is made as it says: the model, its rows in the order that is asked for, the
// learning rate of the batch.

#include "scenario/build.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "model/weights.h"
#include "scenario/parse.h"

namespace wt::scenario {
namespace {

namespace fs = std::filesystem;

Job job_of(const std::string& dataset, const std::string& model = R"("linear")",
           const std::string& loss = R"("mse")", const std::vector<std::string>& overrides = {}) {
  return build(parse(R"({"name": "n", "model": )" + model + R"(, "dataset": )" + dataset +
                         R"(, "training": {"optimizer": "sgd", "per_replica_batch": 4, "loss": )" + loss +
                         "}}",
                     "n.json", overrides));
}

std::vector<std::int64_t> batch_sizes(const data::Dataset& batches) {
  std::vector<std::int64_t> sizes;
  data::Iterator iterator = batches.iterate();
  while (const auto batch = iterator.next()) sizes.push_back(batch->at(0).shape()[0]);
  return sizes;
}

const std::string ones = R"({"type": "constant", "x": [1.0], "y": [1.0], "rows": 10)";

TEST(Build, TakesRowsInTheOrderThatIsDocumented) {
  EXPECT_EQ(batch_sizes(*job_of(ones + "}").batches), (std::vector<std::int64_t>{4, 4, 2}));
  EXPECT_EQ(batch_sizes(*job_of(ones + R"(, "drop_remainder": true})").batches),
            (std::vector<std::int64_t>{4, 4}));
  EXPECT_EQ(batch_sizes(*job_of(ones + R"(, "skip": 2, "take": 3, "repeat": 3})").batches),
            (std::vector<std::int64_t>{4, 4, 1}));
}

TEST(Build, MakesSyntheticRowsThatTheLossCanLearn) {
  const Job classes = job_of(R"({"type": "synthetic", "rows": 8})", R"("fashion_cnn")",
                             R"("sparse_categorical_crossentropy")");
  EXPECT_EQ(print(classes.inputs.at(0)), "float32[28,28,1]");
  EXPECT_EQ(print(classes.labels.at(0)), "int32[]");
  const Job numbers = job_of(R"({"type": "synthetic", "rows": 8})");
  EXPECT_EQ(print(numbers.inputs.at(0)), "float32[1]");
  EXPECT_EQ(print(numbers.labels.at(0)), "float32[1]");
}

// A model with three outputs: of one number, of two, and of three.
const std::string three_outputs = R"({"keras_json": {"class_name": "Functional", "config": {"name": "three",
    "layers": [
      {"class_name": "InputLayer", "name": "x", "config": {"batch_shape": [null, 2], "name": "x"},
       "inbound_nodes": []},
      {"class_name": "Dense", "name": "a", "config": {"name": "a", "units": 1},
       "inbound_nodes": [[["x", 0, 0, {}]]]},
      {"class_name": "Dense", "name": "b", "config": {"name": "b", "units": 2},
       "inbound_nodes": [[["x", 0, 0, {}]]]},
      {"class_name": "Dense", "name": "c", "config": {"name": "c", "units": 3},
       "inbound_nodes": [[["x", 0, 0, {}]]]}],
    "input_layers": [["x", 0, 0]], "output_layers": [["a", 0, 0], ["b", 0, 0], ["c", 0, 0]]}}})";
const std::string three_losses =
    R"(["mse", {"class_name": "MeanAbsoluteError", "config": {"reduction": "sum"}},
        "sparse_categorical_crossentropy"])";

// Each loss decides which labels its own output has.
TEST(Build, TakesALossAndAWeightForEachOutput) {
  const Job job = job_of(R"({"type": "synthetic", "rows": 8})", three_outputs, three_losses,
                         {"training.loss_weights=[1, 0.5, 2]"});
  std::string labels;
  for (const TensorSpec& spec : job.labels) labels += print(spec) + " ";
  EXPECT_EQ(labels, "float32[1] float32[2] int32[] ");
  ASSERT_EQ(job.loss.each.size(), 3u);
  EXPECT_EQ(job.loss.of(1).type->name, "MeanAbsoluteError");
  // In a custom loop a name is a function, and an object keeps its reduction.
  EXPECT_EQ(job.loss.of(0).options.reduction, model::LossReduction::none);
  EXPECT_EQ(job.loss.of(1).options.reduction, model::LossReduction::sum);
  EXPECT_EQ(job.loss.weight_of(1), 0.5);
  // One loss alone is that of all outputs.
  const Job one = job_of(R"({"type": "synthetic", "rows": 8})", three_outputs);
  EXPECT_EQ(one.loss.of(2).type->name, "MeanSquaredError");
  EXPECT_EQ(one.loss.weight_of(2), 1);
}

// Each loss learns labels of its own kind, whatever the inputs are.
TEST(Build, MakesSyntheticLabelsForEveryLoss) {
  const auto model = [](const std::string& input, int units) {
    return R"({"layers": [{"class_name": "Flatten", "config": {"batch_input_shape": [null, )" + input +
           R"(]}}, {"class_name": "Dense", "config": {"units": )" + std::to_string(units) + "}}]}";
  };
  const auto label = [&](const std::string& input, int units, const std::string& loss,
                         const std::string& more = "") {
    const Job job = job_of(R"({"type": "synthetic", "rows": 40)" + more + "}", model(input, units),
                           "\"" + loss + "\"", {"training.per_replica_batch=40"});
    return job.batches->iterate().next()->at(1);
  };
  const auto is_one_hot = [](const Tensor& rows) {
    const auto values = rows.values<float>();
    return std::ranges::count(values, 1.0F) == rows.shape()[0] &&
           std::ranges::count(values, 0.0F) == rows.shape()[0] * (rows.shape()[1] - 1);
  };
  for (const std::string input : {"6", "4, 4, 1", "5, 2"}) {
    EXPECT_EQ(print(label(input, 3, "mse").spec()), "float32[40,3]") << input;
    EXPECT_TRUE(is_one_hot(label(input, 3, "categorical_crossentropy"))) << input;
    EXPECT_TRUE(is_one_hot(label(input, 3, "mse", R"(, "labels": "one_hot")"))) << input;
    EXPECT_EQ(print(label(input, 3, "sparse_categorical_crossentropy").spec()), "int32[40]") << input;
    EXPECT_EQ(print(label(input, 2, "binary_crossentropy").spec()), "int32[40,2]") << input;
  }
  const Job several =
      job_of(R"({"type": "synthetic", "rows": 8, "labels": ["numbers", "binary", "one_hot"]})", three_outputs,
             R"("mse")");
  std::string specs;
  for (const TensorSpec& spec : several.labels) specs += print(spec) + " ";
  EXPECT_EQ(specs, "float32[1] int32[2] float32[3] ");
}

TEST(Build, TakesLossesWeightsAndMetricsByTheNamesOfOutputs) {
  const Job job = job_of(R"({"type": "synthetic", "rows": 8})", three_outputs,
                         R"({"c": "sparse_categorical_crossentropy", "b": "mae", "a": "mse"})",
                         {R"(training.loss_weights={"b": 2, "c": 3, "a": 1})",
                          R"(training.metrics={"c": "accuracy", "a": ["mse", "mae"]})"});
  EXPECT_EQ(job.loss.of(0).type->name, "MeanSquaredError");
  EXPECT_EQ(job.loss.of(2).type->name, "SparseCategoricalCrossentropy");
  EXPECT_EQ(job.loss.weights, (std::vector<double>{1, 2, 3}));
  ASSERT_EQ(job.metrics.of_each.size(), 3u);
  EXPECT_EQ(job.metrics.of_each[0].size(), 2u);
  EXPECT_TRUE(job.metrics.of_each[1].empty());
  EXPECT_EQ(job.metrics.of_each[2].at(0).name, "accuracy");
}

const std::string tiny_bert = R"({"zoo": "bert_tiny", "sequence": 16, "masked": 3, "vocabulary": 40})";

TEST(Build, MakesAsManyInputsAndLabelsAsTheModelWants) {
  const Job job = job_of(R"({"type": "synthetic", "rows": 80, "noise": 1})", tiny_bert,
                         R"("sparse_categorical_crossentropy")");
  std::string specs;
  for (const auto* list : {&job.inputs, &job.labels})
    for (const TensorSpec& spec : *list) specs += print(spec) + " ";
  EXPECT_EQ(specs, "int32[16] int32[16] int32[3] int32[3] int32[] ");
  const std::vector<std::int32_t> last_ids{39, 1, 15, 39, 1};  // words, segments, positions, words, follows
  std::vector<std::int32_t> largest(5);
  data::Iterator batches = job.batches->iterate();
  while (const auto batch = batches.next())
    for (std::size_t i = 0; i < 5; ++i)
      for (const std::int32_t id : batch->at(i).values<std::int32_t>()) {
        EXPECT_GE(id, 0);
        largest[i] = std::max(largest[i], id);
      }
  for (std::size_t i = 0; i < 5; ++i) EXPECT_LE(largest[i], last_ids[i]) << i;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(largest[i], last_ids[i]) << i;  // all of them are drawn
}

TEST(Build, LearnsTheNextTokenOnlyWhereEveryTokenHasAnOutput) {
  const std::string layers = R"({"layers": [
      {"class_name": "Embedding", "config": {"input_dim": 7, "output_dim": 2, "batch_input_shape": [null, 5]}},
      {"class_name": "Flatten", "config": {}},
      {"class_name": "Dense", "config": {"units": 20}}]})";
  const Job job = job_of(
      R"({"type": "synthetic", "rows": 40})", layers,
      R"({"class_name": "SparseCategoricalCrossentropy", "config": {"from_logits": true, "reduction": "none"}})");
  EXPECT_EQ(print(job.labels.at(0)), "int32[]");
  const Tensor ids = job.batches->iterate().next()->at(0);
  for (const float id : ids.values<float>()) EXPECT_LT(id, 7);
}

TEST(Build, EvaluatesOnOtherRowsOfTheSameSyntheticData) {
  const Job job =
      job_of(R"({"type": "synthetic", "rows": 8})", R"("linear")", R"("mse")",
             {R"(training.evaluation={"dataset": {"type": "synthetic", "rows": 12, "skip": 8}})"});
  data::Iterator trained = job.batches->iterate(), evaluated = job.evaluation->iterate();
  const Tensor first = trained.next()->at(0), other = evaluated.next()->at(0);
  EXPECT_EQ(batch_sizes(*job.evaluation), (std::vector<std::int64_t>{4}));
  EXPECT_NE(first.values<float>()[0], other.values<float>()[0]);
}

TEST(Build, EvaluatesOnTheTrainingsRowsInOrder) {
  const Job job =
      job_of(R"({"type": "synthetic", "rows": 10, "shuffle": {}, "repeat": 2, "drop_remainder": true})",
             R"("linear")", R"("mse")", {"training.evaluation={}"});
  EXPECT_EQ(batch_sizes(*job.batches), (std::vector<std::int64_t>{4, 4, 4, 4, 4}));
  EXPECT_EQ(batch_sizes(*job.evaluation), (std::vector<std::int64_t>{4, 4, 2}));
}

TEST(Build, ResolvesAccuracyByTheModelsOutput) {
  const Job job = job_of(R"({"type": "synthetic", "rows": 8})", R"("fashion_cnn")",
                         R"("sparse_categorical_crossentropy")", {R"(training.metrics=["accuracy"])"});
  ASSERT_EQ(job.metrics.of_all.size(), 1u);
  ASSERT_NE(job.metrics.of_all[0].type, nullptr);
  EXPECT_EQ(job.metrics.of_all[0].type->name, "SparseCategoricalAccuracy");
}

TEST(Build, P16P17LooksTheLearningRateUpByTheGlobalBatch) {
  const Job job = job_of(ones + "}", R"("linear")", R"("mse")",
                         {R"(training.learning_rate_by_batch={"4": 0.175, "8": 0.3})"});
  EXPECT_EQ(job.optimizer.learning_rate, 0.175);
}

TEST(Build, MakesAModelOfLayersThatAreWrittenInTheScenario) {
  const Job job = job_of(ones + "}", R"({"name": "mine", "layers": [
      {"class_name": "Dense", "config": {"units": 3, "batch_input_shape": [null, 1]}},
      {"class_name": "Dense", "config": {"units": 1}}]})");
  EXPECT_EQ(job.model->name(), "mine");
  EXPECT_EQ(model::count_parameters(job.weights).total(), 10);
}

TEST(Build, LearnsTheShapeOfRowsFromTheDataWhereTheModelDoesNotKnowIt) {
  const Job job = job_of(ones + "}", R"({"layers": [{"class_name": "Dense", "config": {"units": 1}}]})");
  EXPECT_EQ(model::count_parameters(job.weights).total(), 2);
}

TEST(Build, MakesEveryScenarioOfTheHouse) {
  const fs::path top = WT_SOURCE_DIR;
  for (const char* name :
       {"mirrored_small_batch", "linear_fit", "fashion_cnn_custom_loop", "logistic_custom_loop"}) {
    SCOPED_TRACE(name);
    EXPECT_NO_THROW(build(parse_file(top / "scenarios" / (std::string(name) + ".json"))));
  }
}

TEST(Build, ReadsTheReferenceRuns) {
  const fs::path cases = fs::path(WT_TEST_DATA) / "oracle";
  const std::vector<std::pair<const char*, std::size_t>> steps{
      {"linear_sgd", 20}, {"mlp_momentum", 12}, {"mlp_uneven", 5}, {"fashion_cnn_adam", 6}};
  for (const auto& [name, count] : steps) {
    SCOPED_TRACE(name);
    const Job job = build(parse_file(cases / name / "scenario.json"));
    EXPECT_EQ(batch_sizes(*job.batches).size(), count);
    EXPECT_EQ(job.initial_weights.size(), job.weights.size());
  }
}

}  // namespace
}  // namespace wt::scenario
