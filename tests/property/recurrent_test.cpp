// The recurrent kernels against Keras' cells, written for one sequence at a time in float64 from the formulas
// of its documentation, with Keras' rules for masks and reversed time.
#include <gtest/gtest.h>

#include <cmath>

#include "program/operations.h"
#include "support/step.h"

namespace wt {
namespace {

using test::Values;
using Row = std::vector<double>;

constexpr std::int64_t batch = 3, time_steps = 5, units = 2;

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

double product(const Row& h, const Tensor& kernel, std::int64_t column) {
  double sum = 0;
  for (std::int64_t k = 0; k < units; ++k)
    sum += h[static_cast<std::size_t>(k)] *
           kernel.values<double>()[static_cast<std::size_t>(k * kernel.shape()[1] + column)];
  return sum;
}

Row next_state(std::string_view cell, bool reset_after, const double* z, const Values& in, const Row& h,
               Row& c) {
  const Tensor& kernel = in.at("kernel");
  const auto sum = [&](std::int64_t gate, std::int64_t j) {
    return z[gate * units + j] + product(h, kernel, gate * units + j);
  };
  const auto bias = [&](std::int64_t gate, std::int64_t j) {
    return reset_after ? in.at("bias").values<double>()[static_cast<std::size_t>(gate * units + j)] : 0;
  };
  Row next(units), reset_state(units);
  if (cell == "gru")
    for (std::int64_t j = 0; j < units; ++j)
      reset_state[static_cast<std::size_t>(j)] =
          sigmoid_of(sum(1, j) + bias(1, j)) * h[static_cast<std::size_t>(j)];
  for (std::int64_t j = 0; j < units; ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (cell == "simple_rnn") {
      next[at] = std::tanh(sum(0, j));
    } else if (cell == "lstm") {
      c[at] = sigmoid_of(sum(1, j)) * c[at] + sigmoid_of(sum(0, j)) * std::tanh(sum(2, j));
      next[at] = sigmoid_of(sum(3, j)) * std::tanh(c[at]);
    } else {
      const double update = sigmoid_of(sum(0, j) + bias(0, j)), reset = sigmoid_of(sum(1, j) + bias(1, j));
      const double inner = reset_after ? reset * (product(h, kernel, 2 * units + j) + bias(2, j))
                                       : product(reset_state, kernel, 2 * units + j);
      next[at] = update * h[at] + (1 - update) * std::tanh(z[2 * units + j] + inner);
    }
  }
  return next;
}

void compare(std::string_view cell, RecurrentAttributes attributes) {
  const std::int64_t gates = cell == "lstm" ? 4 : cell == "gru" ? 3 : 1;
  const bool has_bias = cell == "gru" && attributes.reset_after;
  const auto floats = [](const Shape& shape) { return TensorSpec{Type::float64, shape}; };
  std::vector<std::pair<std::string, TensorSpec>> operands{{"z", floats({batch, time_steps, gates * units})},
                                                           {"kernel", floats({units, gates * units})}};
  if (has_bias) operands.emplace_back("bias", floats({gates * units}));
  operands.emplace_back("h0", floats({batch, units}));
  if (cell == "lstm") operands.emplace_back("c0", floats({batch, units}));
  if (attributes.is_masked) operands.emplace_back("mask", TensorSpec{Type::boolean, {batch, time_steps}});
  std::mt19937_64 random(3);
  Values in;
  for (const auto& [name, spec] : operands)
    in[name] =
        test::random_tensor({spec, -1.0, spec.type == Type::boolean ? 2.0 : 1.0}, Type::float64, random);
  if (attributes.is_masked)  // a gap at the start, one inside, and a masked end
    for (std::size_t i = 0; i < batch * time_steps; ++i)
      in["mask"].values<bool>()[i] = i % time_steps != i / time_steps * 2;
  const Step step = trace("recurrent", [&](Trace& trace) {
    std::vector<Symbol> symbols;
    for (const auto& [name, spec] : operands) symbols.push_back(trace.input(name, spec));
    const std::vector<Symbol> outputs = trace.apply(cell, symbols, attributes);
    for (std::size_t i = 0; i + 1 < outputs.size(); ++i) trace.result("y" + std::to_string(i), outputs[i]);
  });
  const Values out = test::run(step, in);
  for (std::int64_t b = 0; b < batch; ++b) {
    const auto state = [&](const std::string& name) {
      const auto values = in.at(name).values<double>();
      return Row(values.begin() + b * units, values.begin() + (b + 1) * units);
    };
    Row h = state("h0"), c = cell == "lstm" ? state("c0") : Row(units), shown(units);
    for (std::int64_t s = 0; s < time_steps; ++s) {
      const std::int64_t t = attributes.go_backwards ? time_steps - 1 - s : s;
      if (!attributes.is_masked || in["mask"].values<bool>()[static_cast<std::size_t>(b * time_steps + t)])
        shown = h = next_state(
            cell, has_bias, in["z"].values<double>().data() + (b * time_steps + t) * gates * units, in, h, c);
      for (std::int64_t j = 0; j < units; ++j)
        EXPECT_NEAR(test::value_at(out.at("y0"), static_cast<std::size_t>((b * time_steps + s) * units + j)),
                    shown[static_cast<std::size_t>(j)], 1e-12)
            << cell << " sequence " << b << " step " << s;
    }
    for (std::int64_t j = 0; j < units; ++j) {
      const auto i = static_cast<std::size_t>(b * units + j);
      EXPECT_NEAR(test::value_at(out.at("y1"), i), h[static_cast<std::size_t>(j)], 1e-12);
      if (cell == "lstm") {
        EXPECT_NEAR(test::value_at(out.at("y2"), i), c[static_cast<std::size_t>(j)], 1e-12);
      }
    }
  }
}

TEST(Recurrent, ComputesTheCellsOfKerasWithMasksAndReversedTime) {
  for (const std::string_view cell : {"simple_rnn", "gru", "lstm"})
    for (const bool reset_after : {true, false})
      for (const bool go_backwards : {true, false})
        for (const bool is_masked : {true, false})
          compare(cell, {.go_backwards = go_backwards, .reset_after = reset_after, .is_masked = is_masked});
}

}  // namespace
}  // namespace wt
