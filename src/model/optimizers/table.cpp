// The table of optimizers: their arguments, as Keras calls them, and their rules.

#include "model/optimizers/table.h"
#include "model/optimizers/rules.h"

namespace wt::model {

namespace {

constexpr json::Range<double> a_share{.at_least = 0.0, .at_most = 1.0};
constexpr json::Range<double> not_positive{.at_most = 0.0};
constexpr json::Range<double> any{};

Argument flag(std::string_view key, bool otherwise = false) {
  return {key, otherwise ? 1.0 : 0.0, any, Argument::Kind::flag};
}
Argument count(std::string_view key, double otherwise) {
  return {key, otherwise, json::not_negative, Argument::Kind::count};
}
Argument epsilon_of(double otherwise = 1e-7) { return {"epsilon", otherwise, json::not_negative}; }
Argument beta_1(double otherwise = 0.9) { return {"beta_1", otherwise, a_share}; }
Argument beta_2(double otherwise = 0.999) { return {"beta_2", otherwise, a_share}; }

// Sorted by name. The defaults are Keras'.
const std::vector<OptimizerClass>& rows() {
  static const std::vector<OptimizerClass> all{
      {.name = "Adadelta",
       .aliases = {"adadelta"},
       .summary = "steps in proportion to the root mean square of earlier steps",
       .arguments = {{"rho", 0.95, a_share}, epsilon_of()},
       .update = adadelta},
      {.name = "Adafactor",
       .aliases = {"adafactor"},
       .summary = "the mean squares of a matrix from those of its rows and columns",
       .arguments = {{"beta_2_decay", -0.8, not_positive},
                     {"epsilon_1", 1e-30, json::not_negative},
                     {"epsilon_2", 1e-3, json::not_negative},
                     {"clip_threshold", 1, json::positive},
                     flag("relative_step", true)},
       .update = adafactor},
      {.name = "Adagrad",
       .aliases = {"adagrad"},
       .summary = "gradients divided by the root of the sum of their squares",
       .arguments = {{"initial_accumulator_value", 0.1, json::not_negative}, epsilon_of()},
       .update = adagrad},
      {.name = "Adam",
       .aliases = {"adam"},
       .summary = "adaptive moment estimation",
       .arguments = {beta_1(), beta_2(), epsilon_of(), flag("amsgrad")},
       .update = adam},
      {.name = "AdamW",
       .aliases = {"adamw"},
       .summary = "adaptive moment estimation with decoupled weight decay",
       .arguments = {beta_1(), beta_2(), epsilon_of(), flag("amsgrad")},
       .update = adam,
       .weight_decay = 0.004},
      {.name = "Adamax",
       .aliases = {"adamax"},
       .summary = "Adam with the largest gradient in place of the mean square",
       .arguments = {beta_1(), beta_2(), epsilon_of()},
       .update = adamax},
      {.name = "Ftrl",
       .aliases = {"ftrl"},
       .summary = "follow the regularized leader",
       .arguments = {{"learning_rate_power", -0.5, not_positive},
                     {"initial_accumulator_value", 0.1, json::not_negative},
                     {"l1_regularization_strength", 0, json::not_negative},
                     {"l2_regularization_strength", 0, json::not_negative},
                     {"l2_shrinkage_regularization_strength", 0, json::not_negative},
                     {"beta", 0, any}},
       .update = ftrl},
      {.name = "Lamb",
       .aliases = {"lamb"},
       .summary = "Adam whose steps are as long as a share of each weight",
       .arguments = {beta_1(), beta_2(), epsilon_of()},
       .update = lamb,
       .is_only_in_keras3 = true},
      {.name = "Lion",
       .aliases = {"lion"},
       .summary = "steps by the sign of a momentum",
       .arguments = {{"beta_1", 0.9, {.above = 0.0, .at_most = 1.0}}, beta_2(0.99)},
       .update = lion},
      {.name = "Muon",
       .aliases = {"muon"},
       .summary = "orthogonal steps for matrices, Adam for all others",
       .arguments = {{"adam_beta_1", 0.9, a_share},
                     {"adam_beta_2", 0.999, a_share},
                     {"adam_weight_decay", 0.004, json::not_negative},
                     epsilon_of(),
                     flag("exclude_embeddings", true),
                     {"muon_a", 3.4445, any},
                     {"muon_b", -4.7750, any},
                     {"muon_c", 2.0315, any},
                     {"adam_lr_ratio", 1, json::not_negative},
                     {"momentum", 0.95, a_share},
                     count("ns_steps", 5),
                     flag("nesterov", true),
                     {"rms_rate", 0.2, json::not_negative}},
       .update = muon,
       .weight_decay = 0.004,
       .is_only_in_keras3 = true},
      {.name = "Nadam",
       .aliases = {"nadam"},
       .summary = "Adam with Nesterov's momentum",
       .arguments = {beta_1(), beta_2(), epsilon_of()},
       .update = nadam},
      {.name = "RMSprop",
       .aliases = {"rmsprop"},
       .summary = "gradients divided by the root of their moving mean square",
       .arguments = {{"rho", 0.9, a_share}, {"momentum", 0, a_share}, epsilon_of(), flag("centered")},
       .update = rmsprop},
      {.name = "SGD",
       .aliases = {"sgd"},
       .summary = "stochastic gradient descent, plain or with momentum, Nesterov's included",
       .learning_rate = 0.01,
       .arguments = {{"momentum", 0, a_share}, flag("nesterov")},
       .update = sgd},
      {.name = "ScheduleFreeAdamW",
       .aliases = {"schedulefreeadamw"},
       .summary = "Adam whose weights are averages, without a schedule",
       .learning_rate = 0.0025,
       .arguments = {beta_1(), beta_2(), epsilon_of(1e-8), count("warmup_steps", 0)},
       .update = schedule_free,
       .is_only_in_keras3 = true},
  };
  return all;
}

}  // namespace

std::span<const OptimizerClass> optimizers() { return rows(); }

void require_offered(const Optimizer& optimizer, Semantics semantics) {
  if (optimizer.type->update == rmsprop && optimizer["momentum"] == 0 &&
      !is_on(Switch::rmsprop_epsilon_in_root, semantics))
    throw InputError(
        "[RMSprop] TensorFlow 2.0's form without momentum, with epsilon outside the root, is not "
        "offered yet",
        "choose the semantics keras2 or keras3, or another optimizer");
}

}  // namespace wt::model
