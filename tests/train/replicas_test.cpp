// Claim: training on N replicas behaves as in TensorFlow: losses are scaled, metrics and moving statistics
// are combined, and each replica has copies of the variables that cannot be seen from outside.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "model/layers/dense.h"
#include "model/layers/dropout.h"
#include "model/layers/normalization.h"
#include "model/sequential.h"
#include "train/checkpoint.h"
#include "train/learning_rate.h"
#include "train/machine.h"

namespace wt::train {
namespace {

using model::Building;
using Symbols = std::vector<Symbol>;

Tensor floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::of<float>(shape, values);
}
float number(const Tensor& tensor) { return tensor.values<float>()[0]; }

// Rows with x = 1, 2, ... and y = 2 x. The numbers are small integers, so every sum is exact.
struct Rows {
  Tensor x{};
  Tensor y{};
  explicit Rows(std::int64_t count) : x(Tensor::zeros({Type::float32, {count, 1}})), y(x.copy()) {
    for (std::size_t i = 0; i < x.values<float>().size(); ++i) {
      x.values<float>()[i] = static_cast<float>(i + 1);
      y.values<float>()[i] = 2 * x.values<float>()[i];
    }
  }
  data::Dataset dataset(std::int64_t batch) const {
    return data::Dataset::from_tensor_slices({x, y}).batch(batch);
  }
  std::vector<Tensor> batch() const { return {x, y}; }
};

model::LayerPtr linear(double l2 = 0) {
  model::DenseConfig config{.units = 1};
  if (l2 != 0) config.kernel.regularizer = model::Regularizer{.l2 = l2};
  return model::sequential("linear", {model::input_layer({1}), model::dense(config)});
}

CompileOptions sgd(LossScale scale, std::int64_t global_batch = 0) {
  CompileOptions options{.loss = model::loss_named("mse"),
                         .optimizer = model::optimizer_named("sgd"),
                         .metrics = {{model::metric_named("mse")}},
                         .loss_scale = scale,
                         .global_batch = global_batch};
  options.optimizer.learning_rate = 0.0078125;
  return options;
}

// A linear model under a strategy. Its weights are 0 at first.
struct Linear {
  test::Machine machine;
  State state{1};
  Model model;

  Linear(Lowering lower, std::int64_t replicas, const CompileOptions& options,
         const model::LayerPtr& layer = linear())
      : machine(std::move(lower), {.replicas = replicas}), model(layer, state, machine) {
    state.preset({{"dense/kernel", Tensor::zeros({Type::float32, {1, 1}})}});
    model.compile(options);
  }
  float kernel() const { return number(state.read("dense/kernel")); }
};

struct Mirrored : Linear {
  Mirrored(std::int64_t replicas, const CompileOptions& options, const model::LayerPtr& layer = linear())
      : Linear(test::mirrored(replicas), replicas, options, layer) {}
};

// The sum of the losses of rows `first` to `last`, which are counted from 1. At weight 0 the loss of row i is
// (2 i)^2.
double losses_of_rows(int first, int last) {
  double sum = 0;
  for (int i = first; i <= last; ++i) sum += 4.0 * i * i;
  return sum;
}

constexpr LossScale keras = LossScale::keras;
constexpr LossScale global_rows = LossScale::global_rows;
constexpr LossScale global_batch = LossScale::global_batch;

// ---- Losses

TEST(L1, TheReplicasGradientsAddUpToTheOneDevicesWhenTheGlobalBatchDivides) {
  const Rows rows(4);
  const auto body = [layer = linear()](Building& building, const Symbols& batch) {
    const Symbol loss = model::compute_average_loss(
        model::per_example_loss(model::loss_named("mse"), batch[1], (*layer)(building, batch[0])), 4);
    return building.trace().gradient(loss, building.trainable());
  };
  test::Machine one, two(test::mirrored(2), {.replicas = 2});
  State alone(1), shared(1);
  for (State* state : {&alone, &shared})
    state->preset({{"dense/kernel", Tensor::zeros({Type::float32, {1, 1}})}});
  Function single("gradients", alone, one, Function::Mode::training, body);
  Function replicas("gradients", shared, two, Function::Mode::training, body);
  const std::vector<Tensor> whole = single(rows.batch());
  const PerReplica parts =
      replicas.run({{rows.x.rows(0, 2), rows.y.rows(0, 2)}, {rows.x.rows(2, 4), rows.y.rows(2, 4)}});
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(number(parts[0][i]) + number(parts[1][i]), number(whole[i]));
}

TEST(L5, AMeanOverUnevenLocalRowsDeviatesFromTheMeanOfAll) {
  const Rows rows(5);
  Mirrored mean(2, sgd(keras));
  const StepResult step = mean.model.train_on_batch(rows.batch());
  EXPECT_TRUE(step.is_uneven_mean);
  EXPECT_EQ(step.rows, 5);
  // The replicas have 3 rows and 2 rows, and the mean of each has the weight 1/2.
  EXPECT_NEAR(step.loss, losses_of_rows(1, 3) / 3 / 2 + losses_of_rows(4, 5) / 2 / 2, 1e-4);
  EXPECT_GT(std::abs(step.loss - losses_of_rows(1, 5) / 5), 1);
  EXPECT_FALSE(mean.model.train_on_batch(Rows(4).batch()).is_uneven_mean);
}

TEST(F10, FitsMeanIsTheSameAsTheGlobalOneWhereThePiecesAreEven) {
  const Rows rows(8);
  for (const std::int64_t replicas : {1, 2, 4, 8}) {
    Mirrored mean(replicas, sgd(keras)), global(replicas, sgd(global_rows));
    EXPECT_EQ(mean.model.train_on_batch(rows.batch()).loss, losses_of_rows(1, 8) / 8) << replicas;
    EXPECT_EQ(global.model.train_on_batch(rows.batch()).loss, losses_of_rows(1, 8) / 8) << replicas;
    EXPECT_EQ(mean.kernel(), global.kernel()) << replicas;
  }
}

TEST(F10, RowsWeighEquallyUnderTheOtherTwoScales) {
  const Rows rows(5);
  Mirrored nominal(2, sgd(global_batch, 8)), really(2, sgd(global_rows));
  EXPECT_NEAR(nominal.model.train_on_batch(rows.batch()).loss, losses_of_rows(1, 5) / 8, 1e-4);
  EXPECT_NEAR(really.model.train_on_batch(rows.batch()).loss, losses_of_rows(1, 5) / 5, 1e-4);
  // The gradient of a row is -2 x (2 x), the negative of its loss, and is summed and divided in the same way.
  EXPECT_FLOAT_EQ(nominal.kernel(), static_cast<float>(0.0078125 * losses_of_rows(1, 5) / 8));
  EXPECT_FLOAT_EQ(really.kernel(), static_cast<float>(0.0078125 * losses_of_rows(1, 5) / 5));
}

TEST(F10, ASumIsNotScaledAndShownTimesTheReplicas) {
  CompileOptions options = sgd(keras);
  options.loss.each[0].options.reduction = model::LossReduction::sum;
  Mirrored sum(2, options);
  EXPECT_EQ(sum.model.train_on_batch(Rows(4).batch()).loss, losses_of_rows(1, 4));
  EXPECT_FLOAT_EQ(sum.kernel(), static_cast<float>(0.0078125 * losses_of_rows(1, 4)));
  Mirrored shown(2, options);
  // The displayed loss is the mean over the replicas, weighted by their rows, of twice the replica's sum.
  EXPECT_EQ(shown.model.evaluate(Rows(4).dataset(4)).loss, losses_of_rows(1, 4));
}

// The 4 rows are split over 3 replicas into 2, 2 and 0.
TEST(F9, AReplicaWithoutRowsHasTheLossZero) {
  const Rows rows(4);
  Mirrored mean(3, sgd(keras)), really(3, sgd(global_rows)), nominal(3, sgd(global_batch, 4));
  EXPECT_NEAR(mean.model.train_on_batch(rows.batch()).loss, losses_of_rows(1, 4) / 6, 1e-4);
  EXPECT_NEAR(really.model.train_on_batch(rows.batch()).loss, losses_of_rows(1, 4) / 4, 1e-4);
  EXPECT_NEAR(nominal.model.train_on_batch(rows.batch()).loss, losses_of_rows(1, 4) / 4, 1e-4);
  EXPECT_FLOAT_EQ(really.kernel(), static_cast<float>(0.0078125 * losses_of_rows(1, 4) / 4));
  EXPECT_FLOAT_EQ(mean.kernel(), really.kernel() * 2 / 3);
}

TEST(L4, PenaltiesCountOnceWhateverTheNumberOfReplicas) {
  for (const LossScale scale : {keras, global_rows, global_batch})
    for (const std::int64_t replicas : {1, 2, 3}) {
      Mirrored model(replicas, sgd(scale, 6), linear(0.25));
      // At this weight the error is 0, and the loss is the penalty 0.25 * 2^2.
      model.state.preset({{"dense/kernel", floats({1, 1}, {2})}});
      EXPECT_FLOAT_EQ(static_cast<float>(model.model.train_on_batch(Rows(6).batch()).loss), 1) << replicas;
      EXPECT_FLOAT_EQ(model.kernel(), 2 - 0.0078125f * 0.25f * 2 * 2) << replicas;
      model.state.preset({{"dense/kernel", floats({1, 1}, {2})}, {"dense/bias", floats({1}, {0})}});
      EXPECT_FLOAT_EQ(static_cast<float>(model.model.evaluate(Rows(6).dataset(6)).loss), 1) << replicas;
    }
}

// The number of rows of all replicas is an input, so steps with the same local rows share a plan. Tensors
// without numbers suffice for a plan.
TEST(L3, TheRowsOfTheStepAreAnInputAndNoConstant) {
  Mirrored model(2, sgd(global_rows));
  const Tensor shape = Tensor::shape_only({Type::float32, {4, 1}});
  const plan::Plan& plan = model.model.training_plan({shape, shape});
  std::vector<std::string> names;
  for (const plan::Port& port : plan.inputs) names.push_back(port.name);
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"argument 0", "argument 0/replica_1", "argument 1",
                                             "argument 1/replica_1", "argument 2", "argument 2/replica_1"}));
}

TEST(L14, AMeanFedWithScaledLossesOnTwoReplicasIsTooSmallByTheirNumber) {
  test::Machine machine(test::mirrored(2), {.replicas = 2});
  State state(1);
  const model::Metric mean = model::metric_named("mean", "train_loss");
  Function step("step", state, machine, Function::Mode::training,
                [&](Building& building, const Symbols& losses) {
                  const Symbol scaled = model::compute_average_loss(losses[0], 4);
                  model::update_mean(building, mean, scaled);
                  return Symbols{scaled, reduce(scaled, Reduction::sum)};
                });
  const PerReplica results = step.run({{floats({2}, {2, 3})}, {floats({2}, {4, 5})}});
  EXPECT_EQ(number(results[0][0]), 1.25f);
  EXPECT_EQ(number(results[1][0]), 2.25f);
  EXPECT_EQ(number(results[0][1]), 3.5f);  // the mean of all four losses
  const float total = number(state.read(model::total_name(mean)));
  const float count = number(state.read(model::count_name(mean)));
  EXPECT_EQ(total, 3.5f);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(model::metric_result(total, count), 1.75f);
}

// ---- Metrics and statistics

TEST(L13, EveryReplicaCountsItsOwnRowsAndAReadSumsThem) {
  const Rows rows(7);
  for (const auto& lower : {test::mirrored(3), test::central_storage(3)})
    for (const LossScale scale : {keras, global_rows, global_batch}) {
      Linear model(lower, 3, sgd(scale, 7));
      const EpochResult result = model.model.evaluate(rows.dataset(7));  // split into 3, 3 and 1 rows
      EXPECT_NEAR(result.metrics.at(0).value, losses_of_rows(1, 7) / 7, 1e-4);
      EXPECT_NEAR(result.loss, losses_of_rows(1, 7) / 7, 1e-4);
      EXPECT_EQ(number(model.state.read("mse/count")), 7);
    }
}

// Each replica's own copy of the metric's total, as a step sees it.
std::vector<float> own_values(Function& read) {
  std::vector<float> values;
  for (const std::vector<Tensor>& own : read.run(PerReplica(2, {Tensor::zeros({Type::float32, {1}})})))
    values.push_back(number(own.front()));
  return values;
}

// A metric on two replicas, with one function that updates it and another that reads each replica's copy.
struct Counter {
  test::Machine machine{test::mirrored(2), {.replicas = 2}};
  State state{1};
  model::Metric metric = model::metric_named("mean", "seen");
  Function count{"count", state, machine, Function::Mode::training,
                 [this](Building& building, const Symbols& x) {
                   model::update_mean(building, metric, x[0]);
                   return Symbols{x[0]};
                 }};
  Function read{
      "read", state, machine, Function::Mode::inference, [this](Building& building, const Symbols& x) {
        const VariableOptions options{
            .trainable = false, .synchronization = Synchronization::on_read, .aggregation = Aggregation::sum};
        const Symbol total =
            building.weight({model::total_name(metric), {Type::float32, {}}, model::zeros, options, {}});
        return Symbols{total + reduce_sum(x[0])};
      }};
};

TEST(F11, WhatAReplicaHasCountedStaysItsOwnWhenAnotherStepTakesOver) {
  Counter counter;
  counter.count.run({{floats({1}, {1})}, {floats({1}, {10})}});
  EXPECT_EQ(own_values(counter.read), (std::vector<float>{1, 10}));
  counter.count.run({{floats({1}, {1})}, {floats({1}, {10})}});
  EXPECT_EQ(own_values(counter.read), (std::vector<float>{2, 20}));
  EXPECT_EQ(number(counter.state.read("seen/total")), 22);
}

TEST(F12, ACheckpointHasTheTotalAndRestoringGivesEachReplicaItsPart) {
  const test::TestFolder folder;
  Counter counter;
  counter.count.run({{floats({1}, {1})}, {floats({1}, {10})}});
  Checkpoint checkpoint(counter.state);
  checkpoint.save(folder / "ckpt");
  counter.count.run({{floats({1}, {5})}, {floats({1}, {5})}});
  checkpoint.restore(folder / "ckpt-1");
  EXPECT_EQ(own_values(counter.read), (std::vector<float>{5.5f, 5.5f}));
  EXPECT_EQ(number(counter.state.read("seen/total")), 11);

  Counter fresh;
  Checkpoint(fresh.state).restore(folder / "ckpt-1");
  EXPECT_EQ(own_values(fresh.read), (std::vector<float>{5.5f, 5.5f}));
}

// The moving mean of a batch normalization after one step. It has one channel and momentum 0, so each
// replica's copy is the mean of its own rows.
float moving_mean(model::Semantics semantics, std::int64_t rows, std::int64_t replicas) {
  const model::LayerPtr layer = model::sequential(
      "", {model::input_layer({1}), model::batch_normalization({.momentum = 0}), model::dense({.units = 1})});
  CompileOptions options = sgd(global_rows);
  options.semantics = semantics;
  Mirrored model(replicas, options, layer);
  model.model.train_on_batch(Rows(rows).batch());
  EXPECT_TRUE(std::isfinite(number(model.state.read("dense/kernel"))));
  return number(model.state.read("batch_normalization/moving_mean"));
}

TEST(F11, MovingStatisticsAreReadAsTheMeanInKeras2AndAsReplicaZerosInKeras3) {
  EXPECT_EQ(moving_mean(model::Semantics::keras2, 8, 2), 4.5f);  // the mean of 2.5 and 6.5
  EXPECT_EQ(moving_mean(model::Semantics::keras3, 8, 2), 2.5f);
  EXPECT_EQ(moving_mean(model::Semantics::tf20, 8, 2), 4.5f);
}

TEST(F11, AReplicaWithoutRowsKeepsItsMovingStatistics) {
  EXPECT_EQ(moving_mean(model::Semantics::keras2, 4, 3), (1.5f + 3.5f + 0) / 3);
}

// ---- Variables

TEST(F15, CopiesAreNamedAfterReplicaZerosAndBeginAsItDoes) {
  Mirrored model(3, sgd(global_rows));
  std::vector<std::string> names;
  for (const plan::Port& port : model.model.training_plan(Rows(6).batch()).variables)
    if (port.name.starts_with("dense/kernel")) names.push_back(port.name);
  std::ranges::sort(names);
  EXPECT_EQ(names,
            (std::vector<std::string>{"dense/kernel", "dense/kernel/replica_1", "dense/kernel/replica_2"}));

  test::Machine machine(test::mirrored(3), {.replicas = 3});
  State state(7);
  const auto layer = model::sequential("", {model::input_layer({4}), model::dense({.units = 5})});
  Function read("read", state, machine, Function::Mode::inference,
                [layer](Building& building, const Symbols& x) {
                  (*layer)(building, x);
                  return Symbols{reshape(building.trainable().front(), {20})};
                });
  const PerReplica kernels = read.run(PerReplica(3, {Tensor::zeros({Type::float32, {1, 4}})}));
  for (std::size_t i = 1; i < 3; ++i)
    EXPECT_TRUE(std::ranges::equal(kernels[i][0].values<float>(), kernels[0][0].values<float>()));
  EXPECT_NE(number(kernels[0][0]), 0);
}

TEST(P9, IterationsCountStepsAndNotReplicas) {
  for (const auto& lower : {test::mirrored(4), test::central_storage(4)}) {
    Linear model(lower, 4, sgd(global_rows));
    model.model.fit(Rows(12).dataset(4), {});
    EXPECT_EQ(model.state.read("SGD/iteration").values<std::int64_t>()[0], 3);
  }
}

TEST(P10, EveryReplicaDropsOthersAndTheSameAgainAfterARestore) {
  const test::TestFolder folder;
  const auto layer =
      model::sequential("", {model::input_layer({64}), model::dropout({.rate = 0.5, .seed = 3})});
  struct Dropping {
    test::Machine machine{test::mirrored(2), {.replicas = 2}};
    State state{1};
    Function call;
    explicit Dropping(const model::LayerPtr& layer)
        : call("call", state, machine, Function::Mode::training,
               [layer](Building& building, const Symbols& x) { return (*layer)(building, x); }) {}
    std::vector<std::vector<float>> step() {
      std::vector<std::vector<float>> values;
      for (const auto& own : call.run(PerReplica(2, {floats({1, 64}, std::vector<float>(64, 1))})))
        values.emplace_back(own[0].values<float>().begin(), own[0].values<float>().end());
      return values;
    }
  };
  Dropping first(layer);
  const auto one = first.step();
  EXPECT_NE(one[0], one[1]);
  Checkpoint(first.state).save(folder / "ckpt");
  const auto two = first.step();
  EXPECT_NE(two, one);
  Dropping again(layer);
  Checkpoint(again.state).restore(folder / "ckpt-1");
  EXPECT_EQ(again.step(), two);
}

// ---- Training

TEST(G2, TheSameProgramTrainsToTheSameWeightsUnderEveryStrategy) {
  const Rows rows(16);
  Linear alone(test::mirrored(1), 1, sgd(global_rows));
  alone.model.fit(rows.dataset(8), {.epochs = 2});
  for (const std::int64_t replicas : {2, 3, 4, 8}) {
    Linear mirrored(test::mirrored(replicas), replicas, sgd(global_rows));
    Linear central(test::central_storage(replicas), replicas, sgd(global_rows));
    for (Linear* model : {&mirrored, &central}) {
      const auto history = model->model.fit(rows.dataset(8), {.epochs = 2});
      EXPECT_EQ(history.back().steps, 2);
      EXPECT_NEAR(model->kernel(), alone.kernel(), 1e-6 * std::abs(alone.kernel())) << replicas;
    }
  }
}

TEST(P19, PredictGivesTheRowsInOrderOverReplicasAndWorkers) {
  const Rows rows(7);
  for (const std::int64_t workers : {1, 2}) {
    test::Machine machine(test::mirrored(4), {.replicas = 4, .workers = workers});
    State state(1);
    Model model(linear(), state, machine);
    state.preset({{"dense/kernel", floats({1, 1}, {2})}});
    const Tensor predicted = model.predict(data::Dataset::from_tensor_slices({rows.x}).batch(5));
    ASSERT_EQ(predicted.shape(), (Shape{7, 1}));
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(predicted.values<float>()[i], rows.y.values<float>()[i]);
  }
}

TEST(P22, ACheckpointOfTwoReplicasGoesOnWithOneOrThree) {
  const test::TestFolder folder;
  const Rows rows(12);
  Mirrored undisturbed(1, sgd(global_rows)), first(2, sgd(global_rows));
  undisturbed.model.fit(rows.dataset(6), {.epochs = 4});
  first.model.fit(rows.dataset(6), {.epochs = 2});
  Checkpoint(first.state).save(folder / "ckpt", {.epochs = 2});
  for (const std::int64_t replicas : {1, 3}) {
    Mirrored second(replicas, sgd(global_rows));
    const Progress progress = Checkpoint(second.state).restore(folder / "ckpt-1");
    second.model.fit(rows.dataset(6), {.epochs = 4, .initial_epoch = progress.epochs});
    EXPECT_NEAR(second.kernel(), undisturbed.kernel(), 1e-6 * std::abs(undisturbed.kernel())) << replicas;
  }
}

// Two machines use the same state in turn.
TEST(State, GoesFromTwoReplicasToOneAndBack) {
  const Rows rows(4);
  test::Machine pair(test::mirrored(2), {.replicas = 2}), single;
  State state(1);
  state.preset({{"dense/kernel", Tensor::zeros({Type::float32, {1, 1}})}});
  Model over_two(linear(), state, pair), over_one(linear(), state, single);
  over_two.compile(sgd(global_rows));
  over_one.compile(sgd(global_rows));
  Mirrored undisturbed(1, sgd(global_rows));
  for (int i = 0; i < 2; ++i) {
    over_two.train_on_batch(rows.batch());
    over_one.train_on_batch(rows.batch());
    undisturbed.model.train_on_batch(rows.batch());
    undisturbed.model.train_on_batch(rows.batch());
  }
  EXPECT_FLOAT_EQ(number(state.read("dense/kernel")), undisturbed.kernel());
  EXPECT_EQ(number(state.read("mse/count")), 16);
}

// ---- Global batches

const std::map<std::int64_t, double> rates{{5, 0.1}, {10, 0.15}};

TEST(P16, TheLearningRateIsLookedUpByTheGlobalBatch) {
  EXPECT_EQ(learning_rate_for(rates, 5), 0.1);
  EXPECT_EQ(learning_rate_for(rates, 10), 0.15);
  try {
    learning_rate_for(rates, 15);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "[learning_rate] no learning rate is given for a global batch of 15\n"
                 "the table has rows for 5, 10; add one, or change the number of replicas or their batch");
  }
}

TEST(P17, FourReplicasOfFiveRowsHaveTheirRow) {
  auto more = rates;
  more[20] = 0.175;
  EXPECT_EQ(learning_rate_for(more, 5 * 4), 0.175);
}

}  // namespace
}  // namespace wt::train
