#include <gtest/gtest.h>

#include <cmath>

#include "device/cpu/workers.h"
#include "kernel/apply.h"
#include "kernel/cpu/isa.h"

namespace wt {
namespace {

using Doubles = std::vector<double>;

void expect_near(const Tensor& tensor, const Doubles& expected, double tolerance = 1e-12) {
  ASSERT_EQ(tensor.values<double>().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(tensor.values<double>()[i], expected[i], tolerance) << "element " << i;
}

TEST(Softmax, SharesOutOne) {
  const Tensor y = apply("softmax", {doubles({2, 2}, {0, std::log(3.0), 5, 5})})[0];
  expect_near(y, {0.25, 0.75, 0.5, 0.5});
}

// Large numbers do not overflow, masked elements (minus infinity) become 0, and a NaN affects its own row
// only.
TEST(Softmax, StandsExtremes) {
  const float inf = INFINITY;
  const Tensor y = apply("softmax", {floats({3, 2}, {1000, 1000, 3, -inf, 1, NAN})})[0];
  EXPECT_EQ(y.values<float>()[0], 0.5f);
  EXPECT_EQ(y.values<float>()[1], 0.5f);
  EXPECT_EQ(y.values<float>()[2], 1.0f);
  EXPECT_EQ(y.values<float>()[3], 0.0f);
  EXPECT_TRUE(std::isnan(y.values<float>()[4]));
}

TEST(Softmax, AddsUpToOneInRowsOfAnyLength) {
  for (int width : {1, 2, 15, 16, 17, 33, 1000}) {
    std::vector<float> x;
    for (int i = 0; i < width; ++i) x.push_back(static_cast<float>(i * 37 % 11) - 5);
    const Tensor y = apply("softmax", {floats({width}, x)})[0];
    double sum = 0, reference = 0;
    for (float value : y.values<float>()) sum += static_cast<double>(value);
    EXPECT_NEAR(sum, 1, 1e-6) << width;
    for (float value : x) reference += std::exp(static_cast<double>(value));
    EXPECT_NEAR(y.values<float>().back(), std::exp(static_cast<double>(x.back())) / reference, 1e-7) << width;
  }
}

const Tensor one = doubles({1}, {1}), zero = doubles({1}, {0});

TEST(BatchNorm, NormalizesAndMovesItsAverages) {
  const Tensor x = doubles({4, 1}, {1, 2, 3, 6});  // mean 3, variance 3.5
  const auto outputs = apply("batch_norm", {x, doubles({1}, {2}), doubles({1}, {10}), doubles({1}, {8}), one},
                             NormalizationAttributes{.epsilon = 0.5, .momentum = 0.75});
  expect_near(outputs[0], {8, 9, 10, 13});
  expect_near(outputs[1], {3});
  expect_near(outputs[2], {0.5});
  expect_near(outputs[3], {8 * 0.75 + 3 * 0.25});
  expect_near(outputs[4], {1 * 0.75 + 3.5 * 0.25});
}

// Bessel's correction n / (n - 1) reaches the moving average alone, and only where it is requested.
TEST(BatchNorm, CorrectsTheMovingVarianceOnRequest) {
  const auto moved = [](const Shape& shape, bool corrects_variance) {
    return apply(
        "batch_norm", {doubles(shape, {1, 2, 3, 6}), one, zero, zero, one},
        NormalizationAttributes{.epsilon = 0, .momentum = 0, .corrects_variance = corrects_variance});
  };
  for (const Shape& shape : {Shape{2, 1, 2, 1}, Shape{2, 2, 1}, Shape{1, 2, 1, 2, 1}}) {
    expect_near(moved(shape, true)[4], {3.5 * 4 / 3});
    expect_near(moved(shape, true)[2], {1 / std::sqrt(3.5)});
    expect_near(moved(shape, false)[4], {3.5});
    expect_near(moved(shape, false)[2], {1 / std::sqrt(3.5)});
  }
}

// There are many tiles of rows, and the values are far from 0. In float32, a sum of squares minus the square
// of the sum would have no correct digit.
TEST(BatchNorm, KeepsItsAccuracyFarFromZero) {
  constexpr int rows = 100000, channels = 3;
  std::vector<float> values;
  for (int i = 0; i < rows * channels; ++i)
    values.push_back(4096 + static_cast<float>(i / channels % 2 ? 0.5 : -0.5));
  const auto fill = [](float value) { return floats({channels}, {value, value, value}); };
  const auto outputs =
      apply("batch_norm", {floats({rows, channels}, values), fill(1), fill(0), fill(0), fill(0)},
            NormalizationAttributes{.epsilon = 0, .momentum = 0});
  for (std::size_t c = 0; c < channels; ++c) {
    EXPECT_NEAR(outputs[1].values<float>()[c], 4096, 1e-3);
    EXPECT_NEAR(outputs[2].values<float>()[c], 2, 1e-5);
  }
}

TEST(BatchNorm, OfNoRowsHasNoStatisticsAndLeavesTheMovingOnesAlone) {
  const auto outputs = apply("batch_norm", {Tensor::zeros({Type::float64, {0, 1}}), one, zero, zero, one},
                             NormalizationAttributes{});
  EXPECT_TRUE(std::isnan(outputs[1].values<double>()[0]));
  EXPECT_EQ(outputs[3].values<double>()[0], 0);
  EXPECT_EQ(outputs[4].values<double>()[0], 1);
}

// The row has `in_place`, so outputs may be in the memory of inputs with the same type and shape.
TEST(BatchNorm, WorksInPlace) {
  const NormalizationAttributes attributes;
  const Kernel& kernel = kernel_named("batch_norm");
  const auto counted = [](const Shape& shape, double step) {
    Doubles values;
    for (int i = 0; i < shape.elements(); ++i) values.push_back(1 + std::sin(i * step));
    return doubles(shape, values);
  };
  const auto in_place = [&](std::string_view name, const std::vector<Tensor>& inputs, std::size_t outputs) {
    const auto expected = apply(name, inputs, attributes);
    std::vector<View> views;
    std::vector<TensorSpec> specs;
    std::vector<Tensor> copies;
    for (const Tensor& input : inputs) {
      copies.push_back(input.copy());
      views.push_back(copies.back().view());
      specs.push_back(input.spec());
    }
    std::vector<View> results(views.begin(), views.begin() + static_cast<std::ptrdiff_t>(outputs));
    const Attributes any = attributes;
    Tensor spare;  // for dgamma, whose shape is not that of x
    for (std::size_t i = 0; i < outputs; ++i)
      if (results[i].spec != expected[i].spec()) {
        spare = Tensor::zeros(expected[i].spec());
        results[i] = spare.view();
      }
    const auto memory = allocate_numbers(Bytes(1 << 16));
    device::Workers workers(2);
    kernel_named(name).apply({views, results, {memory.get(), 1 << 16}, any}, workers);
    for (std::size_t i = 0; i < outputs; ++i)
      EXPECT_EQ(Doubles(results[i].values<double>().begin(), results[i].values<double>().end()),
                numbers<double>(expected[i]))
          << name << " output " << i;
  };
  const Shape x{70, 5}, c{5};
  EXPECT_TRUE(kernel.in_place);
  in_place("batch_norm", {counted(x, 1), counted(c, 2), counted(c, 3), counted(c, 4), counted(c, 5)}, 5);
  in_place("batch_norm_gradient", {counted(x, 1), counted(x, 2), counted(c, 3), counted(c, 4), counted(c, 5)},
           3);
  in_place("batch_norm_inference",
           {counted(x, 1), counted(c, 2), counted(c, 3), counted(c, 4), counted(c, 5)}, 1);
}

TEST(BatchNorm, GradientOfAConstantIsZero) {
  // If all slopes dy are equal, the loss depends on the sum of y only, which is n beta for every x. So dx is
  // 0, and the gradient of beta is the sum of dy.
  const auto outputs =
      apply("batch_norm_gradient",
            {doubles({3, 1}, {5, 5, 5}), doubles({3, 1}, {1, 2, 3}), one, doubles({1}, {2}), one},
            NormalizationAttributes{});
  expect_near(outputs[0], {0, 0, 0});
  expect_near(outputs[1], {0});
  expect_near(outputs[2], {15});
}

TEST(BatchNorm, InfersWithGivenStatistics) {
  const Tensor y =
      apply("batch_norm_inference",
            {doubles({2, 1}, {1, 5}), doubles({1}, {3}), doubles({1}, {10}), one, doubles({1}, {3.5})},
            NormalizationAttributes{.epsilon = 0.5})[0];
  expect_near(y, {10, 16});
}

TEST(LayerNorm, NormalizesEveryRow) {
  const auto outputs =
      apply("layer_norm", {doubles({2, 2}, {1, 3, 10, 30}), doubles({2}, {1, 2}), doubles({2}, {0, 5})},
            NormalizationAttributes{.epsilon = 0});
  expect_near(outputs[0], {-1, 7, -1, 7});
  expect_near(outputs[1], {2, 20});
  expect_near(outputs[2], {1, 0.1});
}

TEST(LayerNorm, GradientsOfManyRowsAddUp) {
  constexpr int rows = 300;  // several tiles
  const Tensor dy = doubles({rows, 2}, Doubles(2 * rows, 1.0));
  Doubles x;
  for (int i = 0; i < rows; ++i) x.insert(x.end(), {-1, 1});
  const auto outputs = apply("layer_norm_gradient",
                             {dy, doubles({rows, 2}, x), doubles({2}, {1, 1}),
                              doubles({rows}, Doubles(rows, 0.0)), doubles({rows}, Doubles(rows, 1.0))},
                             NormalizationAttributes{});
  expect_near(outputs[0], Doubles(2 * rows, 0.0));
  expect_near(outputs[1], {-rows, rows});
  expect_near(outputs[2], {rows, rows});
}

// The sums have a fixed order and no multiply-add is fused, so the numbers do not depend on the instruction
// set.
TEST(Normalization, AndPoolingAndLossesGiveTheSameBitsOnEveryInstructionSet) {
  const auto waves = [](const Shape& shape, float step) {
    std::vector<float> values;
    for (int i = 0; i < shape.elements(); ++i)
      values.push_back(1.5f + std::sin(static_cast<float>(i) * step));
    return floats(shape, values);
  };
  const Shape shape{3, 9, 8, 37}, channels{37}, rows{3, 9, 8};
  const Tensor x = waves(shape, 1), dy = waves(shape, 2), gamma = waves(channels, 3),
               beta = waves(channels, 5);
  const Tensor mean = waves(rows, 7), inverse_deviation = waves(rows, 11);
  WindowAttributes window;
  window.size = {3, 3};
  window.strides = {2, 2};
  const auto everything = [&] {
    std::vector<std::byte> bits;
    const auto add = [&](std::string_view kernel, const std::vector<Tensor>& inputs,
                         const Attributes& attributes) {
      for (const Tensor& tensor : apply(kernel, inputs, attributes))
        bits.insert(bits.end(), tensor.bytes().begin(), tensor.bytes().end());
    };
    const NormalizationAttributes usual;
    add("batch_norm", {x, gamma, beta, gamma, beta}, usual);
    add("batch_norm_gradient", {dy, x, gamma, beta, gamma}, usual);
    add("batch_norm_inference", {x, gamma, beta, gamma, beta}, usual);
    add("layer_norm", {x, gamma, beta}, usual);
    add("layer_norm_gradient", {dy, x, gamma, mean, inverse_deviation}, usual);
    for (std::string_view kernel : {"max_pool", "average_pool"}) add(kernel, {x}, window);
    add("softmax", {x}, {});
    for (std::string_view kernel :
         {"softmax_gradient", "softmax_cross_entropy", "mean_squared_error", "binary_cross_entropy"})
      add(kernel, {x, dy}, {});
    for (std::string_view kernel : {"mean_squared_error_gradient", "binary_cross_entropy_gradient"})
      add(kernel, {mean, x, dy}, {});
    return bits;
  };
  cpu::pin_isa(cpu::Isa::baseline);
  const std::vector<std::byte> expected = everything();
  for (const cpu::Isa isa : {cpu::Isa::avx2, cpu::Isa::avx512}) {
    if (isa > cpu::best_isa()) break;
    cpu::pin_isa(isa);
    EXPECT_TRUE(everything() == expected) << name(isa);
  }
  cpu::pin_isa(cpu::best_isa());
}

TEST(Normalization, RefusesWhatDoesntFit) {
  const auto f32 = [](const Shape& shape) { return TensorSpec{Type::float32, shape}; };
  const NormalizationAttributes usual;
  EXPECT_EQ(refusal("softmax", {f32({})}), "[softmax] x has rank 0, less than 1: it is float32[]");
  EXPECT_EQ(refusal("batch_norm", {f32({4, 3}), f32({4}), f32({3}), f32({3}), f32({3})}, usual),
            "[batch_norm] gamma must have shape [3]: it is float32[4]");
  EXPECT_EQ(refusal("batch_norm", {f32({4, 3}), f32({3})}, usual),
            "[batch_norm] 5 operands are expected, 2 given");
  EXPECT_EQ(refusal("batch_norm", {f32({3}), f32({3}), f32({3}), f32({3}), f32({3})}, usual),
            "[batch_norm] x has rank 1, less than 2: it is float32[3]");
  EXPECT_EQ(
      refusal("layer_norm_gradient", {f32({4, 3}), f32({4, 3}), f32({3}), f32({3}), f32({4})}, usual),
      "[layer_norm_gradient] the shapes differ: mean is float32[3], a number per row of x is float32[4]");
  EXPECT_EQ(refusal("layer_norm", {f32({4, 3}), f32({3}), f32({3})}, NormalizationAttributes{.epsilon = -1}),
            "[layer_norm] epsilon is -1; it must be at least 0");
  EXPECT_EQ(refusal("layer_norm", {f32({4, 3}), f32({3}), f32({3})}, NormalizationAttributes{.momentum = 2}),
            "[layer_norm] momentum is 2; it must be from 0 to 1");
}

}  // namespace
}  // namespace wt
