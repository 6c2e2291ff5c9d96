#include "model/metric.h"

#include <gtest/gtest.h>

#include "model/numbers.h"

namespace wt::model {
namespace {

using test::classes;
using test::floats;
using test::refusal;
using test::Values;

using Update = std::function<void(Building&, const std::vector<Symbol>&)>;

// A step of one replica that does nothing but update a metric.
Step update_step(const std::vector<Tensor>& given, const Update& update) {
  return trace("test", [&](Trace& trace) {
    Building building(trace, true, Semantics::keras2);
    std::vector<Symbol> inputs;
    for (std::size_t i = 0; i < given.size(); ++i)
      inputs.push_back(trace.input(fmt::format("x{}", i), given[i].spec()));
    update(building, inputs);
  });
}

struct Counted {
  float total = 0;
  float count = 0;
};

Counted counted(const Metric& metric, const std::vector<Tensor>& given, const Update& update, int steps = 1) {
  Values values;
  for (std::size_t i = 0; i < given.size(); ++i) values[fmt::format("x{}", i)] = given[i];
  const Values after = test::run(update_step(given, update), values, {.steps = steps});
  return {after.at(total_name(metric)).values<float>()[0], after.at(count_name(metric)).values<float>()[0]};
}

Counted counted(const Metric& metric, const Tensor& labels, const Tensor& predictions, int steps = 1) {
  const auto update = [&](Building& building, const std::vector<Symbol>& x) {
    update_metric(building, metric, x[0], x[1]);
  };
  return counted(metric, {labels, predictions}, update, steps);
}

Counted counted_mean(const Metric& metric, const Tensor& values) {
  return counted(metric, {values}, [&](Building& building, const std::vector<Symbol>& x) {
    update_mean(building, metric, x[0]);
  });
}

float result(const Counted& counted) { return metric_result(counted.total, counted.count); }

TEST(L12, MeanAddsUpOverSteps) {
  const Metric loss = metric_named("Mean", "test_loss");
  const auto update = [&](Building& building, const std::vector<Symbol>& x) {
    update_mean(building, loss, x[0]);
  };
  const Counted after = counted(loss, {floats({3}, {1, 2, 6})}, update, 2);
  EXPECT_EQ(after.total, 18);
  EXPECT_EQ(after.count, 6);
  EXPECT_EQ(result(after), 3);
}

TEST(L12, AResultOfNothingIsZero) { EXPECT_EQ(metric_result(0, 0), 0); }

TEST(L12, SparseCategoricalAccuracyCountsRowsWhoseLargestPredictionIsTheLabels) {
  const Metric accuracy = metric_named("SparseCategoricalAccuracy");
  EXPECT_EQ(accuracy.name, "sparse_categorical_accuracy");
  const Tensor predictions = floats({4, 3}, {0, 1, 0, 0.2f, 0.3f, 0.5f, 1, 0, 0, 0, 0, 1});
  const Counted after = counted(accuracy, classes({1, 2, 1, 2}), predictions);
  EXPECT_EQ(after.total, 3);
  EXPECT_EQ(after.count, 4);
  EXPECT_EQ(result(counted(accuracy, floats({4, 1}, {1, 2, 1, 2}), predictions)), 0.75f);
}

TEST(L12, AMaskWeighsTheStepsOfASequence) {
  const Metric error = metric_named("mae");
  const Tensor labels = floats({2, 3, 1}, {0, 0, 0, 0, 0, 0});
  const Tensor predictions = floats({2, 3, 1}, {1, 2, 4, 8, 16, 32});
  const auto update = [&](Building& building, const std::vector<Symbol>& x) {
    update_metric(building, error, x[0], x[1], x[2]);
  };
  const Counted after = counted(error, {labels, predictions, floats({2, 3}, {1, 0, 1, 0, 0, 1})}, update);
  EXPECT_EQ(after.total, 37);
  EXPECT_EQ(after.count, 3);
  EXPECT_NE(refusal([&] {
              counted(error, {labels, predictions, floats({2, 3, 2}, std::vector<float>(12, 1))}, update);
            }).find("Can not squeeze dim[2], expected a dimension of 1, got 2"),
            std::string::npos);
}

TEST(L12, StateIsSynchronizedOnReadBySumming) {
  const Metric metric = metric_named("Mean");
  const Step step = update_step({floats({2}, {1, 2})}, [&](Building& building, const std::vector<Symbol>& x) {
    update_mean(building, metric, x[0]);
  });
  ASSERT_EQ(step.variables.size(), 2u);
  for (const StepVariable& variable : step.variables) {
    EXPECT_EQ(variable.synchronization, Synchronization::on_read);
    EXPECT_EQ(variable.aggregation, Aggregation::sum);
    EXPECT_FALSE(variable.trainable);
  }
}

TEST(L13, ReplicasCountTheirOwnRowsAndReadingAddsThemUp) {
  const Metric accuracy = metric_named("SparseCategoricalAccuracy");
  const Counted a = counted(accuracy, classes({0, 1, 1}), floats({3, 2}, {1, 0, 1, 0, 0, 1}));
  const Counted b = counted(accuracy, classes({0}), floats({1, 2}, {1, 0}));
  EXPECT_EQ(metric_result(a.total + b.total, a.count + b.count), 0.75f);
}

// Two devices have the losses [2, 3] and [4, 5], and the global batch is 4.
TEST(L14, MeanOfScaledLossesIsTheLossOverTheReplicas) {
  const auto scaled = [](const Tensor& losses) {
    const auto average = [](const std::vector<Symbol>& x) { return compute_average_loss(x[0], 4); };
    return static_cast<float>(test::compute({losses}, average)[0]);
  };
  const float first = scaled(floats({2}, {2, 3})), second = scaled(floats({2}, {4, 5}));
  EXPECT_EQ(first, 1.25f);
  EXPECT_EQ(second, 2.25f);
  const Metric metric = metric_named("Mean", "train_loss");
  const Counted a = counted_mean(metric, floats({}, {first})), b = counted_mean(metric, floats({}, {second}));
  EXPECT_EQ(a.total + b.total, 3.5f);  // the true average loss
  EXPECT_EQ(a.count + b.count, 2);
  EXPECT_EQ(metric_result(a.total + b.total, a.count + b.count), 1.75f);
}

// `fit` weights each displayed loss by the number of rows over which it is the mean.
TEST(Metric, MeanWeighsValues) {
  const Metric metric = metric_named("Mean", "loss");
  const auto update = [&](Building& building, const std::vector<Symbol>& x) {
    update_mean(building, metric, x[0], x[1]);
  };
  const Counted after = counted(metric, {floats({}, {2.5f}), floats({}, {3})}, update);
  EXPECT_EQ(after.total, 7.5f);
  EXPECT_EQ(after.count, 3);
}

TEST(Metric, BinaryAccuracyCountsEachPrediction) {
  Metric metric = metric_named("BinaryAccuracy");
  const Tensor labels = floats({2, 2}, {1, 0, 1, 1}), predictions = floats({2, 2}, {0.6f, 0.5f, 0.4f, 0.9f});
  EXPECT_EQ(counted(metric, labels, predictions).total, 3);
  EXPECT_EQ(counted(metric, labels, predictions).count, 4);
  metric.options.threshold = 0.3;
  EXPECT_EQ(result(counted(metric, labels, predictions)), 0.75f);
  EXPECT_EQ(result(counted(metric, classes({1, 0}), floats({2, 1}, {0.9f, 0.1f}))), 1);
}

TEST(Metric, CategoricalAccuracyComparesWhereTheLargestStand) {
  const Tensor labels = floats({2, 2}, {0, 1, 1, 0});
  EXPECT_EQ(result(counted(metric_named("CategoricalAccuracy"), labels, floats({2, 2}, {0, 9, 3, 4}))), 0.5f);
}

TEST(Metric, ErrorsAreMeansOverRowsOfMeansOverColumns) {
  const Tensor labels = floats({2, 2}, {0, 0, 0, 0}), predictions = floats({2, 2}, {1, 3, -1, 1});
  EXPECT_EQ(result(counted(metric_named("mse"), labels, predictions)), 3);
  EXPECT_EQ(result(counted(metric_named("mae"), labels, predictions)), 1.5f);
}

TEST(Metric, AccuracyIsChosenByShapesAndInTensorFlow20ByTheLoss) {
  const auto chosen = [](const TensorSpec& labels, const TensorSpec& predictions, std::string_view loss,
                         Semantics semantics) {
    return resolve_accuracy(metric_named("accuracy"), labels, predictions, loss_named(loss), semantics)
        .type->name;
  };
  const TensorSpec column{Type::float32, {8, 1}}, wide{Type::float32, {8, 10}}, rows{Type::int32, {8}};
  EXPECT_EQ(chosen(column, column, "mse", Semantics::keras2), "BinaryAccuracy");
  EXPECT_EQ(chosen(rows, wide, "sparse_categorical_crossentropy", Semantics::keras2),
            "SparseCategoricalAccuracy");
  EXPECT_EQ(chosen(column, wide, "mse", Semantics::keras3), "SparseCategoricalAccuracy");
  EXPECT_EQ(chosen(wide, wide, "binary_crossentropy", Semantics::keras2), "CategoricalAccuracy");
  EXPECT_EQ(chosen(wide, wide, "binary_crossentropy", Semantics::tf20), "BinaryAccuracy");
  EXPECT_EQ(chosen(rows, wide, "sparse_categorical_crossentropy", Semantics::tf20),
            "SparseCategoricalAccuracy");
  EXPECT_EQ(resolve_accuracy(metric_named("accuracy"), rows, wide, loss_named("mse")).name, "accuracy");
}

TEST(Metric, IsReadAsANameOrAsAnObject) {
  Problems problems;
  const auto read = [&](const std::string& text) {
    return read_metric(json::parse(text, "x.json"), problems).value();
  };
  EXPECT_EQ(read(R"("acc")").name, "acc");
  EXPECT_EQ(read(R"("mse")").name, "mse");
  const Metric metric =
      read(R"({"module": "keras.metrics", "class_name": "BinaryAccuracy", "registered_name": null,
                                 "config": {"name": "hits", "dtype": "float32", "threshold": 0.7}})");
  EXPECT_EQ(metric.name, "hits");
  EXPECT_EQ(metric.options.threshold, 0.7);
  EXPECT_FALSE(problems.any());
}

TEST(Metric, NamesWhatIsWrong) {
  EXPECT_EQ(
      refusal([] { metric_named("SparseAccuracy"); }),
      "unknown metric \"SparseAccuracy\"\n"
      "known: accuracy, AUC, Accuracy, BinaryAccuracy, BinaryCrossentropy, BinaryIoU, CategoricalAccuracy, "
      "CategoricalCrossentropy, CategoricalHinge, ConcordanceCorrelation, CosineSimilarity, F1Score, "
      "FBetaScore, "
      "FalseNegatives, FalsePositives, Hinge, IoU, KLDivergence, LogCoshError, Mean, MeanAbsoluteError, "
      "MeanAbsolutePercentageError, MeanIoU, MeanRelativeError, MeanSquaredError, "
      "MeanSquaredLogarithmicError, "
      "MeanTensor, OneHotIoU, OneHotMeanIoU, PearsonCorrelation, Poisson, Precision and 15 more");
  EXPECT_EQ(refusal([] {
              counted(metric_named("CategoricalAccuracy"), classes({1}), floats({1, 2}, {0, 1}));
            }),
            "[CategoricalAccuracy] labels are int32[1], predictions are float32[1,2]\n"
            "labels must have shape [1,2], one number per prediction");
  EXPECT_EQ(refusal([] {
              counted(metric_named("Mean", "loss"), classes({1}), floats({1, 2}, {0, 1}));
            }),
            "[Mean] the metric \"loss\" doesn't compare labels with predictions\n"
            "pass it values with update_mean, or choose another metric");
}

}  // namespace
}  // namespace wt::model
