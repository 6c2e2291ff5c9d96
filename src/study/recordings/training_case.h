#pragma once
// Recordings of whole trainings (kind `training`): the strategy, the model, the optimizer and the loss that their
// configuration names, made as a user makes them, and what is compared after a training.

#include "distribute/strategy.h"
#include "study/recordings/comparison.h"
#include "study/recordings/half_nets.h"
#include "study/recordings/optimizer_variables.h"

namespace wt::recordings {

// The strategy that a recorded program calls "default", "one", "mirrored3" or "central2", on the logical CPUs of one
// host. `cross_device_ops` is the program's own word, too: "hierarchical2" has two packs.
distribute::Strategy recorded_strategy(const std::string& strategy,
                                       const std::string& cross_device_ops = "default");

// The model whose JSON is recorded under this name.
model::LayerPtr recorded_model(const Recording& recording, std::string_view text = "model.json");

// The loss of a short name, such as "scce" or "bce_logits", or of Keras' own.
model::Loss recorded_loss(const std::string& name);

// ["SGD", {"learning_rate": ...}], in which a schedule is given by its arguments, or a name.
model::Optimizer recorded_optimizer(const json::Value& written, model::Semantics semantics);

struct TrainingCase {
  TrainingCase(const Recording& recording, Comparison& comparison);

  model::Semantics semantics() const { return recording.semantics(); }
  std::vector<Tensor> rows() const;           // the inputs, and the labels of each output
  std::vector<Tensor> weighted_rows() const;  // the same, and weights of the rows, if there are some
  Tensors weights(const std::string& when) const;

  void compare_end(const Tensors& weights) const;  // the weights, and the optimizer's variables
  // One number for each of these, such as the losses of the steps.
  void compare_series(const std::string& name, const std::vector<double>& ours) const;

  const Recording& recording;
  Comparison& comparison;
  Tensors tensors;
  model::LayerPtr layer;
  model::Optimizer optimizer;
  distribute::Strategy strategy;
  train::State state{1};
};

bool ends_in_error(const Recording& recording);  // whether the recorded program does

// Calls `run`, and then `compare`. If the recorded program ended in an error, `run` has to end in one of the same kind with
// TensorFlow's sentence, but for the names of nodes, and nothing else is compared.
void ends_as_recorded(const Recording& recording, Comparison& comparison, const std::function<void()>& run,
                      const std::function<void()>& compare);

}  // namespace wt::recordings
