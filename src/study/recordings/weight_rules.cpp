// Recordings `regularizer_` and `constraint_`: what a regularizer adds to the loss for some weights, with its gradient, and
// what a constraint makes of them.

#include <fmt/format.h>

#include "base/json_writer.h"
#include "model/constraint.h"
#include "model/regularizer.h"
#include "study/recordings/calls.h"
#include "study/recordings/families.h"

namespace wt::recordings {

namespace {

constexpr std::string_view weights[] = {"matrix", "tall", "kernel", "vector"};

// As a user writes it: a name if it is one of Keras' functions, {"class_name": ..., "config": ...} if it is a class.
json::Value written(const Recording& recording) {
  const std::string& name = recording.config("class")->string();
  const json::Value& options = *recording.config("options");
  return options.members().empty() ? json::parse(fmt::format("\"{}\"", name), "rule.json")
                                   : written_object(name, options);
}

// The same for each weight. Requires: its tensor is "<weight>/x".
void add_weights(Calls& calls, const Recording& recording, const Calls::Traced& traced) {
  const std::map<std::string, Tensor> tensors = recording.tensors();
  for (const std::string_view weight : weights)
    if (const auto x = tensors.find(fmt::format("{}/x", weight)); x != tensors.end())
      calls.add(std::string(weight), {x->second}, traced);
}

}  // namespace

void compare_regularizer(const Recording& recording, Comparison& comparison) {
  Problems problems;
  const std::optional<model::Regularizer> regularizer =
      model::regularizer_from_json(written(recording), problems, nullptr, recording.semantics());
  if (const auto refused = recording.error_text("make")) {
    if (problems.any()) return comparison.same("whether it is refused", "refused", "refused");
    return comparison.fail("it is accepted, recorded: " + *refused);
  }
  problems.throw_if_any();
  Calls calls(recording, comparison);
  add_weights(calls, recording, [=](const std::vector<Symbol>& x, model::Semantics semantics) {
    const Symbol penalty = model::penalty(x[0], *regularizer, semantics);
    return std::vector{penalty, x[0].trace->gradient(penalty, std::vector{x[0]}).front()};
  });
  calls.compare({.of_largest = loss_limit});
}

void compare_constraint(const Recording& recording, Comparison& comparison) {
  Problems problems;
  const std::optional<model::Constraint> constraint =
      model::constraint_from_json(written(recording), problems);
  problems.throw_if_any();
  Calls calls(recording, comparison);
  add_weights(calls, recording, [=](const std::vector<Symbol>& x, model::Semantics) {
    return std::vector{model::constrained(x[0], *constraint)};
  });
  calls.compare({.of_largest = loss_limit});
}

}  // namespace wt::recordings
