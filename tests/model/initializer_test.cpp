#include "model/initializer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace wt::model {
namespace {

const TensorSpec kernel{Type::float32, {3, 3, 4, 50}};

std::span<const float> numbers(const Tensor& tensor) { return tensor.values<float>(); }

double deviation(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST(Initializer, WithASeedGivesTensorFlowsStream) {
  const Tensor value = initial_value({Uniform{-2, 3}, 42}, {Type::float32, {10}}, "w", 7);
  std::vector<float> expected(10);
  fill_uniform(expected, stream_of({42, 0}), -2, 3);
  EXPECT_TRUE(std::ranges::equal(numbers(value), expected));
}

TEST(Initializer, WithoutASeedDependsOnTheRunAndTheWeightsNameOnly) {
  const auto value = [](std::string_view name, std::uint64_t run) {
    return initial_value(glorot_uniform, kernel, name, run);
  };
  const Tensor one = value("a/kernel", 1);
  EXPECT_TRUE(std::ranges::equal(numbers(one), numbers(value("a/kernel", 1))));
  EXPECT_FALSE(std::ranges::equal(numbers(one), numbers(value("b/kernel", 1))));
  EXPECT_FALSE(std::ranges::equal(numbers(one), numbers(value("a/kernel", 2))));
}

// The kernel's fan_in is 36 and its fan_out is 450.
TEST(Initializer, SpreadsByTheNumberOfInputsAndOutputs) {
  const Tensor uniform = initial_value(glorot_uniform, kernel, "w", 1);
  const double limit = std::sqrt(6.0 / (36 + 450));
  EXPECT_LE(*std::ranges::max_element(numbers(uniform)), limit);
  EXPECT_GT(*std::ranges::max_element(numbers(uniform)), 0.99 * limit);
  const Initializer he{
      VarianceScaling{2, VarianceScaling::Fan::in, VarianceScaling::Distribution::truncated_normal}, {}};
  const Tensor normal = initial_value(he, kernel, "w", 1);
  EXPECT_NEAR(deviation(numbers(normal)), std::sqrt(2.0 / 36), 0.02 * std::sqrt(2.0 / 36));
}

TEST(Initializer, CutsATruncatedNormalAtTwoDeviations) {
  const Tensor value = initial_value({Normal{0, 0.5, true}, 1}, kernel, "w", 1);
  for (const float number : numbers(value)) EXPECT_LT(std::abs(number), 1.0f);
}

TEST(Initializer, FillsIntegersWithConstantsAndStreamsWithTheirSeed) {
  EXPECT_EQ(initial_value(ones, {Type::int64, {}}, "n", 1).values<std::int64_t>()[0], 1);
  const Tensor stream = initial_value({StreamStart{}, 9}, {Type::int64, {2}}, "dropout/seed", 1);
  EXPECT_EQ(stream.values<std::int64_t>()[0], 9);
  EXPECT_EQ(stream.values<std::int64_t>()[1], 0);
  EXPECT_GT(initial_value({StreamStart{}, {}}, {Type::int64, {2}}, "d", 1).values<std::int64_t>()[0], 0);
}

TEST(Initializer, IsReadByEachOfItsNames) {
  for (const InitializerName& row : initializers()) {
    for (const std::string_view name : {row.name, row.class_name}) {
      Problems problems;
      const json::Value value = json::parse(fmt::format("\"{}\"", name), "x");
      initializer_from_json(value, problems);
      EXPECT_FALSE(problems.any()) << name;
    }
  }
}

TEST(Initializer, ReadsItsConfiguration) {
  Problems problems;
  const json::Value value = json::parse(
      R"({"class_name": "VarianceScaling", "config": {"scale": 3, "mode": "fan_out", "distribution": "normal", "seed": 5}})",
      "x");
  const Initializer read = initializer_from_json(value, problems);
  ASSERT_FALSE(problems.any());
  const auto& rule = std::get<VarianceScaling>(read.rule);
  EXPECT_EQ(rule.scale, 3);
  EXPECT_EQ(rule.fan, VarianceScaling::Fan::out);
  EXPECT_EQ(rule.distribution, VarianceScaling::Distribution::truncated_normal);
  EXPECT_EQ(read.seed, 5);
}

}  // namespace
}  // namespace wt::model
