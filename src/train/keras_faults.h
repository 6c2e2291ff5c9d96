#pragma once
// Faults of TensorFlow and Keras that end a program under tf.distribute. These functions know them before anything is
// computed. Functions and models repeat them where Resources::faithful is set. Those of Keras 3.15 on TensorFlow 2.21 were found by recording it
// (recordings `training` in tests/recordings, and further ones with other strategies and numbers of replicas):
//
// - fit and evaluate average the first batch over several replicas that mirror their variables in one process, and so
//   can't do with pieces of unequal size (keras/src/backend/tensorflow/trainer.py, _maybe_symbolic_build);
// - under MultiWorkerMirroredStrategy with more than one worker fit ends before its first step (train/worker_fault.h);
// - there, several steps in one execution of fit's function fail;
// - there, an optimizer can't make its slots inside of a tf.function: a program's own loop has to build it before;
// - under central storage, a layer that assigns to a variable of its own while it is called, such as BatchNormalization
//   or Dropout, fails, because Keras gives the variable no aggregation.
//
// Two further faults change numbers: model/layer.h, Replication.

#include <optional>
#include <string>
#include <vector>

#include "model/layer.h"
#include "tensor/tensor.h"

namespace wt::train {

struct Resources;
class State;

struct Fault {
  enum class Cause : std::uint8_t { first_batch, workers, executions, unbuilt_optimizer, layer, reduction };
  // By Python's class: tf.errors.InvalidArgumentError or ValueError.
  enum class Error : std::uint8_t { invalid_argument, value };

  Cause cause{};
  Error error = Error::invalid_argument;
  std::string sentence{};  // TensorFlow's
  std::string remedy{};

  std::string_view name_of_error() const;  // "InvalidArgumentError"
  [[noreturn]] void raise() const;
};

std::optional<Fault> fault_of_first_batch(const std::vector<std::vector<Tensor>>& pieces,
                                          const Resources& machine, model::Semantics semantics);
std::optional<Fault> fault_of_executions(std::int64_t steps_per_execution, const Resources& machine,
                                         model::Semantics semantics);
// `weights` are those of a training step, and `state` has those that were made before.
std::optional<Fault> fault_of_unbuilt_optimizer(const std::vector<model::Weight>& weights, const State& state,
                                                const Resources& machine, model::Semantics semantics);
// `assigning_layer`: model::Building::assigning_layer.
std::optional<Fault> fault_of_layer(const std::string& assigning_layer, const Resources& machine,
                                    model::Semantics semantics);
// Gradients that the strategy can't add up on its devices.
std::optional<Fault> fault_of_reduction(const Resources& machine);

// The faults that change numbers.
model::Replication replication_of(const Resources& machine, model::Semantics semantics);

}  // namespace wt::train
