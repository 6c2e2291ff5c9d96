#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/layer.h"
#include "model/schedule.h"
#include "model/semantics.h"
#include "model/serialized.h"

namespace wt::model {

// Optimizers. An optimizer updates variables by their gradients and keeps state in variables of its own, its
// slots. For example, SGD with momentum has one slot per variable: for dense/kernel it is SGD/m/dense/kernel,
// which the step multiplies by the momentum, changes by -learning_rate * gradient, and adds to dense/kernel.
// On several replicas the gradients are summed, so that every replica makes the same update.
//
// An optimizer is a row of the table in optimizers/table.cpp: its arguments and the rule by which it updates one
// variable, written as operations on symbols. SGD, Adam and RMSprop also have kernels that update all variables
// at once (kernel/optimizer.h), which are used where the arguments allow. What is common to all optimizers is in
// optimizers/step.cpp: clipping, weight decay, moving averages of the weights, gradient accumulation, loss scaling.

struct OptimizerClass;

// LossScaleOptimizer, which wraps another optimizer. The loss is multiplied by the scale and the gradients are
// divided by it. A dynamic scale is halved, and the step skipped, where a gradient is not finite; it doubles after
// `growth_steps` steps in a row that were.
struct ScaledLoss {
  bool is_dynamic = true;
  double initial_scale = 32768;
  std::int64_t growth_steps = 2000;
};

// Moving averages of the weights, Keras' use_ema. Each `overwrite_every` steps the weights become their averages;
// fit does the same at its end.
struct WeightAverages {
  double momentum = 0.99;
  std::optional<std::int64_t> overwrite_every{};
};

// The configuration of an optimizer.
struct Optimizer {
  const OptimizerClass* type = nullptr;
  std::string name{};  // Keras' name argument; two optimizers in one step need different names
  // The initial rate; in the step the rate is an operand, so it can change between steps without a new trace.
  double learning_rate = 0;
  std::optional<Schedule> schedule{};                      // in place of learning_rate
  std::map<std::string, double, std::less<>> arguments{};  // of its class, by Keras' keys: {"momentum", 0.9}
  std::vector<std::string> exclude_layers{};               // Muon: patterns of weights that Adam updates

  std::optional<double> weight_decay{};
  std::vector<std::string> undecayed_names{};      // patterns: exclude_from_weight_decay(var_names=...)
  std::vector<std::string> undecayed_variables{};  // names: exclude_from_weight_decay(var_list=...)
  // Limits of a gradient's norm, of that of all gradients together, and of each element.
  std::optional<double> clipnorm{}, global_clipnorm{}, clipvalue{};
  std::optional<WeightAverages> averages{};
  std::optional<double> loss_scale_factor{};
  std::int64_t accumulation = 1;  // Keras 3's gradient_accumulation_steps: an update each so many steps
  std::optional<ScaledLoss> scaled_loss{};
  // Gradients are rounded to this type before they are summed over the replicas, and so go over the wire with half the
  // bytes: Compression.fp16 of Horovod's DistributedOptimizer (Sergeev and Del Balso, 2018). TensorFlow has no such thing.
  std::optional<Type> compression{};

  // The value of an argument. Requires: the class has it.
  double operator[](std::string_view key) const;
};

// An argument of one class of optimizers, in Keras' JSON.
struct Argument {
  enum class Kind : std::uint8_t { number, flag, count };
  std::string_view key{};
  double otherwise = 0;
  json::Range<double> range{};
  Kind kind = Kind::number;
};

class Updating;

struct OptimizerClass {
  std::string_view name{};
  Aliases aliases{};
  std::string_view summary{};
  double learning_rate = 0.001;
  std::vector<Argument> arguments{};
  // The new value of one variable.
  Symbol (*update)(Updating& one) = nullptr;
  std::optional<double> weight_decay{};  // the default
  bool is_only_in_keras3 = false;
};

std::span<const OptimizerClass> optimizers();

// The optimizer of that name with Keras' defaults. Throws InputError for an unknown name.
Optimizer optimizer_named(std::string_view name, Semantics semantics = default_semantics);

// Reads a name, or an object with "class_name" and "config" as Keras 2 (its legacy optimizers included) or 3
// writes it. `config` may also have "exclude_from_weight_decay", a list of patterns, which Keras has as a method.
// An argument that is not implemented and would change the result is a problem. Returns none after a problem.
std::optional<Optimizer> read_optimizer(const json::Value& value, Problems& problems,
                                        Semantics semantics = default_semantics);

// The optimizer as Keras' compile takes it: wrapped in a LossScaleOptimizer if a layer has the policy mixed_float16.
Optimizer scaled_by_policy(Optimizer optimizer, const Layer& model);

struct ApplyOptions {
  Semantics semantics = default_semantics;
  // Keras' experimental_aggregate_gradients: sum the gradients over the replicas before the update.
  bool aggregate = true;
  // The step only adds its gradients to those of the steps before, and updates nothing. With gradient accumulation
  // all steps do so but those whose number is a multiple of Optimizer::accumulation (is_update_step).
  bool only_accumulates = false;
};

// Keras' apply_gradients: updates the variables by their gradients. The optimizer adds variables of its own
// to the step: the number of its steps, "Adam/iteration", and slots, named as Keras 2 names them, such as
// "SGD/m/dense/kernel", "Adam/v/...", "RMSprop/velocity/...", "RMSprop/momentum/..." and
// "RMSprop/average_gradient/...". Requires: one gradient per variable, of the loss as scaled_loss gives it.
void apply_gradients(Building& building, const Optimizer& optimizer, const std::vector<Symbol>& variables,
                     const std::vector<Symbol>& gradients, Symbol learning_rate,
                     const ApplyOptions& options = {});

// The loss to differentiate: Keras' scale_loss and get_scaled_loss.
Symbol scaled_loss(Building& building, const Optimizer& optimizer, Symbol loss);

// The rate of this step: a variable that a program may assign between steps, or that of the schedule, which the
// step writes to the variable "SGD/current_learning_rate".
Symbol learning_rate(Building& building, const Optimizer& optimizer);

// The number of the optimizer's steps, a variable of the step. Keras' optimizers make it first, before the
// learning rate (keras/optimizers/optimizer.py of Keras 2.15), so that on parameter servers its turn comes
// first.
Symbol iteration(Building& building, const Optimizer& optimizer);

// Whether the step after so many steps updates the variables, with gradient accumulation.
bool is_update_step(const Optimizer& optimizer, std::int64_t iterations);

// Names of the optimizer's own variables: "Adam/iteration", "Adam/m/dense/kernel".
std::string iteration_name(const Optimizer& optimizer);
std::string learning_rate_name(const Optimizer& optimizer);
std::string loss_scale_name(const Optimizer& optimizer);
std::string finite_steps_name(const Optimizer& optimizer);
std::string slot_name(const Optimizer& optimizer, std::string_view slot, std::string_view variable);

// What Keras calls the slot of this variable in the model "net": "m/dense/kernel" in Keras 2,
// "net_dense_kernel_momentum" in Keras 3.
std::string keras_slot_name(Semantics semantics, std::string_view model, std::string_view slot,
                            std::string_view variable);

}  // namespace wt::model
