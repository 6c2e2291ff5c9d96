#include "train/estimator/variable_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wt::train {

namespace {

// Arguments that are variables, and slots that have another name there, of the optimizers that tf.estimator knows by name
// (keras/optimizers/legacy of Keras 2.15). All of them have "decay", too.
struct Named {
  std::string_view optimizer{};
  std::vector<std::string_view> arguments{};
  std::map<std::string_view, std::string_view> slots{};
};

const std::vector<Named>& rows() {
  static const std::vector<Named> all{
      {"Adagrad", {}, {}},
      {"Adam", {"beta_1", "beta_2"}, {}},
      {"Ftrl",
       {"beta", "l1_regularization_strength", "l2_regularization_strength", "learning_rate_power"},
       {}},
      {"RMSprop", {"momentum", "rho"}, {{"velocity", "rms"}, {"average_gradient", "mg"}}},
      {"SGD", {"momentum"}, {{"m", "momentum"}}}};
  return all;
}

const Named* row_of(const model::Optimizer& optimizer) {
  const auto row = std::ranges::find(rows(), optimizer.type->name, &Named::optimizer);
  return row == rows().end() ? nullptr : &*row;
}

std::string slot_of(const model::Optimizer& optimizer, std::string_view slot) {
  const Named* row = row_of(optimizer);
  if (row == nullptr || !row->slots.contains(slot)) return std::string(slot);
  return std::string(row->slots.at(slot));
}

// These optimizers have no such slots without a momentum. Keras' later ones have them, which then stay 0.
bool is_unused(const model::Optimizer& optimizer, const std::string& slot) {
  const auto momentum = optimizer.arguments.find("momentum");
  return slot == "momentum" && momentum != optimizer.arguments.end() && momentum->second == 0;
}

}  // namespace

std::map<std::string, std::string> saved_names(const TrainOp& train_op,
                                               const std::vector<model::Weight>& weights) {
  const model::Optimizer& optimizer = train_op.optimizer;
  const bool is_keras = train_op.version == TrainOp::Version::keras;
  const std::string scope = is_keras ? fmt::format("training/{}/", optimizer.type->name) : "";
  std::map<std::string, std::string> names;
  for (const model::Weight& weight : weights) {
    const std::string& name = weight.name;
    const std::string& of = weight.options.slot_of;
    if (name == model::iteration_name(optimizer)) {
      names[name] = global_step_name;
    } else if (name == model::learning_rate_name(optimizer)) {
      if (is_keras) names[name] = scope + "learning_rate";
    } else if (!of.empty()) {
      const std::size_t before = optimizer.name.size() + 1;
      const std::string slot = name.substr(before, name.size() - before - of.size() - 1);
      const std::string theirs = slot_of(optimizer, slot);
      if (!is_unused(optimizer, theirs)) names[name] = fmt::format("{}{}/{}", scope, of, theirs);
    } else {
      names[name] = name;
    }
  }
  return names;
}

std::map<std::string, Tensor> argument_variables(const TrainOp& train_op) {
  std::map<std::string, Tensor> variables;
  const Named* row = row_of(train_op.optimizer);
  if (train_op.version == TrainOp::Version::v1 || row == nullptr) return variables;
  const auto add = [&](std::string_view name, double value) {
    variables.emplace(fmt::format("training/{}/{}", row->optimizer, name),
                      Tensor::of<float>({}, {static_cast<float>(value)}));
  };
  add("decay", 0);
  for (const std::string_view argument : row->arguments) add(argument, train_op.optimizer[argument]);
  return variables;
}

}  // namespace wt::train
