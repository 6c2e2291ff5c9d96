// Evaluates functions of symbols on numbers, for tests.
#pragma once

#include <functional>
#include <vector>

#include "program/operations.h"
#include "support/step.h"

namespace wt::test {

inline Tensor floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::of<float>(shape, values);
}
inline Tensor classes(const std::vector<std::int32_t>& values) {
  return Tensor::of<std::int32_t>({static_cast<std::int64_t>(values.size())}, values);
}

using Function = std::function<Symbol(const std::vector<Symbol>& inputs)>;

inline Step step_of(const std::vector<Tensor>& given, const Function& function) {
  return trace("test", [&](Trace& trace) {
    std::vector<Symbol> inputs;
    for (std::size_t i = 0; i < given.size(); ++i)
      inputs.push_back(trace.input(fmt::format("x{}", i), given[i].spec()));
    trace.result("y", function(inputs));
  });
}

inline std::vector<double> compute(const std::vector<Tensor>& given, const Function& function) {
  Values values;
  for (std::size_t i = 0; i < given.size(); ++i) values[fmt::format("x{}", i)] = given[i];
  const Tensor result = run(step_of(given, function), values).at("y");
  std::vector<double> numbers;
  for (std::size_t i = 0; i < static_cast<std::size_t>(result.spec().elements()); ++i)
    numbers.push_back(value_at(result, i));
  return numbers;
}

// The names of a step's operations, in order.
inline std::string kernels_of(const Step& step) {
  std::string names;
  for (const Node& node : step.program.nodes)
    names += fmt::format("{}{}", names.empty() ? "" : " ", name(node.operation));
  return names;
}

// The text of the InputError that an action throws.
inline std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

inline void expect_near(const std::vector<double>& got, const std::vector<double>& wanted,
                        double tolerance = 1e-6) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got[i], wanted[i], tolerance * std::max(1.0, std::abs(wanted[i]))) << "element " << i;
}

}  // namespace wt::test
