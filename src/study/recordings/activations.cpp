// Recordings `activation_`: an activation function with its arguments, on a grid with kinks, tiny and huge numbers,
// infinities and NaN. Compared are the values and the gradient of each element.

#include <fmt/format.h>

#include "model/activation.h"
#include "study/recordings/calls.h"
#include "study/recordings/families.h"

namespace wt::recordings {

namespace {

// The grid holds numbers from 1e-20 to 3e38, so that each element has a limit of its own.
constexpr Limit limit{.relative = 1e-5, .absolute = 1e-5};

// The gradient of sum(upstream * y). Where the function changes the shape, the recording has that of sum(y).
std::vector<Symbol> with_gradient(Symbol x, Symbol upstream, Symbol y) {
  const Symbol sum = reduce_sum(y.shape() == upstream.shape() ? y * upstream : y);
  return {y, x.trace->gradient(sum, std::vector{x}).front()};
}

}  // namespace

void compare_activation(const Recording& recording, Comparison& comparison) {
  const std::string function = recording.config("function")->string();
  const model::Activation* row = model::find_activation(function);
  if (row == nullptr) throw InputError(fmt::format("the activation \"{}\" is not offered", function));
  Problems problems;
  const model::ActivationOptions options =
      model::read_activation_options(*row, *recording.config("options"), problems);
  problems.throw_if_any();
  const std::map<std::string, Tensor> tensors = recording.tensors();
  Calls calls(recording, comparison);
  for (const std::string set : {"main", "rank3"})
    if (const auto x = tensors.find(set + "/x"); x != tensors.end())
      calls.add(set, {x->second, tensors.at(set + "/upstream")},
                [=](const std::vector<Symbol>& given, model::Semantics semantics) {
                  return with_gradient(given[0], given[1],
                                       model::activate(given[0], function, semantics, options));
                });
  calls.compare(limit);
}

}  // namespace wt::recordings
