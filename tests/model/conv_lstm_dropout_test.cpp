// Claims: a ConvLSTM with dropouts on images of one pixel computes in training what an LSTM computes whose gates drop apart,
// from the same random streams; on larger images it drops the same elements in every step, each its share; out of training
// it is the layer without dropouts.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "model/layer.h"
#include "model/layers/conv_lstm.h"
#include "model/layers/recurrent.h"
#include "numbers.h"

namespace wt::model {
namespace {

using test::Values;

constexpr std::int64_t rows = 3, time = 4, features = 5, units = 2;

struct Rates {
  double dropout = 0, recurrent_dropout = 0;
};

// Ones for the spatial axes, of which there are `rank`.
Shape with_pixels(const Shape& before, int rank, const Shape& behind, std::int64_t pixels = 1) {
  Shape shape = before;
  for (int axis = 0; axis < rank; ++axis) shape.append(pixels);
  for (const std::int64_t extent : behind) shape.append(extent);
  return shape;
}

LayerPtr conv_lstm(int rank, const Rates& rates) {
  const ConvLstmConfig config{
      .base = {.name = "r", .filters = units, .kernel_size = with_pixels({}, rank, {}), .activation = "tanh"},
      .return_sequences = true,
      .dropout = rates.dropout,
      .recurrent_dropout = rates.recurrent_dropout};
  return rank == 1 ? conv_lstm1d(config) : rank == 2 ? conv_lstm2d(config) : conv_lstm3d(config);
}

LayerPtr plain_lstm(const Rates& rates) {
  return lstm({.name = "r",
               .units = units,
               .return_sequences = true,
               .dropout = rates.dropout,
               .recurrent_dropout = rates.recurrent_dropout,
               .gates_drop_apart = true});
}

// The same numbers for a variable of any shape whose name ends alike.
Tensor numbers_for(const std::string& name, const TensorSpec& spec) {
  if (name.ends_with("/seed")) return Tensor::of<std::int64_t>({2}, std::vector<std::int64_t>{11, 5});
  if (name.ends_with("/state_seed")) return Tensor::of<std::int64_t>({2}, std::vector<std::int64_t>{29, 6});
  std::mt19937_64 random(name.ends_with("recurrent_kernel") ? 1 : name.ends_with("kernel") ? 2 : 3);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(static_cast<std::size_t>(spec.shape.elements()));
  for (float& number : numbers) number = normal(random);
  return test::floats(spec.shape, numbers);
}

std::vector<double> result_of(const LayerPtr& layer, const Shape& input, bool training, Semantics semantics) {
  const Step step = trace("test", [&](Trace& trace) {
    Building building(trace, training, semantics);
    trace.result("y", (*layer)(building, trace.input("x", {Type::float32, input})));
  });
  Values given;
  for (const StepVariable& variable : step.variables)
    given[variable.name] = numbers_for(variable.name, step.program.spec(variable.value));
  std::mt19937_64 random(7);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(input.elements()));
  for (float& number : x) number = normal(random);
  given["x"] = test::floats(input, x);
  const Tensor y = test::run(step, given).at("y");
  std::vector<double> numbers;
  for (std::size_t i = 0; i < static_cast<std::size_t>(y.spec().elements()); ++i)
    numbers.push_back(test::value_at(y, i));
  return numbers;
}

class EachRank : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(ConvLstm, EachRank, testing::Values(1, 2, 3));

TEST_P(EachRank, OfOnePixelDropsAsAnLstm) {
  const Shape image = with_pixels({rows, time}, GetParam(), {features});
  for (const Rates rates : {Rates{0.4, 0}, Rates{0, 0.5}, Rates{0.3, 0.5}}) {
    const std::vector<double> y = result_of(conv_lstm(GetParam(), rates), image, true, Semantics::keras3);
    test::expect_near(y, result_of(plain_lstm(rates), {rows, time, features}, true, Semantics::keras3), 1e-5);
    EXPECT_NE(y, result_of(conv_lstm(GetParam(), {}), image, true, Semantics::keras3));
    EXPECT_EQ(y, result_of(conv_lstm(GetParam(), rates), image, true, Semantics::keras2));
  }
}

TEST_P(EachRank, DropsNothingOutOfTraining) {
  const Shape image = with_pixels({rows, time}, GetParam(), {features}, 3);
  for (const Semantics semantics : {Semantics::keras2, Semantics::keras3})
    EXPECT_EQ(result_of(conv_lstm(GetParam(), {0.3, 0.5}), image, false, semantics),
              result_of(conv_lstm(GetParam(), {}), image, false, semantics));
}

// With a candidate that is the input itself and gates that are always open, each step shows what is left of the input.
TEST(AConvLstmsDropout, DropsItsShareOfThePixelsInEveryStepAlike) {
  constexpr std::int64_t batch = 40, width = 50, steps = 2;
  const LayerPtr layer =
      conv_lstm1d({.base = {.name = "r", .filters = 1, .kernel_size = {1}, .activation = "linear"},
                   .recurrent_activation = "linear",
                   .return_sequences = true,
                   .dropout = 0.3});
  const Step step = trace("test", [&](Trace& trace) {
    Building building(trace, true);
    const Symbol x = fill(trace, {Type::float32, {batch, steps, width, 1}}, 1);
    trace.result("y", (*layer)(building, x));
  });
  // The gates in, forget, candidate and out: 1, 0, x and 1.
  const Values answered =
      test::run(step, {{"r/kernel", test::floats({1, 1, 4}, {0, 0, 1, 0})},
                       {"r/recurrent_kernel", test::floats({1, 1, 4}, {0, 0, 0, 0})},
                       {"r/bias", test::floats({4}, {1, 0, 0, 1})},
                       {"r/seed", Tensor::of<std::int64_t>({2}, std::vector<std::int64_t>{3, 4})}});
  const Tensor& y = answered.at("y");
  double dropped = 0;
  for (std::int64_t row = 0; row < batch; ++row)
    for (std::int64_t pixel = 0; pixel < width; ++pixel) {
      const auto at = [&](std::int64_t step_number) {
        return test::value_at(y, static_cast<std::size_t>((row * steps + step_number) * width + pixel));
      };
      EXPECT_EQ(at(0), at(1));
      if (at(0) != 0) {
        EXPECT_NEAR(at(0), 1 / 0.7, 1e-6);
      }
      dropped += at(0) == 0 ? 1 : 0;
    }
  EXPECT_NEAR(dropped / (batch * width), 0.3, 4 * std::sqrt(0.3 * 0.7 / (batch * width)));
}

TEST(AConvLstmsDropout, RefusesAShareThatIsNone) {
  EXPECT_THROW(conv_lstm(2, {1, 0}), InputError);
  EXPECT_THROW(conv_lstm(2, {0, -0.1}), InputError);
}

}  // namespace
}  // namespace wt::model
