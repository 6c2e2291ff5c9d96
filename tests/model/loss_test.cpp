#include "model/loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "model/numbers.h"

namespace wt::model {
namespace {

using test::classes;
using test::compute;
using test::floats;
using test::refusal;

constexpr LossOptions none{.reduction = LossReduction::none};

test::Function loss_of(const Loss& loss, Semantics semantics = Semantics::keras2) {
  return [=](const std::vector<Symbol>& x) { return per_example_loss(loss, x[1], x[0], semantics); };
}

test::Function after(Symbol (*activation)(Symbol), const Loss& loss,
                     Semantics semantics = Semantics::keras2) {
  return
      [=](const std::vector<Symbol>& x) { return per_example_loss(loss, x[1], activation(x[0]), semantics); };
}

std::string warning_of(const std::function<void()>& build) {
  testing::internal::CaptureStderr();
  build();
  return testing::internal::GetCapturedStderr();
}

std::string problems_of(const std::string& text) {
  return refusal([&] {
    Problems problems;
    const json::Value value = json::parse(text, "x.json");
    read_loss(value, problems);
    problems.throw_if_any();
  });
}

TEST(ASoftmaxOverOneClass, IsWarnedOf) {
  const auto step = [](std::int64_t outputs) {
    return [=] {
      const Tensor predictions = Tensor::zeros({Type::float32, {2, outputs}});
      test::step_of({predictions, classes({0, 0})},
                    after(softmax, loss_named("SparseCategoricalCrossentropy")));
    };
  };
  EXPECT_NE(warning_of(step(1)).find("a softmax over one class, which is always 1"), std::string::npos);
  EXPECT_EQ(warning_of(step(2)), "");
}

// ---- formulas

TEST(L8, SparseCategoricalCrossentropyOfLogitsIsTheLogOfTheSumLessTheLabelsLogit) {
  const auto loss = loss_named("SparseCategoricalCrossentropy", {.from_logits = true});
  const double sum = std::exp(1.0) + std::exp(2.0) + std::exp(4.0);
  test::expect_near(compute({floats({2, 3}, {1, 2, 4, 0, 0, 0}), classes({1, 2})}, loss_of(loss)),
                    {std::log(sum) - 2, std::log(3.0)});
}

TEST(L8, LabelsMayStandInAColumnOfTheirOwnAndBeFloating) {
  const auto loss = loss_named("sparse_categorical_crossentropy", {.from_logits = true});
  const Tensor labels = floats({2, 1}, {1, 0});
  test::expect_near(compute({floats({2, 2}, {0, 3, 0, 3}), labels}, loss_of(loss)),
                    {std::log1p(std::exp(-3.0)), 3 + std::log1p(std::exp(-3.0))});
}

TEST(L8, RefusesLabelsOfAnotherShape) {
  const auto loss = loss_named("SparseCategoricalCrossentropy");
  EXPECT_EQ(refusal([&] {
              compute({floats({2, 2}, {0, 3, 0, 3}), classes({1, 0, 1})}, loss_of(loss));
            }),
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            "labels.shape=(3,) and logits.shape=(2, 2)\n"
            "labels must have shape [2] or [2,1], one class per row");
}

TEST(L9, BinaryCrossentropyFromLogitsIsAMeanOverTheLastAxis) {
  LossOptions options = none;
  options.from_logits = true;
  const auto of = [](double x, double y) {
    return std::max(x, 0.0) - x * y + std::log1p(std::exp(-std::abs(x)));
  };
  test::expect_near(compute({floats({2, 2}, {2, -1, 50, -50}), floats({2, 2}, {1, 1, 0, 0})},
                            loss_of(loss_named("BinaryCrossentropy", options))),
                    {(of(2, 1) + of(-1, 1)) / 2, (of(50, 0) + of(-50, 0)) / 2});
}

// At p = 0 and label 1 the result depends on the epsilons alone: p is clipped to 1e-7, and Keras 2 adds
// another 1e-7 in the logarithm.
TEST(L9, BinaryCrossentropyOfProbabilitiesClipsThem) {
  const std::vector<Tensor> given{floats({2, 1}, {0, 0.25}), floats({2, 1}, {1, 0})};
  const Loss loss = loss_named("BinaryCrossentropy");
  test::expect_near(compute(given, loss_of(loss)), {-std::log(2e-7), -std::log(0.75)});
  test::expect_near(compute(given, loss_of(loss, Semantics::tf20)), {-std::log(2e-7), -std::log(0.75)});
  test::expect_near(compute(given, loss_of(loss, Semantics::keras3)), {-std::log(1e-7), -std::log(0.75)});
}

TEST(L10, MseIsTheMeanOfSquaresOverTheLastAxis) {
  test::expect_near(
      compute({floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {1, 0, 0, 0})}, loss_of(loss_named("mse"))),
      {2, 12.5});
}

TEST(L10, LabelsAreCastAndARankThatIsMissingIsAdded) {
  test::expect_near(compute({floats({3, 1}, {1, 2, 4}), classes({1, 1, 1})}, loss_of(loss_named("mse"))),
                    {0, 1, 9});
}

TEST(L10, RefusesLabelsThatWouldBroadcast) {
  EXPECT_EQ(
      refusal([&] {
        compute({floats({2, 3}, std::vector<float>(6)), floats({2, 1}, {1, 1})}, loss_of(loss_named("mse")));
      }),
      "[MeanSquaredError] labels are float32[2,1], predictions are float32[2,3]\n"
      "labels must have shape [2,3], one number per prediction");
}

TEST(Loss, MeanAbsoluteErrorIsTheMeanOfDistancesOverTheLastAxis) {
  test::expect_near(
      compute({floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {2, 0, 0, 4})}, loss_of(loss_named("mae"))),
      {1.5, 1.5});
}

TEST(L11, CategoricalCrossentropyFromLogitsIsTensorFlowsSoftmaxCrossEntropy) {
  const Loss loss = loss_named("CategoricalCrossentropy", {.from_logits = true});
  const std::vector<Tensor> given{floats({1, 3}, {1, 2, 4}), floats({1, 3}, {0.25, 0.25, 0.5})};
  const double sum = std::exp(1.0) + std::exp(2.0) + std::exp(4.0);
  test::expect_near(compute(given, loss_of(loss)), {std::log(sum) - (0.25 + 0.5 + 2)});
  EXPECT_EQ(test::kernels_of(test::step_of(given, loss_of(loss))), "softmax_cross_entropy");
}

TEST(Loss, CategoricalCrossentropyOfProbabilitiesNormalizesThem) {
  test::expect_near(compute({floats({1, 2}, {1, 3}), floats({1, 2}, {0, 1})},
                            loss_of(loss_named("CategoricalCrossentropy"))),
                    {-std::log(0.75)});
}

TEST(Loss, LabelSmoothingMovesLabelsTowardsTheEvenOnes) {
  const LossOptions smooth{.from_logits = true, .label_smoothing = 0.4};
  const double loss_0 = std::log1p(std::exp(1.0)), loss_1 = std::log1p(std::exp(-1.0));
  test::expect_near(compute({floats({1, 2}, {0, 1}), floats({1, 2}, {0, 1})},
                            loss_of(loss_named("CategoricalCrossentropy", smooth))),
                    {0.2 * loss_0 + 0.8 * loss_1});
  test::expect_near(
      compute({floats({1, 1}, {1}), floats({1, 1}, {1})}, loss_of(loss_named("BinaryCrossentropy", smooth))),
      {0.8 * loss_1 + 0.2 * loss_0});
}

// ---- logits

TEST(F18, AfterASoftmaxTheLogitsAreTaken) {
  const std::vector<Tensor> given{floats({1, 2}, {0, 200}), classes({0})};
  const auto function = after(softmax, loss_named("SparseCategoricalCrossentropy"));
  EXPECT_EQ(test::kernels_of(test::step_of(given, function)), "sparse_softmax_cross_entropy");
  test::expect_near(compute(given, function), {200});
}

TEST(F18, AfterASigmoidTheLogitsAreTaken) {
  const std::vector<Tensor> given{floats({1, 1}, {-200}), floats({1, 1}, {1})};
  const auto function = after(sigmoid, loss_named("BinaryCrossentropy"));
  EXPECT_EQ(test::kernels_of(test::step_of(given, function)), "binary_cross_entropy");
  test::expect_near(compute(given, function), {200});
}

// The loss is then computed from log p in place of logits. The kernel normalizes these again, which adds
// log(sum p).
TEST(F18, ProbabilitiesWhoseLogitsAreLostAreClipped) {
  const std::vector<Tensor> given{floats({1, 2}, {1, 0}), classes({1})};
  test::expect_near(compute(given, loss_of(loss_named("SparseCategoricalCrossentropy"))), {-std::log(1e-7)});
  test::expect_near(compute({floats({1, 2}, {0.5, 0.25}), classes({1})},
                            loss_of(loss_named("SparseCategoricalCrossentropy"))),
                    {-std::log(0.25) + std::log(0.75)});
}

TEST(F18, ASoftmaxThatSomethingFollowsIsNoSource) {
  const auto halved = [](const std::vector<Symbol>& x) {
    return per_example_loss(loss_named("SparseCategoricalCrossentropy"), x[1], softmax(x[0]) * 0.5);
  };
  test::expect_near(compute({floats({1, 2}, {0, 0}), classes({0})}, halved), {std::log(2.0)});
}

TEST(F18, FromLogitsAfterASoftmaxIsAMistakeThatKerasMendsAndTensorFlow20DoesNot) {
  const std::vector<Tensor> given{floats({1, 2}, {0, 200}), classes({0})};
  const Loss loss = loss_named("SparseCategoricalCrossentropy", {.from_logits = true});
  test::expect_near(compute(given, after(softmax, loss)), {200});
  test::expect_near(compute(given, after(softmax, loss, Semantics::tf20)), {1 + std::log1p(std::exp(-1.0))});
}

// ---- scaling

test::Function averaged(std::int64_t global) {
  return [=](const std::vector<Symbol>& x) { return compute_average_loss(x[0], global); };
}

// Four devices with 16 rows each divide by 64, so the sum of their gradients is the gradient over all 64
// rows. The results are exactly equal, since the numbers are small integers and 64 is a power of two.
TEST(L1, TheSumOfReplicasGradientsIsTheGradientOfOneDevice) {
  std::vector<float> x(64), y(64);
  for (std::size_t i = 0; i < 64; ++i) {
    x[i] = static_cast<float>(i % 7) - 3;
    y[i] = static_cast<float>(i % 5);
  }
  const auto gradient = [&](std::size_t begin, std::size_t end) {
    const auto rows = [&](const std::vector<float>& all) {
      const std::vector<float> some(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                    all.begin() + static_cast<std::ptrdiff_t>(end));
      return floats({static_cast<std::int64_t>(some.size()), 1}, some);
    };
    return compute({rows(x), rows(y), floats({1, 1}, {2})}, [](const std::vector<Symbol>& in) {
      const Symbol losses = per_example_loss(loss_named("mse", none), in[1], matmul(in[0], in[2]));
      return in[0].trace->gradient(compute_average_loss(losses, 64), {{in[2]}})[0];
    })[0];
  };
  double sum = 0;
  for (std::size_t replica = 0; replica < 4; ++replica) sum += gradient(16 * replica, 16 * (replica + 1));
  EXPECT_EQ(sum, gradient(0, 64));
}

TEST(L2, TheSumIsMultipliedByTheRoundedReciprocal) {
  const std::vector<Tensor> given{floats({2}, {2, 3})};
  const auto scaled = [](const std::vector<Symbol>& x) { return scaled_loss_sum(x[0], 3); };
  EXPECT_EQ(compute(given, scaled)[0], static_cast<double>(5.0f * (1.0f / 3.0f)));
  EXPECT_EQ(compute(given, averaged(3))[0], static_cast<double>(5.0f / 3.0f));
  EXPECT_NE(5.0f * (1.0f / 3.0f), 5.0f / 3.0f);
}

TEST(L3, AverageLossDividesTheSumByTheGlobalBatch) {
  EXPECT_EQ(compute({floats({2}, {2, 3})}, averaged(4)), std::vector<double>{1.25});
  EXPECT_EQ(compute({floats({2}, {4, 5})}, averaged(4)), std::vector<double>{2.25});
  EXPECT_EQ(compute({classes({2, 3})}, averaged(4)), std::vector<double>{1.25});
}

TEST(L3, NoRowsGiveNoLoss) {
  EXPECT_EQ(compute({floats({0}, {})}, averaged(0)), std::vector<double>{0});
  const auto by_rows = [](const std::vector<Symbol>& x) { return compute_average_loss(x[0], x[1]); };
  EXPECT_EQ(compute({floats({0}, {}), Tensor::of<std::int64_t>({}, {0})}, by_rows), std::vector<double>{0});
  EXPECT_EQ(compute({floats({2}, {2, 4}), Tensor::of<std::int64_t>({}, {3})}, by_rows),
            std::vector<double>{2});
}

TEST(L3, RefusesABatchBelowZero) {
  EXPECT_EQ(refusal([&] {
              compute({floats({2}, {2, 3})}, averaged(-1));
            }),
            "[compute_average_loss] global_batch_size is -1\nit must be at least 0");
}

TEST(L4, RegularizationIsDividedByTheReplicas) {
  const auto scaled = [](const std::vector<Symbol>& x) { return scale_regularization_loss(x[0], 4); };
  EXPECT_EQ(compute({floats({2}, {2, 4})}, scaled), std::vector<double>{1.5});
  EXPECT_EQ(compute({floats({}, {6})}, scaled), std::vector<double>{1.5});
}

TEST(L6, FitReducesToTheMeanOfTheRowsUnlessToldTheSum) {
  const auto reduced = [](LossReduction reduction) {
    return compute({floats({4}, {1, 2, 3, 4})},
                   [=](const std::vector<Symbol>& x) { return reduce_loss(x[0], reduction); });
  };
  EXPECT_EQ(reduced(LossReduction::auto_), std::vector<double>{2.5});
  EXPECT_EQ(reduced(LossReduction::sum_over_batch_size), std::vector<double>{2.5});
  EXPECT_EQ(reduced(LossReduction::sum), std::vector<double>{10});
  EXPECT_EQ(reduced(LossReduction::none), (std::vector<double>{1, 2, 3, 4}));
}

TEST(L7, ACustomLoopRefusesAMeanOverTheLocalRows) {
  for (const LossReduction reduction : {LossReduction::auto_, LossReduction::sum_over_batch_size}) {
    EXPECT_EQ(
        refusal([&] { require_custom_loop_reduction(reduction, Semantics::keras2); }),
        "Please use `tf.keras.losses.Reduction.SUM` or `tf.keras.losses.Reduction.NONE` for loss reduction "
        "when losses are used with `tf.distribute.Strategy`, except for specifying losses in "
        "`Model.compile()` for use by the built-in training looop `Model.fit()`.\n"
        "Please see https://www.tensorflow.org/tutorials/distribute/custom_training for more details.");
    EXPECT_NO_THROW(require_custom_loop_reduction(reduction, Semantics::keras3));
  }
  EXPECT_NO_THROW(require_custom_loop_reduction(LossReduction::sum, Semantics::keras2));
  EXPECT_NO_THROW(require_custom_loop_reduction(LossReduction::none, Semantics::keras2));
}

// ---- reading

TEST(Loss, IsReadAsANameOrAsAnObjectOfKeras2Or3) {
  Problems problems;
  const auto read = [&](const std::string& text) {
    return read_loss(json::parse(text, "x.json"), problems).value();
  };
  EXPECT_EQ(read(R"("mse")").type->name, "MeanSquaredError");
  const Loss keras2 =
      read(R"({"class_name": "BinaryCrossentropy", "config": {"reduction": "none", "name": "b",
                               "from_logits": true, "label_smoothing": 0.1, "axis": -1}})");
  EXPECT_EQ(keras2.options.reduction, LossReduction::none);
  EXPECT_TRUE(keras2.options.from_logits);
  EXPECT_EQ(keras2.options.label_smoothing, 0.1);
  const Loss keras3 = read(R"({"module": "keras.losses", "class_name": "SparseCategoricalCrossentropy",
                               "config": {"name": "s", "reduction": null, "dtype": null, "from_logits": false,
                               "ignore_class": null}, "registered_name": null})");
  EXPECT_EQ(keras3.options.reduction, LossReduction::none);
  EXPECT_FALSE(problems.any());
}

TEST(Loss, NamesWhatIsWrongInAFile) {
  EXPECT_EQ(
      problems_of(R"("sparse_categorical_crossentropi")"),
      "x.json:1:1: unknown loss \"sparse_categorical_crossentropi\"\n"
      "  1 | \"sparse_categorical_crossentropi\"\n"
      "    | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
      "did you mean \"sparse_categorical_crossentropy\"? known: BinaryCrossentropy, BinaryFocalCrossentropy, "
      "CTC, CategoricalCrossentropy, CategoricalFocalCrossentropy, CategoricalGeneralizedCrossEntropy, "
      "CategoricalHinge, Circle, CosineSimilarity, Dice, Hinge, Huber, KLDivergence, LogCosh, "
      "MeanAbsoluteError, MeanAbsolutePercentageError, MeanSquaredError, MeanSquaredLogarithmicError, "
      "Poisson, "
      "SparseCategoricalCrossentropy, SquaredHinge, Tversky");
  EXPECT_EQ(problems_of("3"),
            "x.json:1:1: expected a name or an object, found a whole number\n"
            "  1 | 3\n"
            "    | ^\n"
            "write \"name\" or {\"class_name\": \"Name\", \"config\": {...}}");
  EXPECT_EQ(problems_of(R"({"class_name": "MeanSquaredError", "config": {"reduction": "avg"}})"),
            "x.json:1:60: unknown reduction \"avg\"\n"
            "  1 | {\"class_name\": \"MeanSquaredError\", \"config\": {\"reduction\": \"avg\"}}\n"
            "    |                                                            ^~~~~\n"
            "known: auto, none, sum, sum_over_batch_size, mean_with_sample_weight");
  EXPECT_NE(problems_of(R"({"class_name": "Huber", "config": {"detla": 3}})").find("did you mean \"delta\"?"),
            std::string::npos);
  EXPECT_NE(problems_of(R"({"class_name": "CategoricalGeneralizedCrossEntropy", "config": {"q": 1}})")
                .find("q must be in the interval (0, 1)"),
            std::string::npos);
}

TEST(Semantics, EverySwitchSaysWhatItDoesAndMakesADifference) {
  for (const SwitchRow& row : switches()) {
    EXPECT_FALSE(row.summary.empty() || row.otherwise.empty() || row.source.empty()) << row.name;
    EXPECT_FALSE(row.keras2 == row.keras3 && row.keras3 == row.tf20) << row.name;
    for (const SemanticsRow& semantics : all_semantics())
      EXPECT_NO_THROW(static_cast<void>(is_on(row.id, semantics.value)));
  }
}

}  // namespace
}  // namespace wt::model
