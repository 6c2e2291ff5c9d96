#include <gtest/gtest.h>

#include <cmath>

#include "kernel/apply.h"

namespace wt {
namespace {

using Doubles = std::vector<double>;

void expect_near(const Tensor& tensor, const Doubles& expected) {
  ASSERT_EQ(tensor.values<double>().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(tensor.values<double>()[i], expected[i], 1e-12) << "element " << i;
}

const Tensor logits = doubles({2, 2}, {0, std::log(3.0), 7, 7});  // softmax 1/4 3/4 1/2 1/2

TEST(CrossEntropy, OfClassesIsMinusTheLogOfTheirProbability) {
  for (const Tensor& labels :
       {Tensor::of<std::int64_t>({2}, {1, 0}), Tensor::of<std::int32_t>({2}, {1, 0})}) {
    const auto outputs = apply("sparse_softmax_cross_entropy", {logits, labels});
    expect_near(outputs[0], {-std::log(0.75), -std::log(0.5)});
    expect_near(outputs[1], {0.25, -0.25, -0.5, 0.5});
  }
}

TEST(CrossEntropy, OfProbabilitiesIsTheirMean) {
  const auto outputs = apply("softmax_cross_entropy", {logits, doubles({2, 2}, {0.5, 0.5, 0, 1})});
  expect_near(outputs[0], {-0.5 * std::log(0.25) - 0.5 * std::log(0.75), -std::log(0.5)});
  expect_near(outputs[1], {-0.25, 0.25, 0.5, -0.5});
}

// With such logits log(sum of exp) would overflow, and log(softmax) would be minus infinity.
TEST(CrossEntropy, StandsLargeLogits) {
  const Tensor labels = Tensor::of<std::int64_t>({1}, {1});
  const auto outputs = apply("sparse_softmax_cross_entropy", {floats({1, 2}, {1000, -1000}), labels});
  EXPECT_EQ(outputs[0].values<float>()[0], 2000.0f);
  EXPECT_EQ(outputs[1].values<float>()[0], 1.0f);
}

TEST(CrossEntropy, NamesTheLabelThatIsNoClass) {
  for (std::int64_t wrong : {-1, 2}) {
    try {
      apply("sparse_softmax_cross_entropy", {logits, Tensor::of<std::int64_t>({2}, {0, wrong})});
      FAIL() << wrong;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()),
                fmt::format(
                    "[sparse_softmax_cross_entropy] label {} in row 1 is not a class: logits has 2 columns; "
                    "labels must be from 0 to 1",
                    wrong));
    }
  }
}

TEST(MeanSquaredError, AveragesALastAxisOnly) {
  const Tensor prediction = doubles({2, 2}, {1, 2, 3, 4}), target = doubles({2, 2}, {1, 0, 0, 0});
  expect_near(apply("mean_squared_error", {prediction, target})[0], {2, 12.5});
  const Tensor dloss = doubles({2}, {1, 10});
  expect_near(apply("mean_squared_error_gradient", {dloss, prediction, target})[0], {0, 2, 30, 40});
}

TEST(BinaryCrossEntropy, IsTheLogitForm) {
  const Tensor x = doubles({1, 2}, {0, std::log(3.0)}), labels = doubles({1, 2}, {1, 0});
  expect_near(apply("binary_cross_entropy", {x, labels})[0], {(std::log(2.0) + std::log(4.0)) / 2});
  expect_near(apply("binary_cross_entropy_gradient", {doubles({1}, {2}), x, labels})[0], {-0.5, 0.75});
}

TEST(BinaryCrossEntropy, StandsLargeLogits) {
  const Tensor loss =
      apply("binary_cross_entropy", {floats({3, 1}, {1000, -1000, 1000}), floats({3, 1}, {1, 0, 0})})[0];
  EXPECT_EQ(numbers<float>(loss), (std::vector<float>{0, 0, 1000}));
}

TEST(Losses, RefuseWhatDoesntFit) {
  const auto f32 = [](const Shape& shape) { return TensorSpec{Type::float32, shape}; };
  EXPECT_EQ(refusal("sparse_softmax_cross_entropy", {f32({4, 3}), {Type::int64, {4, 1}}}),
            "[sparse_softmax_cross_entropy] logits is float32[4,3] and labels is int64[4,1]; labels must "
            "have shape "
            "[4], one class per row");
  EXPECT_EQ(refusal("sparse_softmax_cross_entropy", {f32({4, 3}), f32({4})}),
            "[sparse_softmax_cross_entropy] labels must be int32 or int64: it is float32[4]");
  EXPECT_EQ(refusal("softmax_cross_entropy", {f32({4, 0}), f32({4, 0})}),
            "[softmax_cross_entropy] logits has no columns: it is float32[4,0]");
  EXPECT_EQ(refusal("mean_squared_error", {f32({4, 3}), f32({4})}),
            "[mean_squared_error] the shapes differ: prediction is float32[4,3], target is float32[4]");
  EXPECT_EQ(refusal("binary_cross_entropy_gradient", {f32({3}), f32({4, 3}), f32({4, 3})}),
            "[binary_cross_entropy_gradient] the shapes differ: dloss is float32[3], a number per row is "
            "float32[4]");
}

}  // namespace
}  // namespace wt
