#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/apply.h"
#include "kernel/cpu/isa.h"

namespace wt {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct Function {
  std::string_view kernel{};
  double (*exact)(double x){};
  double low = -10, high = 10;
  double ulps = 2;  // largest error of float32, in units in the last place
};

const Function functions[] = {
    {"negate", [](double x) { return -x; }, -10, 10, 0},
    {"exp", [](double x) { return std::exp(x); }, -87, 88.7},
    {"log", [](double x) { return std::log(x); }, 1e-6, 1e6},
    {"sqrt", [](double x) { return std::sqrt(x); }, 0, 1e6, 0.5},
    {"square", [](double x) { return x * x; }, -1e6, 1e6, 0.5},
    {"abs", [](double x) { return std::abs(x); }, -10, 10, 0},
    {"sign", [](double x) { return x > 0   ? 1.0
                                   : x < 0 ? -1.0
                                           : 0.0; }, -10, 10, 0},
    {"relu", [](double x) { return std::max(x, 0.0); }, -10, 10, 0},
    {"relu6", [](double x) { return std::min(std::max(x, 0.0), 6.0); }, -10, 10, 0},
    {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, -80, 80, 4},
    {"tanh", [](double x) { return std::tanh(x); }, -12, 12, 4},
};

// The error of a float in units in the last place of the exact value.
double ulps_off(float value, double exact) {
  if (static_cast<double>(value) == exact) return 0;
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::abs(static_cast<double>(value) - exact) / std::ldexp(1.0, std::max(exponent, -125) - 24);
}

TEST(Elementwise, FunctionsAreRightToAFewUnitsInTheLastPlace) {
  constexpr int count = 20011;
  for (const Function& function : functions) {
    std::vector<float> x(count);
    for (int i = 0; i < count; ++i)
      x[static_cast<std::size_t>(i)] =
          static_cast<float>(function.low + (function.high - function.low) * i / (count - 1));
    const std::vector<float> y = numbers<float>(apply(function.kernel, {floats({count}, x)})[0]);
    double worst = 0;
    for (std::size_t i = 0; i < count; ++i)
      worst = std::max(worst, ulps_off(y[i], function.exact(static_cast<double>(x[i]))));
    EXPECT_LE(worst, function.ulps) << function.kernel;
  }
}

TEST(Elementwise, GeluIsTheExactOne) {
  const std::vector<float> y = numbers<float>(apply("gelu", {floats({3}, {-1, 0, 2})})[0]);
  EXPECT_FLOAT_EQ(y[0], -0.15865525f);
  EXPECT_EQ(y[1], 0);
  EXPECT_FLOAT_EQ(y[2], 1.9544997f);
}

TEST(Elementwise, ExtremesAreReachedAndNotWrapped) {
  const Tensor x = floats({6}, {-infinity, -1000, -103, 89, 1000, infinity});
  const std::vector<float> exp = numbers<float>(apply("exp", {x})[0]);
  EXPECT_EQ(exp[0], 0);
  EXPECT_EQ(exp[1], 0);
  EXPECT_EQ(exp[2], std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(exp[3], infinity);
  EXPECT_EQ(exp[4], infinity);
  EXPECT_EQ(exp[5], infinity);
  EXPECT_EQ(numbers<float>(apply("sigmoid", {x})[0]), (std::vector<float>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(numbers<float>(apply("tanh", {x})[0]), (std::vector<float>{-1, -1, -1, 1, 1, 1}));
}

TEST(Elementwise, NaNComesThrough) {
  for (const char* kernel :
       {"negate", "exp", "log", "sqrt", "square", "abs", "sign", "relu", "relu6", "sigmoid", "tanh", "gelu"})
    EXPECT_TRUE(std::isnan(numbers<float>(apply(kernel, {floats({1}, {nan})})[0])[0])) << kernel;
  for (const char* kernel : {"add", "subtract", "multiply", "divide", "maximum", "minimum"}) {
    EXPECT_TRUE(std::isnan(numbers<float>(apply(kernel, {floats({1}, {nan}), floats({1}, {1})})[0])[0]))
        << kernel;
    EXPECT_TRUE(std::isnan(numbers<float>(apply(kernel, {floats({1}, {1}), floats({1}, {nan})})[0])[0]))
        << kernel;
  }
}

// As in Keras, the gradient of relu is 0 at 0.
TEST(Elementwise, GradientsFollowTheirFormulas) {
  const Tensor dy = floats({3}, {2, 3, 4});
  EXPECT_EQ(numbers<float>(apply("relu_gradient", {dy, floats({3}, {0, 1, -1})})[0]),
            (std::vector<float>{0, 3, 0}));
  EXPECT_EQ(numbers<float>(apply("relu6_gradient", {dy, floats({3}, {0, 5, 6})})[0]),
            (std::vector<float>{0, 3, 0}));
  EXPECT_EQ(numbers<float>(apply("sigmoid_gradient", {dy, floats({3}, {0, 0.5, 0.25})})[0]),
            (std::vector<float>{0, 0.75f, 0.75f}));
  EXPECT_EQ(numbers<float>(apply("tanh_gradient", {dy, floats({3}, {0, 0.5, -1})})[0]),
            (std::vector<float>{2, 2.25f, 0}));
  const std::vector<float> gelu = numbers<float>(apply("gelu_gradient", {dy, floats({3}, {0, 1, -1})})[0]);
  EXPECT_FLOAT_EQ(gelu[0], 1);
  EXPECT_FLOAT_EQ(gelu[1], 3 * 1.0833155f);
  EXPECT_FLOAT_EQ(gelu[2], 4 * -0.08331547f);
}

// Compares every pair of shapes with extents 1 and 3, up to rank 3, with a loop that uses no strides.
TEST(Elementwise, BroadcastsAsNumpyDoes) {
  std::vector<Shape> shapes{{}};
  for (const std::int64_t c : {1, 3}) {
    shapes.push_back({c});
    for (const std::int64_t b : {1, 2}) {
      shapes.push_back({b, c});
      for (const std::int64_t a : {1, 4}) shapes.push_back({a, b, c});
    }
  }
  const auto counted = [](const Shape& shape, float first) {
    std::vector<float> values(static_cast<std::size_t>(shape.elements()));
    for (float& value : values) value = first++;
    return floats(shape, values);
  };
  const auto at = [](const Tensor& tensor, std::int64_t i, std::int64_t j, std::int64_t k) {
    std::int64_t index = 0;
    const std::int64_t place[] = {i, j, k};
    for (int axis = 0; axis < tensor.shape().rank(); ++axis)
      index = index * tensor.shape()[axis] + place[axis + 3 - tensor.shape().rank()] % tensor.shape()[axis];
    return tensor.values<float>()[static_cast<std::size_t>(index)];
  };
  for (const Shape& a_shape : shapes)
    for (const Shape& b_shape : shapes) {
      const Tensor a = counted(a_shape, 1), b = counted(b_shape, 100);
      const Tensor c = apply("subtract", {a, b})[0];
      const Tensor chosen = apply("select", {apply("less", {b, a})[0], a, b})[0];
      for (std::int64_t i = 0; i < 4; ++i)
        for (std::int64_t j = 0; j < 2; ++j)
          for (std::int64_t k = 0; k < 3; ++k) {
            ASSERT_EQ(at(c, i, j, k), at(a, i, j, k) - at(b, i, j, k)) << print(a_shape) << print(b_shape);
            ASSERT_EQ(at(chosen, i, j, k), at(b, i, j, k)) << print(a_shape) << print(b_shape);
          }
    }
}

TEST(Elementwise, LargeOperandsAreCutWithoutSeams) {
  const std::int64_t rows = 37, columns = 20000;  // wider than a tile
  std::vector<float> x(static_cast<std::size_t>(rows * columns)), b(static_cast<std::size_t>(columns));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1000);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i);
  const std::vector<float> y =
      numbers<float>(apply("bias_add", {floats({rows, columns}, x), floats({columns}, b)})[0]);
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], x[i] + b[i % b.size()]) << i;
}

TEST(Elementwise, EmptyOperandsGiveEmptyResults) {
  EXPECT_EQ(apply("exp", {Tensor::zeros({Type::float32, {0, 3}})})[0].shape(), (Shape{0, 3}));
  EXPECT_EQ(apply("add", {Tensor::zeros({Type::float32, {0, 3}}), floats({3}, {1, 2, 3})})[0].shape(),
            (Shape{0, 3}));
}

TEST(Elementwise, IntegersWrapAroundAndDivideTowardsZero) {
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
  const auto ints = [](const std::vector<std::int32_t>& values) {
    return Tensor::of(Shape{static_cast<std::int64_t>(values.size())}, values);
  };
  EXPECT_EQ(numbers<std::int32_t>(apply("subtract", {ints({least}), ints({1})})[0])[0],
            std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(numbers<std::int32_t>(apply("divide", {ints({-7, 7, least}), ints({2, -2, -1})})[0]),
            (std::vector<std::int32_t>{-3, -3, least}));
  try {
    apply("divide", {ints({1, 2}), ints({3, 0})});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "[divide] integer division by zero: element 1 of b, which is int32[2]");
  }
}

TEST(Elementwise, CastsKeepWithinTheRangeOfTheNewType) {
  const Tensor x = floats({6}, {1.9f, -1.9f, 3e9f, -3e9f, nan, 0});
  EXPECT_EQ(numbers<std::int32_t>(apply("cast", {x}, CastAttributes{Type::int32})[0]),
            (std::vector<std::int32_t>{1, -1, 2147483647, -2147483647 - 1, 0, 0}));
  EXPECT_EQ(numbers<std::uint8_t>(apply("cast", {x}, CastAttributes{Type::uint8})[0]),
            (std::vector<std::uint8_t>{1, 0, 255, 0, 0, 0}));
  EXPECT_EQ(numbers<bool>(apply("cast", {x}, CastAttributes{Type::boolean})[0]),
            (std::vector<bool>{true, true, true, true, true, false}));
  EXPECT_EQ(numbers<double>(apply("cast", {Tensor::of(Shape{2}, std::vector<bool>{true, false})},
                                  CastAttributes{Type::float64})[0]),
            (std::vector<double>{1, 0}));
}

TEST(Elementwise, FillGivesOneValueOfTheType) {
  EXPECT_EQ(numbers<std::int64_t>(apply("fill", {}, FillAttributes{{Type::int64, {3}}, 7})[0]),
            (std::vector<std::int64_t>{7, 7, 7}));
  EXPECT_EQ(numbers<float>(apply("fill", {}, FillAttributes{{Type::float32, {}}, 0.1})[0]),
            (std::vector<float>{0.1f}));
}

TEST(Elementwise, RangeGivesMultiplesInOrder) {
  EXPECT_EQ(numbers<std::int32_t>(apply("range", {}, FillAttributes{{Type::int32, {4}}, 512})[0]),
            (std::vector<std::int32_t>{0, 512, 1024, 1536}));
  EXPECT_EQ(numbers<float>(apply("range", {}, FillAttributes{{Type::float32, {3}}, 0.5})[0]),
            (std::vector<float>{0, 0.5f, 1}));
  EXPECT_EQ(refusal("range", {}, FillAttributes{{Type::uint8, {3}}, 1}),
            "[range] y is uint8[3]; it must be of floats, int32 or int64");
}

// All kernels except the contractions round every step, so the numbers do not depend on the instruction set.
TEST(Elementwise, GivesTheSameBitsOnEveryInstructionSet) {
  std::vector<float> a, b;
  for (int i = 0; i < 1000; ++i) {
    a.push_back(std::sin(static_cast<float>(i)) * 5);
    b.push_back(std::cos(static_cast<float>(i)) * 0.5f + 0.5f);
  }
  const Tensor x = floats({1000}, a), y = floats({1000}, b), w = floats({1000}, b), lr = floats({}, {0.1f});
  const auto everything = [&] {
    std::vector<std::byte> bits;
    const auto add = [&](const std::vector<Tensor>& tensors) {
      for (const Tensor& tensor : tensors)
        bits.insert(bits.end(), tensor.bytes().begin(), tensor.bytes().end());
    };
    for (const char* kernel : {"exp", "sigmoid", "tanh", "gelu"}) add(apply(kernel, {x}));
    for (const char* kernel : {"sigmoid_gradient", "tanh_gradient", "gelu_gradient"})
      add(apply(kernel, {x, y}));
    for (const char* kernel : {"reduce_sum", "reduce_mean"}) add(apply(kernel, {x}, AxesAttributes{{0}}));
    add(apply("sgd_update", {w, x, y, lr},
              SgdAttributes{.momentum = 0.9, .nesterov = true, .weight_decay = 0.01}));
    add(apply("adam_update", {w, x, y, Tensor::of(Shape{}, std::vector<std::int64_t>{3}), x, lr},
              AdamAttributes{}));
    add(apply("rmsprop_update", {w, y, x, lr}, RmsPropAttributes{}));
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

TEST(Elementwise, RefusesWhatDoesNotFit) {
  const TensorSpec x{Type::float32, {2, 3}};
  EXPECT_EQ(refusal("exp", {}), "[exp] 1 operand is expected, 0 given");
  EXPECT_EQ(refusal("exp", {{Type::int32, {2}}}),
            "[exp] x must be float32, float64, float16 or bfloat16: it is int32[2]");
  EXPECT_EQ(refusal("add", {x}), "[add] 2 operands are expected, 1 given");
  EXPECT_EQ(refusal("add", {x, {Type::float64, {2, 3}}}),
            "[add] the types differ: a is float32[2,3], b is float64[2,3]; cast one of them");
  EXPECT_EQ(refusal("add", {x, {Type::float32, {2}}}),
            "[add] the shapes cannot be broadcast: a is float32[2,3], b is float32[2]; counted from the last "
            "axis, two extents must be equal or one of them 1");
  EXPECT_EQ(refusal("equal", {{Type::boolean, {2}}, {Type::boolean, {2}}}),
            "[equal] a must be float32, float64, float16, bfloat16, int32 or int64: it is bool[2]");
  EXPECT_EQ(refusal("relu_gradient", {x, {Type::float32, {3, 2}}}),
            "[relu_gradient] the shapes differ: dy is float32[2,3], the second operand is float32[3,2]");
  EXPECT_EQ(refusal("select", {x, x, x}), "[select] condition must be bool: it is float32[2,3]");
  EXPECT_EQ(
      refusal("select", {{Type::boolean, {4}}, x, x}),
      "[select] the shapes cannot be broadcast: condition is bool[4], a with b is float32[2,3]; counted "
      "from the last axis, two extents must be equal or one of them 1");
  EXPECT_EQ(
      refusal("bias_add", {x, {Type::float32, {2}}}),
      "[bias_add] x is float32[2,3] and b is float32[2]; b must have one number for each element of x's "
      "last axis");
  EXPECT_EQ(refusal("bias_add", {{Type::float32, {}}, x}),
            "[bias_add] x has rank 0, less than 1: it is float32[]");
  EXPECT_EQ(refusal("fill", {x}, FillAttributes{x, 0}), "[fill] 0 operands are expected, 1 given");
  EXPECT_THROW(kernel_named("exp").outputs(std::vector{x}, CastAttributes{}), InternalError);
}

}  // namespace
}  // namespace wt
