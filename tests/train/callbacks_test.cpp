// Claims: names of files are filled as Python's str.format fills them; a CSV log is, byte for byte, the one that Keras
// wrote from the same numbers; Keras 2 and 3 find out by a name or a metric which way is better, each by its own rule; a
// callback that cannot be carried out is refused with its argument; the best after some steps are saved where Keras saves
// them, and where Keras 3 fails it is refused before.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "model/layers/dense.h"
#include "model/layers/input.h"
#include "model/sequential.h"
#include "support/folder.h"
#include "train/callbacks.h"
#include "train/callbacks/file_name.h"
#include "train/callbacks/monitor.h"
#include "train/machine.h"

namespace wt::train {
namespace {

// ---- Names of files

// What Python 3.11 prints for these patterns.
TEST(FileName, IsFilledAsPythonFillsIt) {
  const Fields fields{{"epoch", std::int64_t{7}}, {"val_loss", 0.125}, {"loss", 1.0}, {"acc", 1e-7}};
  EXPECT_EQ(filled("w.{epoch:02d}-{val_loss:.2f}.safetensors", fields), "w.07-0.12.safetensors");
  EXPECT_EQ(filled("{epoch}/{loss}/{val_loss}/{acc}", fields), "7/1.0/0.125/1e-07");
  EXPECT_EQ(filled("{{{epoch:>4}}}{loss:e}{epoch:x}", fields), "{   7}1.000000e+007");
  EXPECT_EQ(filled("{val_loss:8.3f}|{epoch:<3d}|{epoch:+d}", fields), "   0.125|7  |+7");
}

TEST(FileName, WithAFieldThatIsNotThereIsRefused) {
  const Fields fields{{"epoch", std::int64_t{7}}, {"val_loss", 0.125}};
  for (const auto* pattern : {"{epoc}", "{epoch:.2f", "a}", "{", "{epoch:02z}", "{val_loss:d}", "{}"})
    EXPECT_THROW(filled(pattern, fields), InputError) << pattern;
}

// ---- CSV logs

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ';');) fields.push_back(field);
  return fields;
}

class EachKeras : public testing::TestWithParam<model::Semantics> {
 protected:
  bool is_keras3() const { return GetParam() == model::Semantics::keras3; }
  CallbackContext context(const std::vector<model::Metric>& metrics) {
    return {.model = model_,
            .state = state_,
            .optimizer = optimizer_,
            .metrics = metrics,
            .semantics = GetParam(),
            .file = [this](const std::string& name) { return folder_ / name; },
            .note = [this](const std::string& text) { notes_.push_back(text); }};
  }

  test::TestFolder folder_{};
  std::vector<std::string> notes_{};
  model::Optimizer optimizer_ = model::optimizer_named("sgd");
  State state_{1};
  test::Machine machine_{};
  Model model_{nullptr, state_, machine_};
};
INSTANTIATE_TEST_SUITE_P(Callbacks, EachKeras,
                         testing::Values(model::Semantics::keras2, model::Semantics::keras3),
                         [](const auto& test) { return std::string(model::name(test.param)); });

// The numbers of Keras' own log are given to the callback, which has to write the same bytes.
TEST_P(EachKeras, LogsAsItsCsvLogger) {
  const std::string theirs = content_of(std::string(WT_TEST_DATA) + "/train/callbacks/log." +
                                        std::string(model::name(GetParam())) + ".csv");
  ASSERT_FALSE(theirs.empty());
  {
    Callbacks callbacks({CSVLogger{.filename = "log.csv", .separator = ";"}}, context({}));
    std::istringstream lines(theirs);
    std::string line;
    std::getline(lines, line);
    line.pop_back();
    const std::vector<std::string> columns = fields_of(line);
    for (std::int64_t epoch = 0; std::getline(lines, line); ++epoch) {
      line.pop_back();  // "\r"
      const std::vector<std::string> values = fields_of(line);
      EpochLogs logs;
      for (std::size_t i = 1; i < values.size(); ++i)
        if (values[i] != "NA") logs[columns[i]] = {std::stod(values[i]), columns[i] == "lr"};
      callbacks.end_epoch(epoch, logs);
    }
  }
  EXPECT_EQ(content_of(folder_ / "log.csv"), theirs);
}

// ---- Which way is better

std::optional<bool> larger(const std::string& name, Watcher by, model::Semantics semantics) {
  const std::vector<model::Metric> metrics{
      model::metric_named("accuracy"), model::metric_named("mse"), model::metric_named("AUC", "area"),
      model::metric_named("CosineSimilarity", "cosine"), model::metric_named("TruePositives", "hits")};
  return larger_is_better({name, Mode::automatic, 0, by}, metrics, semantics);
}

TEST(Monitor, Keras2GuessesByTheName) {
  const auto guess = [](const std::string& name, Watcher by) {
    return *larger(name, by, model::Semantics::keras2);
  };
  for (const Watcher by : {Watcher::early_stopping, Watcher::plateau, Watcher::checkpoint}) {
    EXPECT_TRUE(guess("val_accuracy", by));
    EXPECT_FALSE(guess("val_loss", by));
    EXPECT_FALSE(guess("area", by));
  }
  EXPECT_TRUE(guess("val_auc", Watcher::early_stopping));
  EXPECT_FALSE(guess("val_auc", Watcher::plateau));
  EXPECT_FALSE(guess("acc_of_a", Watcher::early_stopping));
  EXPECT_TRUE(guess("acc_of_a", Watcher::plateau));
  EXPECT_TRUE(guess("fmeasure", Watcher::checkpoint));
}

TEST(Monitor, Keras3AsksTheMetric) {
  const auto ask = [](const std::string& name) {
    return larger(name, Watcher::plateau, model::Semantics::keras3);
  };
  EXPECT_EQ(ask("val_accuracy"), true);
  EXPECT_EQ(ask("val_area"), true);
  EXPECT_EQ(ask("cosine"), true);
  EXPECT_EQ(ask("mse"), false);
  EXPECT_EQ(ask("val_loss"), false);
  EXPECT_EQ(ask("hits"), std::nullopt);
  EXPECT_EQ(ask("nothing"), std::nullopt);
}

// Keras 3.15's metrics by their _direction.
TEST(Monitor, EveryMetricOfKeras3HasItsDirection) {
  const std::vector<std::string_view> neither{
      "FalseNegatives", "FalsePositives",   "Mean", "MeanTensor", "Sum", "TrueNegatives",
      "TruePositives",  "MeanRelativeError"};
  const std::vector<std::string_view> smaller{"BinaryCrossentropy",
                                              "CategoricalCrossentropy",
                                              "CategoricalHinge",
                                              "Hinge",
                                              "KLDivergence",
                                              "LogCoshError",
                                              "MeanAbsoluteError",
                                              "MeanSquaredError",
                                              "MeanAbsolutePercentageError",
                                              "MeanSquaredLogarithmicError",
                                              "Poisson",
                                              "RootMeanSquaredError",
                                              "SquaredHinge",
                                              "SparseCategoricalCrossentropy"};
  for (const model::MetricClass& row : model::metrics()) {
    const auto is_in = [&](const auto& names) { return std::ranges::find(names, row.name) != names.end(); };
    EXPECT_EQ(row.better, is_in(neither)   ? model::Better::unknown
                          : is_in(smaller) ? model::Better::smaller
                                           : model::Better::larger)
        << row.name;
  }
}

// ---- What cannot be

std::vector<CallbackProblem> problems(const Callback& callback, const model::Optimizer& optimizer) {
  const std::vector<model::Metric> metrics{model::metric_named("TruePositives", "hits")};
  return problems_of(callback, {optimizer, metrics, {"loss", "hits", "val_loss"}});
}

TEST(Problems, NameTheArgument) {
  const model::Optimizer sgd = model::optimizer_named("sgd");
  const auto key_of = [&](const Callback& callback) {
    const auto found = problems(callback, sgd);
    return found.empty() ? "" : std::string(found.front().key);
  };
  EXPECT_EQ(key_of(EarlyStopping{}), "");
  EXPECT_EQ(key_of(EarlyStopping{.monitor = "val_los"}), "monitor");
  EXPECT_EQ(key_of(EarlyStopping{.monitor = "hits"}), "monitor");
  EXPECT_EQ(key_of(EarlyStopping{.monitor = "hits", .mode = Mode::max}), "");
  EXPECT_EQ(key_of(ReduceLROnPlateau{.factor = 1}), "factor");
  EXPECT_EQ(key_of(CSVLogger{.filename = "a", .separator = ", "}), "separator");
  EXPECT_EQ(key_of(ModelCheckpoint{.filepath = "a.h5"}), "filepath");
  EXPECT_EQ(key_of(ModelCheckpoint{.filepath = "{hits:.0f}.safetensors"}), "");
  EXPECT_EQ(key_of(ModelCheckpoint{.filepath = "{hits}.safetensors", .save_freq = 3}), "");
  EXPECT_EQ(key_of(ModelCheckpoint{.filepath = "{val_loss}.safetensors", .save_freq = 3}), "filepath");
}

TEST(Problems, P9_AScheduledRateIsNotSettable) {
  Problems reading;
  const auto scheduled = model::read_optimizer(
      json::parse(
          R"({"class_name": "SGD", "config": {"learning_rate": {"class_name": "ExponentialDecay", "config":
                     {"initial_learning_rate": 0.1, "decay_steps": 2, "decay_rate": 0.5}}}})",
          "optimizer"),
      reading);
  ASSERT_TRUE(scheduled);
  EXPECT_EQ(problems(LearningRateScheduler{{0.1}}, *scheduled).size(), 1U);
  EXPECT_EQ(problems(ReduceLROnPlateau{}, *scheduled).size(), 1U);
  EXPECT_EQ(problems(EarlyStopping{}, *scheduled).size(), 0U);
}

// ---- The best after some steps

double number_in(const json::Value& value) {
  return value.kind() == json::Kind::integer ? static_cast<double>(value.integer()) : value.real();
}

Tensor recorded_tensor(const json::Value& recorded, std::string_view name, const Shape& shape) {
  std::vector<float> numbers;
  for (const json::Value& number : recorded.find(name)->elements())
    numbers.push_back(static_cast<float>(number_in(number)));
  return Tensor::of<float>(shape, numbers);
}

class BestCheckpoints : public EachKeras {
 protected:
  static constexpr std::int64_t rows = 18, features = 3, batch = 4, steps_per_epoch = 5, epochs = 4;

  json::Value recorded_ = json::parse_file(std::string(WT_TEST_DATA) + "/train/callbacks/checkpoints." +
                                           std::string(model::name(GetParam())) + ".json");

  static ModelCheckpoint callback_of(const json::Value& arguments) {
    const auto given = [&](std::string_view key) { return arguments.find(key); };
    ModelCheckpoint callback{.filepath = "{epoch}-{batch}",
                             .monitor = given("monitor")->string(),
                             .save_best_only = true,
                             .save_freq = given("save_freq")->integer()};
    if (given("file") != nullptr) callback.filepath = given("file")->string();
    callback.filepath += ".safetensors";
    if (given("mode") != nullptr) callback.mode = given("mode")->string() == "max" ? Mode::max : Mode::min;
    if (given("initial_value_threshold") != nullptr)
      callback.initial_value_threshold = number_in(*given("initial_value_threshold"));
    return callback;
  }

  // The names of the files after a training like the recorded one, without their ends.
  std::vector<std::string> saved(const std::string& name, const ModelCheckpoint& callback, double& best) {
    const std::vector<model::Metric> metrics{model::metric_named("mae")};
    model::Optimizer sgd = model::optimizer_named("sgd", GetParam());
    sgd.learning_rate = number_in(*recorded_.find("rate"));
    State state{1};
    test::Machine machine;
    Model model{model::sequential("m", {model::input_layer({features}), model::dense({.units = 1})}), state,
                machine};
    state.preset({{"dense/kernel", recorded_tensor(recorded_, "kernel", {features, 1})}});
    model.compile(
        {.loss = model::loss_named("mse"), .optimizer = sgd, .metrics = {metrics}, .semantics = GetParam()});
    CallbackContext context{.model = model,
                            .state = state,
                            .optimizer = sgd,
                            .metrics = metrics,
                            .semantics = GetParam(),
                            .file = [&](const std::string& file) { return folder_ / name / file; },
                            .note = [this](const std::string& text) { notes_.push_back(text); }};
    std::filesystem::create_directories(folder_ / name);
    Callbacks callbacks({callback}, context);
    const data::Dataset data =
        data::Dataset::from_tensor_slices(
            {recorded_tensor(recorded_, "x", {rows, features}), recorded_tensor(recorded_, "y", {rows, 1})})
            .batch(batch);
    model.fit(data, {.epochs = epochs,
                     .on_step = [&](const StepResult& step) { callbacks.end_step(step); },
                     .on_epoch = [&](const EpochResult& epoch) { callbacks.end_epoch(epoch, nullptr); },
                     .on_epoch_begin = [&](std::int64_t epoch) { callbacks.begin_epoch(epoch); }});
    best = callbacks.state(0).at("best");
    std::vector<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(folder_ / name))
      files.push_back(file.path().stem().string());
    std::ranges::sort(files);
    return files;
  }

  std::vector<CallbackProblem> problems_of_case(const ModelCheckpoint& callback) const {
    const model::Optimizer sgd = model::optimizer_named("sgd");
    return problems_of(callback, {.optimizer = sgd,
                                  .metrics = {model::metric_named("mae")},
                                  .logs = {"loss", "mae", "val_loss", "val_mae"},
                                  .semantics = GetParam(),
                                  .steps_per_epoch = steps_per_epoch});
  }
};
INSTANTIATE_TEST_SUITE_P(Callbacks, BestCheckpoints,
                         testing::Values(model::Semantics::keras2, model::Semantics::keras3),
                         [](const auto& test) { return std::string(model::name(test.param)); });

TEST_P(BestCheckpoints, OfTheBestAfterSomeStepsAreThoseOfKeras) {
  std::size_t refused = 0;
  for (const json::Member& recorded : recorded_.find("cases")->members()) {
    SCOPED_TRACE(recorded.key);
    const ModelCheckpoint callback = callback_of(*recorded.value.find("arguments"));
    if (recorded.value.find("error")->kind() != json::Kind::null) {
      const std::vector<CallbackProblem> found = problems_of_case(callback);
      ASSERT_EQ(found.size(), 1U);
      EXPECT_EQ(found.front().key, "save_freq");
      ++refused;
      continue;
    }
    EXPECT_TRUE(problems_of_case(callback).empty());
    std::vector<std::string> theirs;
    for (const json::Value& file : recorded.value.find("files")->elements()) theirs.push_back(file.string());
    double best = 0;
    EXPECT_EQ(saved(recorded.key, callback, best), theirs);
    const json::Value& their_best = *recorded.value.find("best");
    if (their_best.kind() == json::Kind::null)
      EXPECT_FALSE(std::isfinite(best));
    else
      EXPECT_NEAR(best, number_in(their_best), 1e-5 * number_in(their_best));
  }
  EXPECT_EQ(refused, is_keras3() ? 3U : 0U);
}

// Keras 2 logs a warning each time, and Python shows that of Keras 3 once.
TEST_P(BestCheckpoints, WithoutTheMonitoredResultWarn) {
  double best = 0;
  const ModelCheckpoint callback{
      .filepath = "{epoch}-{batch}.safetensors", .save_best_only = true, .save_freq = 5};
  EXPECT_EQ(saved("w", callback, best).size(), is_keras3() ? 4U : 0U);
  const std::string text = "Can save best model only with val_loss available";
  EXPECT_EQ(notes_, is_keras3() ? std::vector<std::string>(1, text + ".")
                                : std::vector<std::string>(4, text + ", skipping."));
}

// Whether an epoch has that many steps is unknown where it has no end.
TEST(Problems, KerasThreeComparesTooEarlyInAnEpochWithoutEnd) {
  const model::Optimizer sgd = model::optimizer_named("sgd");
  const ModelCheckpoint callback{
      .filepath = "a.safetensors", .monitor = "loss", .save_best_only = true, .save_freq = 1000};
  CallbackFacts facts{sgd, {}, {"loss"}};
  EXPECT_EQ(problems_of(callback, facts).size(), 1U);
  facts.steps_per_epoch = 1999;
  EXPECT_TRUE(problems_of(callback, facts).empty());
  facts.steps_per_epoch = 2000;
  EXPECT_EQ(problems_of(callback, facts).size(), 1U);
}

TEST_P(EachKeras, TerminatesOnNaN) {
  Callbacks callbacks({TerminateOnNaN{}}, context({}));
  callbacks.end_step({.loss = 1});
  EXPECT_FALSE(callbacks.stopped_by());
  callbacks.end_step({.step = 4, .loss = std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(callbacks.stopped_by(), "TerminateOnNaN");
  EXPECT_EQ(notes_.size(), 1U);
}

}  // namespace
}  // namespace wt::train
