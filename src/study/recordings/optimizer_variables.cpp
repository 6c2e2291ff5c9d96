#include "study/recordings/optimizer_variables.h"

#include <fmt/format.h>

#include <algorithm>

namespace wt::recordings {

namespace {

// The gradient of a bias in front of a batch normalization is 0, of which rounding leaves numbers below 1e-8.
constexpr Limit slot_limit{.of_largest = weight_limit, .absolute = 1e-7};

// Keras 3's LossScaleOptimizer has a count of steps and a rate of its own, which nothing uses; and Adafactor has
// integers in place of the slots that vectors don't need.
bool is_unused(const std::string& path, const Tensor& tensor) {
  return path == "loss_scale_optimizer/iteration" || path == "loss_scale_optimizer/learning_rate" ||
         tensor.type() == Type::int32;
}

// The variable that Keras calls so; empty if there is none. Keras 3 gives the same name to some slots: the first that is
// left.
std::string own_variable(const std::string& path, const TensorSpec& spec, const Optimized& ours,
                         std::vector<std::string>& left) {
  const model::Optimizer& optimizer = ours.optimizer;
  const std::string last = path.substr(path.rfind('/') + 1);
  if (last == "iteration") return model::iteration_name(optimizer);
  if (last == "learning_rate") return model::learning_rate_name(optimizer);
  if (last == "step_counter") return model::finite_steps_name(optimizer);
  if (last == "dynamic_scale") return model::loss_scale_name(optimizer);
  if (path == "variable") return optimizer.name + "/u_product";
  for (auto name = left.begin(); name != left.end(); ++name) {
    const model::Weight& weight = *std::ranges::find(ours.state.weights(), *name, &model::Weight::name);
    const std::string& variable = weight.options.slot_of;
    const std::string kind = weight.name.substr(
        optimizer.name.size() + 1, weight.name.size() - optimizer.name.size() - variable.size() - 2);
    const std::string keras = model::keras_slot_name(ours.semantics, ours.model, kind, variable);
    if (weight.spec != spec || (path != keras && !path.ends_with("/" + keras))) continue;
    std::string found = weight.name;
    left.erase(name);
    return found;
  }
  return {};
}

}  // namespace

void compare_optimizer_variables(const std::string& prefix, const std::map<std::string, Tensor>& recorded,
                                 const Optimized& ours, Comparison& comparison) {
  std::vector<std::string> left;
  for (const model::Weight& weight : ours.state.weights())
    if (!weight.options.slot_of.empty() && weight.name.starts_with(ours.optimizer.name + "/"))
      left.push_back(weight.name);
  bool is_recorded = false;
  for (const auto& [name, theirs] : recorded) {
    if (!name.starts_with(prefix)) continue;
    is_recorded = true;
    const std::string path = name.substr(prefix.size() + 3);
    if (is_unused(path, theirs)) continue;
    const std::string own = own_variable(path, theirs.spec(), ours, left);
    if (own.empty() || !ours.state.has(own))
      comparison.fail(fmt::format("no slot here is {}", path));
    else
      comparison.near(name, ours.state.read(own), theirs, slot_limit);
  }
  if (is_recorded && !left.empty()) comparison.fail(fmt::format("Keras has no slot {}", left.front()));
}

}  // namespace wt::recordings
