// Steps by the formulas of Keras 2: computed by hand on numbers that are exact in float32, and compared with
// the same formulas written out once more in double.
#include <gtest/gtest.h>

#include <cmath>

#include "kernel/apply.h"

namespace wt {
namespace {

using Floats = std::vector<float>;

Tensor scalar(float value) { return floats({}, {value}); }
Tensor count(std::int64_t value) { return Tensor::of(Shape{}, std::vector<std::int64_t>{value}); }

TEST(SgdUpdate, WithoutMomentumStepsDownhill) {
  const std::vector<Tensor> next =
      apply("sgd_update",
            {floats({2}, {1, 2}), floats({1}, {3}), floats({2}, {4, -8}), floats({1}, {0}), scalar(0.25)},
            SgdAttributes{});
  ASSERT_EQ(next.size(), 2u);
  EXPECT_EQ(numbers<float>(next[0]), (Floats{0, 4}));
  EXPECT_EQ(numbers<float>(next[1]), (Floats{3}));
}

TEST(SgdUpdate, MomentumAndNesterov) {
  const std::vector<Tensor> inputs{floats({1}, {1}), floats({1}, {2}), floats({1}, {4}), scalar(0.25)};
  const std::vector<Tensor> plain = apply("sgd_update", inputs, SgdAttributes{.momentum = 0.5});
  EXPECT_EQ(numbers<float>(plain[1]), (Floats{0}));  // -4/4 + 2/2
  EXPECT_EQ(numbers<float>(plain[0]), (Floats{1}));
  const std::vector<Tensor> nesterov =
      apply("sgd_update", inputs, SgdAttributes{.momentum = 0.25, .nesterov = true});
  EXPECT_EQ(numbers<float>(nesterov[1]), (Floats{-0.5}));
  EXPECT_EQ(numbers<float>(nesterov[0]), (Floats{-0.125}));  // 1 - 1 - 0.5/4
}

TEST(SgdUpdate, DecaysWeightsBeforeTheStep) {
  const std::vector<Tensor> next = apply("sgd_update", {floats({1}, {8}), floats({1}, {4}), scalar(0.25)},
                                         SgdAttributes{.weight_decay = 0.5});
  EXPECT_EQ(numbers<float>(next[0]), (Floats{6}));  // 8 - 8/2/4 - 1
}

TEST(AdamUpdate, FirstStepMovesByTheLearningRate) {
  const std::vector<Tensor> next = apply("adam_update",
                                         {floats({2}, {1, 1}), floats({2}, {0, 0}), floats({2}, {0, 0}),
                                          count(0), floats({2}, {0.5, -2}), scalar(0.001f)},
                                         AdamAttributes{});
  ASSERT_EQ(next.size(), 4u);
  EXPECT_NEAR(next[0].values<float>()[0], 0.999, 1e-6);
  EXPECT_NEAR(next[0].values<float>()[1], 1.001, 1e-6);
  EXPECT_FLOAT_EQ(next[1].values<float>()[0], 0.05f);
  EXPECT_FLOAT_EQ(next[2].values<float>()[1], 0.004f);
  EXPECT_EQ(next[3].values<std::int64_t>()[0], 1);
}

TEST(AdamUpdate, FollowsTheFormulaOverManySteps) {
  const AdamAttributes attributes{.beta_1 = 0.8, .beta_2 = 0.95, .epsilon = 1e-3, .weight_decay = 0.1};
  double w = 1, m = 0, v = 0;
  std::vector<Tensor> state{doubles({1}, {w}), doubles({1}, {m}), doubles({1}, {v}), count(0)};
  for (int t = 1; t <= 20; ++t) {
    const double g = std::sin(t), rate = 0.1 / t;
    w -= w * 0.1 * rate;
    m = 0.8 * m + 0.2 * g;
    v = 0.95 * v + 0.05 * g * g;
    w -= rate * std::sqrt(1 - std::pow(0.95, t)) / (1 - std::pow(0.8, t)) * m / (std::sqrt(v) + 1e-3);
    std::vector<Tensor> inputs = state;
    inputs.push_back(doubles({1}, {g}));
    inputs.push_back(doubles({}, {rate}));
    state = apply("adam_update", inputs, attributes);
    ASSERT_NEAR(state[0].values<double>()[0], w, 1e-13) << t;
    ASSERT_EQ(state[3].values<std::int64_t>()[0], t);
  }
}

// Two look-ups of one row with the gradients 3 and 4: Keras 3 passes their sum 7, and 25 as its square.
TEST(AdamUpdate, TakesTheSquaresThatAreGiven) {
  const AdamAttributes attributes{.beta_1 = 0.5, .beta_2 = 0.5, .given_squares = true};
  const std::vector<Tensor> next = apply("adam_update",
                                         {doubles({1}, {1}), doubles({1}, {0}), doubles({1}, {1}), count(0),
                                          doubles({1}, {7}), doubles({1}, {25}), doubles({}, {0.1})},
                                         attributes);
  ASSERT_EQ(next.size(), 4u);
  EXPECT_DOUBLE_EQ(next[1].values<double>()[0], 3.5);
  EXPECT_DOUBLE_EQ(next[2].values<double>()[0], 13);
  EXPECT_NEAR(next[0].values<double>()[0], 1 - 0.1 * std::sqrt(0.5) / 0.5 * 3.5 / (std::sqrt(13.0) + 1e-7),
              1e-12);
}

TEST(RmsPropUpdate, TakesTheSquaresThatAreGiven) {
  const RmsPropAttributes attributes{.rho = 0.5, .epsilon = 0, .given_squares = true};
  const std::vector<Tensor> next =
      apply("rmsprop_update",
            {doubles({1}, {1}), doubles({1}, {7}), doubles({1}, {7}), doubles({1}, {25}), doubles({}, {0.5})},
            attributes);
  EXPECT_DOUBLE_EQ(next[1].values<double>()[0], 16);
  EXPECT_DOUBLE_EQ(next[0].values<double>()[0], 1 - 0.5 * 7 / 4);
}

TEST(RmsPropUpdate, HasSlotsOnlyForWhatItDoes) {
  // mean square 4, root 2; step 0.25 * 2 / 2
  const RmsPropAttributes plain{.rho = 0.5, .epsilon = 0};
  const std::vector<Tensor> next =
      apply("rmsprop_update", {floats({1}, {1}), floats({1}, {4}), floats({1}, {2}), scalar(0.25)}, plain);
  ASSERT_EQ(next.size(), 2u);
  EXPECT_EQ(numbers<float>(next[0]), (Floats{0.75}));
  EXPECT_EQ(numbers<float>(next[1]), (Floats{4}));

  // velocity 0.5 * 3 + 0.25
  const std::vector<Tensor> faster =
      apply("rmsprop_update",
            {floats({1}, {1}), floats({1}, {4}), floats({1}, {3}), floats({1}, {2}), scalar(0.25)},
            RmsPropAttributes{.rho = 0.5, .momentum = 0.5, .epsilon = 0});
  ASSERT_EQ(faster.size(), 3u);
  EXPECT_EQ(numbers<float>(faster[0]), (Floats{-0.75}));
  EXPECT_EQ(numbers<float>(faster[2]), (Floats{1.75}));

  // mean square 5, mean 1, variance 4
  const std::vector<Tensor> centered =
      apply("rmsprop_update",
            {floats({1}, {1}), floats({1}, {6}), floats({1}, {0}), floats({1}, {2}), scalar(0.25)},
            RmsPropAttributes{.rho = 0.5, .epsilon = 0, .centered = true});
  ASSERT_EQ(centered.size(), 3u);
  EXPECT_EQ(numbers<float>(centered[0]), (Floats{0.75}));
  EXPECT_EQ(numbers<float>(centered[2]), (Floats{1}));
}

TEST(Optimizer, UpdatesManyParametersOfManySizes) {
  std::vector<Tensor> weights, gradients;
  for (const std::int64_t size : {1, 20000, 0, 16384, 7, 50000}) {
    std::vector<float> w(static_cast<std::size_t>(size)), g(w.size());
    for (std::size_t i = 0; i < w.size(); ++i) {
      w[i] = static_cast<float>(i % 97);
      g[i] = static_cast<float>(i % 13);
    }
    weights.push_back(floats({size}, w));
    gradients.push_back(floats({size}, g));
  }
  std::vector<Tensor> inputs = weights;
  inputs.insert(inputs.end(), gradients.begin(), gradients.end());
  inputs.push_back(scalar(0.5));
  const std::vector<Tensor> next = apply("sgd_update", inputs, SgdAttributes{});
  for (std::size_t p = 0; p < weights.size(); ++p)
    for (std::size_t i = 0; i < next[p].values<float>().size(); ++i)
      ASSERT_EQ(next[p].values<float>()[i], static_cast<float>(i % 97) - 0.5f * static_cast<float>(i % 13))
          << p;
}

TEST(Optimizer, RefusesWhatDoesNotFit) {
  const TensorSpec w{Type::float32, {2}}, lr{Type::float32, {}}, t{Type::int64, {}};
  EXPECT_EQ(refusal("sgd_update", {lr}, SgdAttributes{}),
            "[sgd_update] 1 operands do not match w.., g.., lr (without momentum); n parameters need 2n + 1 "
            "operands");
  EXPECT_EQ(refusal("sgd_update", {}, SgdAttributes{}),
            "[sgd_update] 0 operands do not match w.., g.., lr (without momentum); n parameters need 2n + 1 "
            "operands");
  EXPECT_EQ(refusal("sgd_update", {w, w, lr}, SgdAttributes{.momentum = 0.9}),
            "[sgd_update] 3 operands do not match w.., m.., g.., lr; n parameters need 3n + 1 operands");
  EXPECT_EQ(refusal("sgd_update", {w, {Type::float32, {3}}, lr}, SgdAttributes{}),
            "[sgd_update] the shapes differ: w0 is float32[2], g0 is float32[3]");
  EXPECT_EQ(refusal("sgd_update", {w, w, w}, SgdAttributes{}),
            "[sgd_update] lr must have shape []: it is float32[2]");
  EXPECT_EQ(refusal("sgd_update", {w, w, {Type::float64, {}}}, SgdAttributes{}),
            "[sgd_update] lr must be float32: it is float64[]");
  EXPECT_EQ(refusal("adam_update", {w, w, w, lr, w, lr}, AdamAttributes{}),
            "[adam_update] iterations must be int64: it is float32[]");
  EXPECT_EQ(refusal("adam_update", {w, w, {Type::float32, {3}}, t, w, lr}, AdamAttributes{}),
            "[adam_update] the shapes differ: w0 is float32[2], v0 is float32[3]");
  EXPECT_EQ(refusal("rmsprop_update", {w, w, w, lr}, RmsPropAttributes{.momentum = 0.9, .centered = true}),
            "[rmsprop_update] 4 operands do not match w.., rms.., momentum.., mean.., g.., lr; n parameters "
            "need 5n + 1 operands");
}

}  // namespace
}  // namespace wt
