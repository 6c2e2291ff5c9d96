// Claims: in training a recurrent layer with dropouts computes Keras' formula for the elements that its random streams drop,
// the same in every step and for every gate as Keras has it, but for Keras 2's fused layers, whose steps drop apart; out of
// training it is the layer without dropouts; it drops the share that it is told to.

#include <gtest/gtest.h>

#include <cmath>

#include "model/layer.h"
#include "model/layers/recurrent.h"
#include "numbers.h"

namespace wt::model {
namespace {

using test::Values;

constexpr std::int64_t rows = 3, time = 4, features = 5, units = 2;

enum class Kind : std::uint8_t { simple_rnn, gru, gru_before, lstm };

struct Case {
  std::string name{};
  Kind kind{};
  double dropout = 0, recurrent_dropout = 0;
  bool gates_drop_apart = false;
  Semantics semantics = Semantics::keras3;
  bool steps_drop_apart = false;  // what Keras 2 does where its layer is one kernel

  std::int64_t gates() const { return kind == Kind::lstm ? 4 : kind == Kind::simple_rnn ? 1 : 3; }
  std::string cell() const {
    return kind == Kind::lstm ? "lstm_cell" : kind == Kind::simple_rnn ? "simple_rnn_cell" : "gru_cell";
  }
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

LayerPtr layer_of(const Case& c, bool drops = true) {
  RecurrentConfig config{
      .name = "r", .units = units, .reset_after = c.kind == Kind::gru, .return_sequences = true};
  if (drops) {
    config.dropout = c.dropout;
    config.recurrent_dropout = c.recurrent_dropout;
    config.gates_drop_apart = c.gates_drop_apart;
  }
  return c.kind == Kind::lstm ? lstm(config) : c.kind == Kind::simple_rnn ? simple_rnn(config) : gru(config);
}

// A net's numbers: its input, its weights, and the states of its random streams.
Values values_of(const Case& c) {
  std::mt19937_64 random(7);
  std::normal_distribution<float> normal;
  Values values;
  const auto draw = [&](const std::string& name, const Shape& shape) {
    std::vector<float> numbers(static_cast<std::size_t>(shape.elements()));
    for (float& number : numbers) number = normal(random);
    values[name] = test::floats(shape, numbers);
  };
  const std::int64_t width = c.gates() * units;
  draw("x", {rows, time, features});
  draw("r/" + c.cell() + "/kernel", {features, width});
  draw("r/" + c.cell() + "/recurrent_kernel", {units, width});
  draw("r/" + c.cell() + "/bias", c.kind == Kind::gru ? Shape{2, width} : Shape{width});
  values["r/seed"] = Tensor::of<std::int64_t>({2}, std::vector<std::int64_t>{11, 5});
  values["r/state_seed"] = Tensor::of<std::int64_t>({2}, std::vector<std::int64_t>{29, 6});
  return values;
}

std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.spec().elements()); ++i)
    numbers.push_back(test::value_at(tensor, i));
  return numbers;
}

std::vector<double> result_of(const LayerPtr& layer, const Values& values, bool training,
                              Semantics semantics) {
  const Step step = trace("test", [&](Trace& trace) {
    Building building(trace, training, semantics);
    const Symbol x = trace.input("x", {Type::float32, {rows, time, features}});
    trace.result("y", (*layer)(building, x));
  });
  Values given;
  for (const StepVariable& variable : step.variables) given[variable.name] = values.at(variable.name);
  given["x"] = values.at("x");
  return numbers_of(test::run(step, given).at("y"));
}

// By what a stream multiplies ones of a shape.
std::vector<double> shares_of(const Tensor& stream, const Shape& shape, double rate) {
  if (rate == 0) return std::vector<double>(static_cast<std::size_t>(shape.elements()), 1);
  return test::compute({stream}, [&](const std::vector<Symbol>& x) {
    return dropout(fill(*x[0].trace, {Type::float32, shape}, 1), x[0], {.rate = rate});
  });
}

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

// Keras' formula, one number after the other.
class Formula {
 public:
  Formula(const Case& c, const Values& values) : c_(c) {
    const std::string stem = "r/" + c.cell() + "/";
    x_ = numbers_of(values.at("x"));
    kernel_ = numbers_of(values.at(stem + "kernel"));
    recurrent_ = numbers_of(values.at(stem + "recurrent_kernel"));
    bias_ = numbers_of(values.at(stem + "bias"));
    is_apart_ = c.gates() > 1 && (c.gates_drop_apart || c.recurrent_dropout > 0);
    const Shape input =
        c.steps_drop_apart ? Shape{rows, time, features} : Shape{is_apart_ ? c.gates() : 1, rows, features};
    of_input_ = shares_of(values.at("r/seed"), input, c.dropout);
    of_state_ = shares_of(values.at("r/state_seed"), {c.gates(), rows, units}, c.recurrent_dropout);
  }

  std::vector<double> result() {
    std::vector<double> y(static_cast<std::size_t>(rows * time * units));
    for (std::int64_t row = 0; row < rows; ++row) {
      std::vector<double> h(units), c(units);
      for (std::int64_t step = 0; step < time; ++step) {
        advance(row, step, h, c);
        for (std::int64_t j = 0; j < units; ++j) y[at((row * time + step) * units + j)] = h[at(j)];
      }
    }
    return y;
  }

 private:
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  std::int64_t column(std::int64_t gate, std::int64_t j) const { return gate * units + j; }
  std::int64_t width() const { return c_.gates() * units; }

  double input_share(std::int64_t gate, std::int64_t row, std::int64_t step, std::int64_t feature) const {
    if (c_.steps_drop_apart) return of_input_[at((row * time + step) * features + feature)];
    return of_input_[at(((is_apart_ ? gate : 0) * rows + row) * features + feature)];
  }
  double of_input(std::int64_t gate, std::int64_t row, std::int64_t step, std::int64_t j) const {
    double sum = bias_[at(column(gate, j))];
    for (std::int64_t f = 0; f < features; ++f)
      sum += x_[at((row * time + step) * features + f)] * input_share(gate, row, step, f) *
             kernel_[at(f * width() + column(gate, j))];
    return sum;
  }
  double of_state(std::int64_t gate, std::int64_t row, std::int64_t j, const std::vector<double>& h) const {
    double sum = c_.kind == Kind::gru ? bias_[at(width() + column(gate, j))] : 0;
    for (std::int64_t k = 0; k < units; ++k)
      sum += h[at(k)] * of_state_[at((gate * rows + row) * units + k)] *
             recurrent_[at(k * width() + column(gate, j))];
    return sum;
  }

  void advance(std::int64_t row, std::int64_t step, std::vector<double>& h, std::vector<double>& c) const {
    const std::vector<double> before = h;
    const auto gate = [&](std::int64_t g, std::int64_t j) {
      return of_input(g, row, step, j) + of_state(g, row, j, before);
    };
    for (std::int64_t j = 0; j < units; ++j) {
      if (c_.kind == Kind::simple_rnn) {
        h[at(j)] = std::tanh(gate(0, j));
      } else if (c_.kind == Kind::lstm) {
        c[at(j)] = sigmoid_of(gate(1, j)) * c[at(j)] + sigmoid_of(gate(0, j)) * std::tanh(gate(2, j));
        h[at(j)] = sigmoid_of(gate(3, j)) * std::tanh(c[at(j)]);
      } else {
        const double update = sigmoid_of(gate(0, j));
        h[at(j)] = update * before[at(j)] + (1 - update) * std::tanh(candidate(row, step, j, before));
      }
    }
  }
  double candidate(std::int64_t row, std::int64_t step, std::int64_t j, const std::vector<double>& h) const {
    const auto reset = [&](std::int64_t k) {
      return sigmoid_of(of_input(1, row, step, k) + of_state(1, row, k, h));
    };
    if (c_.kind == Kind::gru) return of_input(2, row, step, j) + reset(j) * of_state(2, row, j, h);
    std::vector<double> shown = h;
    for (std::int64_t k = 0; k < units; ++k) shown[at(k)] *= reset(k);
    return of_input(2, row, step, j) + of_state(2, row, j, shown);
  }

  const Case& c_;
  std::vector<double> x_{}, kernel_{}, recurrent_{}, bias_{}, of_input_{}, of_state_{};
  bool is_apart_ = false;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::pair<Kind, std::string> kinds[] = {{Kind::simple_rnn, "simple_rnn"},
                                                {Kind::gru, "gru"},
                                                {Kind::gru_before, "gru_before"},
                                                {Kind::lstm, "lstm"}};
  for (const auto& [kind, name] : kinds)
    for (const Semantics semantics : {Semantics::keras2, Semantics::keras3}) {
      const std::string stem = fmt::format("{}_{}_", model::name(semantics), name);
      const bool is_fused = semantics == Semantics::keras2 && (kind == Kind::gru || kind == Kind::lstm);
      all.push_back({stem + "input", kind, 0.4, 0, false, semantics, is_fused});
      all.push_back({stem + "input_apart", kind, 0.4, 0, true, semantics, is_fused});
      all.push_back({stem + "state", kind, 0, 0.5, false, semantics});
      all.push_back({stem + "both", kind, 0.3, 0.5, false, semantics});
    }
  return all;
}

class Dropping : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(RecurrentLayers, Dropping, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(Dropping, ComputesKerassFormulaInTraining) {
  const Values values = values_of(GetParam());
  const std::vector<double> y = result_of(layer_of(GetParam()), values, true, GetParam().semantics);
  test::expect_near(y, Formula(GetParam(), values).result(), 1e-5);
  EXPECT_NE(y, result_of(layer_of(GetParam(), false), values, true, GetParam().semantics));
}

TEST_P(Dropping, DropsNothingOutOfTraining) {
  const Values values = values_of(GetParam());
  EXPECT_EQ(result_of(layer_of(GetParam()), values, false, GetParam().semantics),
            result_of(layer_of(GetParam(), false), values, false, GetParam().semantics));
}

// Of a sum of ones with a kernel of ones and no state, the mean is that without dropout, and its parts are dropped or scaled.
TEST(ARecurrentDropout, DropsItsShareOfTheInput) {
  constexpr std::int64_t batch = 200, width = 100;
  const LayerPtr layer = simple_rnn({.name = "r", .units = 1, .activation = "linear", .dropout = 0.3});
  const Step step = trace("test", [&](Trace& trace) {
    Building building(trace, true);
    const Symbol x = fill(trace, {Type::float32, {batch, 1, width}}, 1);
    trace.result("y", (*layer)(building, x));
  });
  std::vector<float> ones(width, 1);
  const Values answered =
      test::run(step, {{"r/simple_rnn_cell/kernel", test::floats({width, 1}, ones)},
                       {"r/simple_rnn_cell/recurrent_kernel", test::floats({1, 1}, {0})},
                       {"r/simple_rnn_cell/bias", test::floats({1}, {0})},
                       {"r/seed", Tensor::of<std::int64_t>({2}, std::vector<std::int64_t>{3, 4})}});
  double mean = 0;
  for (const double sum : numbers_of(answered.at("y"))) mean += sum / batch;
  EXPECT_NEAR(mean, width, 4 * std::sqrt(width * 0.3 / 0.7 / batch));
}

TEST(ARecurrentDropout, RefusesAShareThatIsNone) {
  EXPECT_THROW(lstm({.units = 2, .dropout = 1}), InputError);
  EXPECT_THROW(gru({.units = 2, .recurrent_dropout = -0.1}), InputError);
}

}  // namespace
}  // namespace wt::model
