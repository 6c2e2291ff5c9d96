// Recordings `loss_`: a loss with its options, called for each reduction and each kind of sample weight. Compared are the
// value and its gradient with respect to the predictions, or TensorFlow's refusal.

#include <algorithm>

#include "model/loss.h"
#include "study/recordings/calls.h"
#include "study/recordings/families.h"

namespace wt::recordings {

namespace {

// The gradients of some losses are 0 but for the rounding of numbers near 1, by two units.
constexpr Limit limit_of_losses{.of_largest = loss_limit, .absolute = 2.5e-7};

// With sample weights the loss has the options that Keras writes with get_config(), unless Keras leaves some out, and
// without weights those of the recording: both have to mean the same.
model::Loss loss_of(const Recording& recording, const std::string& call) {
  const json::Value* written = recording.value("get_config");
  const bool is_written =
      !call.ends_with("/none") && written != nullptr && written->kind() == json::Kind::object &&
      std::ranges::all_of(recording.config("options")->members(),
                          [&](const json::Member& option) { return written->find(option.key) != nullptr; });
  const json::Value object = written_object(recording.config("class")->string(),
                                            is_written ? *written : *recording.config("options"));
  Problems problems;
  std::optional<model::Loss> loss = model::read_loss(object, problems);
  problems.throw_if_any();
  loss->options.reduction = *model::reduction_named(call.substr(0, call.find('/')));
  return *loss;
}

// "sum/rows": all of which the recording has a value or an error.
std::vector<std::string> calls_of(const Recording& recording, const std::map<std::string, Tensor>& tensors) {
  std::vector<std::string> all;
  for (const auto& [name, tensor] : tensors)
    if (name.ends_with("/value")) all.push_back(name.substr(0, name.rfind('/')));
  if (const json::Value* errors = recording.content.find("errors"))
    for (const json::Member& error : errors->members()) all.push_back(error.key);
  return all;
}

// Labels, predictions, and a weight if the call has one.
std::vector<Tensor> given_to(const std::string& call, const std::map<std::string, Tensor>& tensors) {
  std::vector<Tensor> given{tensors.at("y_true"), tensors.at("y_pred")};
  const std::string weight = call.substr(call.find('/') + 1);
  if (weight != "none") given.push_back(tensors.at("weights/" + weight));
  return given;
}

}  // namespace

void compare_loss(const Recording& recording, Comparison& comparison) {
  const std::map<std::string, Tensor> tensors = recording.tensors();
  Calls calls(recording, comparison);
  for (const std::string& call : calls_of(recording, tensors)) {
    const model::Loss loss = loss_of(recording, call);
    calls.add(call, given_to(call, tensors),
              [loss](const std::vector<Symbol>& x, model::Semantics semantics) {
                const std::optional<Symbol> weight = x.size() > 2 ? std::optional(x[2]) : std::nullopt;
                const Symbol value = model::reduce_loss(
                    model::weighted_losses(loss, x[0], x[1], semantics, {.weight = weight, .mask = {}}),
                    loss.options.reduction);
                // As TensorFlow's tape does, the gradient is that of the sum of the values.
                return std::vector{value, x[1].trace->gradient(reduce_sum(value), std::vector{x[1]}).front()};
              });
  }
  calls.compare(limit_of_losses);
}

}  // namespace wt::recordings
