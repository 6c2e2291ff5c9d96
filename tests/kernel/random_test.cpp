#include <gtest/gtest.h>

#include "base/random.h"
#include "kernel/apply.h"

namespace wt {
namespace {

Tensor seed(std::int64_t stream, std::int64_t step) { return Tensor::of<std::int64_t>({2}, {stream, step}); }

TEST(Dropout, ScalesWhatItKeeps) {
  const std::vector<float> x(20000, 3.0f);
  const auto outputs = apply("dropout", {floats({20000}, x), seed(7, 1)}, DropoutAttributes{0.25});
  std::int64_t kept = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool mask = outputs[1].values<bool>()[i];
    kept += mask;
    ASSERT_EQ(outputs[0].values<float>()[i], mask ? 4.0f : 0.0f) << i;
  }
  // Five standard deviations. One is the square root of 20000 * 0.25 * 0.75, about 61.
  EXPECT_NEAR(static_cast<double>(kept), 15000, 306);
}

// As in tf.random.experimental.stateless_dropout, an element is kept where its uniform number is not below
// the rate.
TEST(Dropout, KeepsWhereTheUniformNumberIsNotBelowTheRate) {
  std::vector<float> uniform(20000);
  fill_uniform(uniform, stream_of({7, 3}));
  const std::vector<float> x(uniform.size(), 1.0f);
  for (double rate : {0.0, 0.1, 0.5, 0.999}) {
    const auto outputs = apply("dropout", {floats({20000}, x), seed(7, 3)}, DropoutAttributes{rate});
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(outputs[1].values<bool>()[i], uniform[i] >= static_cast<float>(rate)) << rate << " " << i;
  }
}

TEST(Uniform, IsTheStreamsNumbersTimesAValue) {
  std::vector<float> expected(1001);
  fill_uniform(expected, stream_of({7, 3}));
  const auto drawn =
      numbers<float>(apply("uniform", {seed(7, 3)}, FillAttributes{{Type::float32, {1001}}, -4})[0]);
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(drawn[i], -4 * expected[i]) << i;
  EXPECT_EQ(refusal("uniform", {{Type::int64, {2}}}, FillAttributes{{Type::int32, {3}}, 1}),
            "[uniform] y must be float32, float64, float16 or bfloat16: it is int32[3]");
}

TEST(Dropout, DependsOnSeedAndStep) {
  const Tensor x = floats({64}, std::vector<float>(64, 1.0f));
  const auto drawn = [&](std::int64_t stream, std::int64_t step) {
    return numbers<float>(apply("dropout", {x, seed(stream, step)}, DropoutAttributes{0.5})[0]);
  };
  EXPECT_EQ(drawn(1, 1), drawn(1, 1));
  EXPECT_NE(drawn(1, 1), drawn(1, 2));
  EXPECT_NE(drawn(1, 1), drawn(2, 1));
}

TEST(Dropout, GradientGoesThroughTheMask) {
  const Tensor mask = Tensor::of<bool>({3}, {true, false, true});
  EXPECT_EQ(
      numbers<float>(apply("dropout_gradient", {floats({3}, {1, 2, 3}), mask}, DropoutAttributes{0.5})[0]),
      (std::vector<float>{2, 0, 6}));
}

TEST(Dropout, RefusesWhatDoesntFit) {
  const TensorSpec x{Type::float32, {4}};
  EXPECT_EQ(refusal("dropout", {x, {Type::int64, {2}}}, DropoutAttributes{1}),
            "[dropout] the rate is 1; it must be at least 0 and less than 1");
  EXPECT_EQ(refusal("dropout", {x, {Type::int32, {2}}}, DropoutAttributes{}),
            "[dropout] seed must be int64: it is int32[2]");
  EXPECT_EQ(refusal("dropout_gradient", {x, {Type::boolean, {5}}}, DropoutAttributes{}),
            "[dropout_gradient] mask must have shape [4]: it is bool[5]");
}

}  // namespace
}  // namespace wt
