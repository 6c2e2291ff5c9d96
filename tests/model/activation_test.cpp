// Claim: at their kinks activations have the values and slopes that TensorFlow's have. The numbers are those of the
// recordings activation_* (tests/recordings/losses_metrics.tar.gz), the gradient divided by what it was multiplied with.
#include "model/activation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "model/numbers.h"
#include "program/trace.h"

namespace wt::model {
namespace {

using Numbers = std::vector<double>;

const Tensor grid = test::floats({7}, {-6, -1e-20F, 0, 1e-20F, 5.9F, 6, 6.1F});

Numbers values_of(std::string_view activation, const Tensor& at = grid) {
  return test::compute({at}, [=](const std::vector<Symbol>& x) { return activate(x[0], activation); });
}
Numbers slopes_of(std::string_view activation, const Tensor& at = grid) {
  return test::compute({at}, [=](const std::vector<Symbol>& x) {
    return x[0].trace->gradient(reduce_sum(activate(x[0], activation)), std::span(x)).front();
  });
}

TEST(Activations, HaveTensorFlowsSlopesAtTheirKinks) {
  test::expect_near(slopes_of("relu"), {0, 0, 0, 1, 1, 1, 1});
  test::expect_near(slopes_of("relu6"), {0, 0, 0, 1, 1, 0, 0});
  test::expect_near(slopes_of("leaky_relu"), {0.2, 0.2, 0.2, 1, 1, 1, 1});
  test::expect_near(slopes_of("elu"), {std::exp(-6.0), 1, 1, 1, 1, 1, 1});
  const auto logistic = [](double x) { return 1 / (1 + std::exp(-x)); };
  test::expect_near(slopes_of("softplus"),
                    {logistic(-6), 0.5, 0.5, 0.5, logistic(5.9), logistic(6), logistic(6.1)});
}

TEST(Activations, OfKeras3HaveTensorFlowsSlopesAtTheirKinks) {
  struct Kinks {
    std::string_view activation{};
    std::vector<float> at{};
    Numbers values{}, slopes{};
  };
  const Kinks recorded[] = {
      {"hard_tanh", {-1, 1}, {-1, 1}, {1, 1}},
      {"hard_silu", {-3, -2, 0, 2, 3}, {0, -1.0 / 3, 0, 5.0 / 3, 3}, {0, -1.0 / 6, 0.5, 7.0 / 6, 1}},
      {"soft_shrink", {-0.5, 0.5}, {0, 0}, {0, 0}},
      {"hard_shrink", {-0.5, 0.5}, {0, 0}, {0, 0}},
      {"sparse_sigmoid", {-1, 1}, {0, 1}, {0, 0}},
      {"log_sigmoid", {0, 6}, {-0.6931471824645996, -0.002475685440003872}, {0.5, 0.0024726232}},
      {"squareplus", {0, 6}, {1, 6.162277698516846}, {0.5, 0.9743416}},
  };
  for (const Kinks& each : recorded) {
    SCOPED_TRACE(each.activation);
    const Tensor x = test::floats({static_cast<std::int64_t>(each.at.size())}, each.at);
    test::expect_near(values_of(each.activation, x), each.values);
    test::expect_near(slopes_of(each.activation, x), each.slopes);
  }
}

TEST(Activations, HardSigmoidIsThatOfEachKeras) {
  const auto slopes = [](Semantics semantics, const Tensor& at) {
    return test::compute({at}, [=](const std::vector<Symbol>& x) {
      const Symbol y = activate(x[0], "hard_sigmoid", semantics);
      return x[0].trace->gradient(reduce_sum(y), std::span(x)).front();
    });
  };
  const auto values = [](Semantics semantics, const Tensor& at) {
    return test::compute(
        {at}, [=](const std::vector<Symbol>& x) { return activate(x[0], "hard_sigmoid", semantics); });
  };
  const Tensor at = test::floats({5}, {-3, -2.5, 0, 2.5, 3});
  test::expect_near(values(Semantics::keras2, at), {0, 0, 0.5, 1, 1});
  test::expect_near(slopes(Semantics::keras2, at), {0, 0.2, 0.2, 0.2, 0});
  test::expect_near(values(Semantics::keras3, at), {0, 0.5 / 6, 0.5, 5.5 / 6, 1});
  test::expect_near(slopes(Semantics::keras3, at), {0, 1.0 / 6, 1.0 / 6, 1.0 / 6, 0});
}

// Between the kinks they are their formulas.
TEST(Activations, AreTheirFormulas) {
  struct Formula {
    std::string_view activation{};
    double (*of)(double x) = nullptr;
  };
  const Formula formulas[] = {
      {"celu", [](double x) { return x > 0 ? x : std::expm1(x); }},
      {"hard_shrink", [](double x) { return std::abs(x) > 0.5 ? x : 0; }},
      {"hard_silu", [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }},
      {"hard_tanh", [](double x) { return std::clamp(x, -1.0, 1.0); }},
      {"log_sigmoid", [](double x) { return -std::log1p(std::exp(-x)); }},
      {"mish", [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
      {"soft_shrink", [](double x) { return x > 0.5    ? x - 0.5
                                            : x < -0.5 ? x + 0.5
                                                       : 0; }},
      {"sparse_plus", [](double x) { return x <= -1  ? 0
                                            : x >= 1 ? x
                                                     : (x + 1) * (x + 1) / 4; }},
      {"sparse_sigmoid", [](double x) { return std::clamp((x + 1) / 2, 0.0, 1.0); }},
      {"squareplus", [](double x) { return (x + std::sqrt(x * x + 4)) / 2; }},
      {"tanh_shrink", [](double x) { return x - std::tanh(x); }},
  };
  const std::vector<float> at{-7, -2.5F, -0.75F, -0.25F, 0.125F, 0.75F, 2, 8};
  for (const Formula& each : formulas) {
    SCOPED_TRACE(each.activation);
    Numbers wanted;
    for (const float x : at) wanted.push_back(each.of(static_cast<double>(x)));
    test::expect_near(values_of(each.activation, test::floats({8}, at)), wanted);
  }
}

TEST(Activations, LogSoftmaxIsTheLogarithmOfSoftmax) {
  const Tensor rows = test::floats({2, 3}, {1, 2, 3, -200, 0, 300});
  const double sum = std::log(std::exp(-2.0) + std::exp(-1.0) + 1);
  test::expect_near(values_of("log_softmax", rows), {-2 - sum, -1 - sum, -sum, -500, -300, 0});
}

TEST(Activations, HaveTheirValuesAtTheKinks) {
  test::expect_near(values_of("relu6"), {0, 0, 0, 0, 5.9, 6, 6});
  test::expect_near(values_of("leaky_relu"), {-1.2, 0, 0, 0, 5.9, 6, 6.1});
  test::expect_near(
      values_of("softplus"),
      {std::log1p(std::exp(-6.0)), std::log(2.0), std::log(2.0), std::log(2.0),
       5.9 + std::log1p(std::exp(-5.9)), 6 + std::log1p(std::exp(-6.0)), 6.1 + std::log1p(std::exp(-6.1))});
}

}  // namespace
}  // namespace wt::model
