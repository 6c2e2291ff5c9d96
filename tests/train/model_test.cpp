// Claim: training on one device behaves as in TensorFlow. The test suites P8, L14 and so on are rows of
// tests/README.md. Most expected numbers can be derived by hand, since the model is linear, the data are ones,
// and the optimizer is SGD.

#include "train/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/functional.h"
#include "model/layers/dense.h"
#include "model/layers/dropout.h"
#include "model/sequential.h"
#include "model/weights.h"
#include "train/checkpoint.h"
#include "train/machine.h"

namespace wt::train {
namespace {

using model::Building;
using Symbols = std::vector<Symbol>;

Tensor floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::of<float>(shape, values);
}

model::LayerPtr linear() {
  return model::sequential("linear", {model::input_layer({1}), model::dense({.units = 1})});
}

const std::map<std::string, Tensor>& zeros() {
  static const std::map<std::string, Tensor> weights{
      {"dense/kernel", Tensor::zeros({Type::float32, {1, 1}})}};
  return weights;
}

// tf.data.Dataset.from_tensors(([1.], [1.])).repeat(rows).batch(batch)
data::Dataset ones(std::int64_t rows, std::int64_t batch) {
  return data::Dataset::from_tensors({floats({1}, {1}), floats({1}, {1})}).repeat(rows).batch(batch);
}

CompileOptions sgd(double rate) {
  CompileOptions options{.loss = model::loss_named("mse"), .optimizer = model::optimizer_named("sgd")};
  options.optimizer.learning_rate = rate;
  return options;
}

// The error 1 - w - b of the linear model on ones. It begins at w = b = 0, and each step adds 2 rate (1 - w -
// b) to both w and b.
double error_after(std::int64_t steps, double rate) {
  return std::pow(1 - 4 * rate, static_cast<double>(steps));
}

struct Linear {
  test::Machine machine{};
  State state{1};
  Model model{linear(), state, machine};

  explicit Linear(double rate = 0.01) {
    state.preset(zeros());
    model.compile(sgd(rate));
  }
};

// A custom training step with a gradient tape and an optimizer.
Function::Body tape_step(const std::shared_ptr<const model::Layer>& layer,
                         const model::Optimizer& optimizer) {
  return [layer, optimizer](Building& building, const Symbols& batch) {
    const Symbol predictions = (*layer)(building, batch[0]);
    const Symbol loss = model::compute_average_loss(
        model::per_example_loss(model::loss_named("mse"), batch[1], predictions), batch[0].shape()[0]);
    const Symbols variables = building.trainable();
    const Symbols gradients = building.trace().gradient(loss, variables);
    const Symbol rate = fill(building.trace(), {Type::float32, {}}, optimizer.learning_rate);
    model::apply_gradients(building, optimizer, variables, gradients, rate);
    Symbols results{loss};
    results.insert(results.end(), gradients.begin(), gradients.end());
    return results;
  };
}

struct Taped {
  test::Machine machine{};
  State state{1};
  model::Optimizer optimizer = sgd(0.1).optimizer;
  Function step{"train", state, machine, Function::Mode::training, tape_step(linear(), optimizer)};
  std::vector<Tensor> batch{floats({2, 1}, {1, 2}), floats({2, 1}, {2, 4})};

  Taped() { state.preset(zeros()); }
};

TEST(P8, TheTapesGradientIsTheDerivativeOnPaper) {
  Taped taped;
  const std::vector<Tensor> results = taped.step(taped.batch);
  EXPECT_EQ(results[0].values<float>()[0], 10);   // (4 + 16) / 2
  EXPECT_EQ(results[1].values<float>()[0], -10);  // the mean of 2 (0 - y) x
  EXPECT_EQ(results[2].values<float>()[0], -6);   // the mean of 2 (0 - y)
}

TEST(P9, ApplyGradientsMovesEachVariableAgainstItsGradient) {
  Taped taped;
  taped.step(taped.batch);
  EXPECT_FLOAT_EQ(taped.state.read("dense/kernel").values<float>()[0], 1.0f);
  EXPECT_FLOAT_EQ(taped.state.read("dense/bias").values<float>()[0], 0.6f);
}

TEST(P10, DropoutFollowsTheTrainingArgument) {
  test::Machine machine;
  State state(1);
  const model::LayerPtr model =
      model::sequential("", {model::input_layer({64}), model::dropout({.rate = 0.5, .seed = 3})});
  const auto body = [model](std::optional<bool> training) {
    return [model, training](Building& building, const Symbols& inputs) {
      return (*model)(building, inputs, {.training = training});
    };
  };
  const Tensor x = floats({1, 64}, std::vector<float>(64, 1));
  const auto zeros_of = [&](Function::Mode mode, std::optional<bool> training) {
    Function call("call", state, machine, mode, body(training));
    const Tensor y = call({x}).front();
    return std::count(y.values<float>().begin(), y.values<float>().end(), 0.0f);
  };
  EXPECT_EQ(zeros_of(Function::Mode::inference, {}), 0);
  EXPECT_GT(zeros_of(Function::Mode::training, {}), 10);
  EXPECT_EQ(zeros_of(Function::Mode::training, false), 0);
  EXPECT_GT(zeros_of(Function::Mode::inference, true), 10);
}

TEST(P11, AHundredRepeatedRowsInBatchesOfTenAreTenStepsPerEpoch) {
  Linear linear;
  EXPECT_EQ(linear.model.fit(ones(100, 10), {}).front().steps, 10);
}

TEST(P19, CompileFitEvaluateGiveTheLossesOnPaper) {
  Linear linear;
  std::vector<double> losses;
  const std::vector<EpochResult> history = linear.model.fit(
      ones(100, 10), {.epochs = 2, .on_step = [&](const StepResult& step) { losses.push_back(step.loss); }});
  ASSERT_EQ(losses.size(), 20u);
  for (std::size_t i = 0; i < losses.size(); ++i)
    EXPECT_NEAR(losses[i], std::pow(error_after(static_cast<std::int64_t>(i), 0.01), 2), 1e-6) << i;
  double mean = 0;
  for (std::size_t i = 10; i < 20; ++i) mean += losses[i] / 10;
  EXPECT_NEAR(history.at(1).loss, mean, 1e-6);
  EXPECT_NEAR(linear.model.evaluate(ones(100, 10)).loss, std::pow(error_after(20, 0.01), 2), 1e-6);
}

TEST(P19, PredictGivesTheRowsInOrder) {
  Linear linear;
  linear.state.preset({{"dense/kernel", floats({1, 1}, {2})}});
  const auto rows = data::Dataset::from_tensor_slices({floats({5, 1}, {1, 2, 3, 4, 5})}).batch(2);
  const Tensor predicted = linear.model.predict(rows);
  EXPECT_EQ(predicted.shape(), (Shape{5, 1}));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(predicted.values<float>()[i], 2 * static_cast<float>(i + 1));
}

TEST(P19, WithoutCompileEverythingIsRefused) {
  test::Machine machine;
  State state(1);
  Model model(linear(), state, machine);
  try {
    model.fit(ones(10, 10), {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`.");
  }
}

model::LayerPtr bare(const std::string& name) {
  return model::dense({.name = name, .units = 1, .use_bias = false});
}

// Two linear models without a bias in one model, with the inputs (1, 2) and the labels (1, 4). Since the
// losses are added, each weight is trained as if it were alone: in a step its error shrinks by the factor 1 -
// 2 rate x^2.
TEST(P4, SeveralInputsAndOutputsAreMinimisedTogether) {
  const double rate = 0.05;
  for (const std::int64_t replicas : {1, 2}) {
    SCOPED_TRACE(replicas);
    test::Machine one, several(test::mirrored(2), {.replicas = 2});
    State state(1);
    state.preset({{"left/kernel", floats({1, 1}, {0})}, {"right/kernel", floats({1, 1}, {0})}});
    const model::Output x = model::input({1}), y = model::input({1});
    const model::LayerPtr both = model::functional("both", {x, y}, {bare("left")(x), bare("right")(y)});
    Model model(both, state, replicas == 1 ? one : several);
    CompileOptions options = sgd(rate);
    options.metrics = {{model::metric_named("mae")}};
    model.compile(options);
    const auto rows = [](float value) { return floats({4, 1}, std::vector<float>(4, value)); };
    const std::vector<Tensor> batch{rows(1), rows(2), rows(1), rows(4)};
    double left = 1, right = 2;  // errors of the weights: 1 - w and 2 - v
    for (int step = 0; step < 3; ++step) {
      const StepResult result = model.train_on_batch(batch);
      EXPECT_NEAR(result.loss, left * left + 4 * right * right, 1e-5);
      left *= 1 - 2 * rate;
      right *= 1 - 8 * rate;
    }
    EXPECT_NEAR(state.read("left/kernel").values<float>()[0], 1 - left, 1e-6);
    EXPECT_NEAR(state.read("right/kernel").values<float>()[0], 2 - right, 1e-6);
    const std::vector<Log> measured = model.train_on_batch(batch).metrics;
    std::vector<std::string> names;
    for (const Log& log : measured) names.push_back(log.name);
    EXPECT_EQ(names, (std::vector<std::string>{"left_loss", "right_loss", "left_mae", "right_mae"}));
  }
}

TEST(P4, ABatchThatLacksLabelsIsRefused) {
  test::Machine machine;
  State state(1);
  const model::Output x = model::input({1});
  Model model(model::functional("both", {x}, {bare("left")(x), bare("right")(x)}), state, machine);
  model.compile(sgd(0.1));
  try {
    model.train_on_batch({floats({1, 1}, {1}), floats({1, 1}, {1})});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "[both] the model has 2 outputs, and behind its inputs a batch holds 1 tensor\n"
                 "a batch must hold one tensor per input, then the labels of each output, and then no "
                 "weights of rows, "
                 "one for all outputs, or one for each");
  }
}

TEST(P20, CompileBeforeOrAfterTheVariablesExistIsTheSame) {
  Linear before;
  test::Machine machine;
  State state(1);
  state.preset(zeros());
  Model after(linear(), state, machine);
  after.predict(data::Dataset::from_tensor_slices({floats({1, 1}, {1})}).batch(1));
  after.compile(sgd(0.01));
  EXPECT_EQ(after.fit(ones(100, 10), {}).front().loss, before.model.fit(ones(100, 10), {}).front().loss);
}

TEST(P22, ATrainingGoesOnFromItsCheckpointUnderAnotherStrategysName) {
  const test::TestFolder folder;
  Linear undisturbed, first;
  undisturbed.model.fit(ones(100, 10), {.epochs = 4});
  first.model.fit(ones(100, 10), {.epochs = 2});
  Checkpoint(first.state).save(folder / "ckpt", {.epochs = 2});

  test::Machine other(1, "/device:CPU:1");
  State state(5);
  Model second(linear(), state, other);
  second.compile(sgd(0.01));
  const Progress progress = Checkpoint(state).restore(*latest_checkpoint(folder.path()));
  second.fit(ones(100, 10), {.epochs = 4, .initial_epoch = progress.epochs});
  for (const char* name : {"dense/kernel", "dense/bias"})
    EXPECT_EQ(state.read(name).values<float>()[0], undisturbed.state.read(name).values<float>()[0]);
}

TEST(P23, SavesEverySecondEpochFromWithinFit) {
  const test::TestFolder folder;
  Linear linear;
  Checkpoint checkpoint(linear.state);
  linear.model.fit(ones(10, 10), {.epochs = 4, .on_epoch = [&](const EpochResult& epoch) {
                                    if (epoch.epoch % 2 == 0) checkpoint.save(folder / "ckpt");
                                  }});
  EXPECT_EQ(latest_checkpoint(folder.path()), folder / "ckpt-2");
}

TEST(P25, AnEvaluationStepRunsOnARestoredPlainModel) {
  const test::TestFolder folder;
  Linear trained(0.25);  // with this rate the error is 0 after one step
  trained.model.fit(ones(10, 10), {});
  Checkpoint(trained.state).save(folder / "ckpt");

  const model::LayerPtr plain = linear();
  State state(9);
  state.add(model::weights_of(*plain));
  Checkpoint(state).restore(*latest_checkpoint(folder.path()));
  Function eval_step(
      "eval_step", state, trained.machine, Function::Mode::inference,
      [plain](Building& building, const Symbols& images) { return (*plain)(building, images); });
  EXPECT_FLOAT_EQ(eval_step({floats({1, 1}, {1})}).front().values<float>()[0], 1);
  EXPECT_FLOAT_EQ(eval_step({floats({2, 1}, {1, 0})}).front().values<float>()[1], 0.5);
}

TEST(P25, ARestoredModelMeasuresWithoutWhatTheTrainingHadCounted) {
  const test::TestFolder folder;
  Linear trained;
  trained.model.fit(ones(100, 10), {});
  Checkpoint(trained.state).save(folder / "ckpt");
  State state(9);
  Checkpoint(state).restore(folder / "ckpt-1");
  Model plain(linear(), state, trained.machine);
  plain.compile(sgd(0.01));
  EXPECT_EQ(plain.evaluate(ones(100, 10)).loss, trained.model.evaluate(ones(100, 10)).loss);
}

// Two devices with two rows each are simulated one after the other. Each scales its loss by the global batch
// of 4.
TEST(L14, AMeanFedWithScaledLossesIsTooSmallByTheNumberOfReplicas) {
  test::Machine machine;
  State state(1);
  const model::Metric mean = model::metric_named("mean", "train_loss");
  Function replica("replica", state, machine, Function::Mode::training,
                   [&](Building& building, const Symbols& losses) {
                     const Symbol scaled = model::compute_average_loss(losses[0], 4);
                     model::update_mean(building, mean, scaled);
                     return Symbols{scaled};
                   });
  const float first = replica({floats({2}, {2, 3})}).front().values<float>()[0];
  const float second = replica({floats({2}, {4, 5})}).front().values<float>()[0];
  EXPECT_EQ(first, 1.25f);
  EXPECT_EQ(second, 2.25f);
  EXPECT_EQ(first + second, 3.5f);  // the mean of all four losses
  const float total = state.read(model::total_name(mean)).values<float>()[0];
  const float count = state.read(model::count_name(mean)).values<float>()[0];
  EXPECT_EQ(total, 3.5f);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(model::metric_result(total, count), 1.75f);
}

TEST(State, KeepsTheNewestValuesWhenTheFunctionThatHeldThemEnds) {
  test::Machine machine;
  State state(1);
  state.preset(zeros());
  {
    Model model(linear(), state, machine);
    model.compile(sgd(0.01));
    model.train_on_batch({floats({1, 1}, {1}), floats({1, 1}, {1})});
  }
  EXPECT_FLOAT_EQ(state.read("dense/kernel").values<float>()[0], 0.02f);
}

// The last batch is short, so the number of its rows identifies it.
TEST(Fit, GoesOnInTheDatasetWhenEpochsAreCountedInSteps) {
  Linear linear;
  std::vector<std::int64_t> rows;
  const auto note = [&](const StepResult& step) { rows.push_back(step.rows); };
  linear.model.fit(ones(25, 10), {.epochs = 3, .steps_per_epoch = 1, .on_step = note});
  EXPECT_EQ(rows, (std::vector<std::int64_t>{10, 10, 5}));
  rows.clear();
  linear.model.fit(ones(25, 10), {.epochs = 3, .initial_epoch = 2, .steps_per_epoch = 1, .on_step = note});
  EXPECT_EQ(rows, std::vector<std::int64_t>{5});
}

TEST(Fit, StopsAfterTheRequestedSteps) {
  Linear linear;
  const auto history = linear.model.fit(ones(100, 10), {.epochs = 9, .steps = 13});
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history[1].steps, 3);
}

TEST(Fit, EndsAfterTheStepInWhichItIsInterrupted) {
  Linear linear;
  std::int64_t steps = 0;
  const auto history = linear.model.fit(ones(100, 10), {.epochs = 4,
                                                        .on_step = [&](const StepResult&) { ++steps; },
                                                        .is_interrupted = [&] { return steps == 13; }});
  EXPECT_EQ(steps, 13);
  ASSERT_EQ(history.size(), 2u);
  EXPECT_EQ(history[1].steps, 3);
}

TEST(Weights, AreTheModelsOwnWithoutOptimizerMetricsAndRandomStreams) {
  test::Machine machine;
  State state(1);
  Model model(
      model::sequential("", {model::input_layer({1}), model::dense({.units = 1}), model::dropout({})}), state,
      machine);
  model.compile(sgd(0.1));
  model.fit(ones(10, 10), {});
  std::vector<std::string> names;
  for (const auto& [name, value] : model.weights()) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"dense/bias", "dense/kernel"}));
}

}  // namespace
}  // namespace wt::train
