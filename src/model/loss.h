#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/semantics.h"
#include "model/serialized.h"
#include "program/operations.h"

namespace wt::model {

// Losses. A loss function yields one value per row of the batch; a reduction makes one number of them, which
// is minimised. Under a distribution strategy every replica computes the loss of its own rows and the
// replicas' gradients are summed, so the losses have to be scaled such that their sum over the replicas is
// the loss of the global batch. tensorflow.org/tutorials/distribute/custom_training, section "Define the loss
// function", explains this.

// How the losses of a batch's rows are combined. sum_over_batch_size is their mean, and auto_ means the same.
enum class LossReduction : std::uint8_t { auto_, none, sum, sum_over_batch_size };

// Arguments of a Keras loss object.
struct LossOptions {
  bool from_logits = false;
  double label_smoothing = 0;
  LossReduction reduction = LossReduction::auto_;
};

struct LossCall {
  std::string_view loss{};  // the name of the loss class, for error messages
  Symbol labels{};
  Symbol predictions{};
  const LossOptions& options;
  Semantics semantics = Semantics::keras2;
};

struct LossClass {
  std::string_view name{};
  Aliases aliases{};
  std::string_view summary{};
  bool takes_logits = false;    // has the argument from_logits
  bool smooths_labels = false;  // has the argument label_smoothing
  Symbol (*per_example)(const LossCall& call) = nullptr;
};

std::span<const LossClass> losses();

struct Loss {
  const LossClass* type = nullptr;
  LossOptions options{};
};

// The losses of a model's outputs, as Keras' compile takes them: one loss for all outputs, or a list with one for
// each. The sum of the outputs' losses, each times its weight (Keras' loss_weights), is minimised.
struct Losses {
  Losses() = default;
  Losses(const Loss& one) : each{one} {}

  std::vector<Loss> each{};
  bool is_list = false;           // one for each output; otherwise `each` has the loss of all outputs
  std::vector<double> weights{};  // of each output; empty if every weight is 1

  const Loss& of(std::size_t output) const { return each[is_list ? output : 0]; }
  double weight_of(std::size_t output) const { return weights.empty() ? 1 : weights[output]; }
};

// Both throw InputError if such a list is not as long as the model has outputs.
void require_loss_for_each(const Losses& losses, std::size_t outputs);
void require_weight_for_each(const Losses& losses, std::size_t outputs);

// The loss of that class name or alias ("MeanSquaredError", "mse"). Throws InputError for an unknown name.
Loss loss_named(std::string_view name, const LossOptions& options = {});

// Reads a name, or an object with "class_name" and "config" as Keras 2 or 3 writes it. Returns none after a
// problem.
std::optional<Loss> read_loss(const json::Value& value, Problems& problems);

// Reads a loss, or a list of them. Returns none after a problem.
std::optional<Losses> read_losses(const json::Value& value, Problems& problems);

// Computes one loss per row. Labels come first, as in Keras. They are cast to the type that the loss
// requires, and labels of shape [rows, 1] are equivalent to labels of shape [rows]. Throws InputError if the
// shapes do not match.
//
// If the predictions are the output of a softmax or a sigmoid, a cross-entropy is computed from that node's
// input, the logits, as Keras does. A probability that was rounded to 0 has no usable logarithm, but its
// logit is exact.
Symbol per_example_loss(const Loss& loss, Symbol labels, Symbol predictions,
                        Semantics semantics = Semantics::keras2);

// The reduction of Keras' `fit` over the rows of one replica. `none` returns the losses unchanged.
Symbol reduce_loss(Symbol per_example, LossReduction reduction);

// tf.nn.compute_average_loss, for custom training loops: the sum of the losses divided by the number of rows
// of all replicas, or 0 if there are no rows. The replicas' results are added later. Division by a replica's
// own number of rows would make that sum too large by the number of replicas.
Symbol compute_average_loss(Symbol per_example, std::int64_t global_batch_size);
Symbol compute_average_loss(Symbol per_example, Symbol global_rows);  // a scalar: the rows of this step

// `tf.reduce_sum(loss) * (1. / GLOBAL_BATCH_SIZE)`, as the tutorials write it. The product rounds differently
// from the division in compute_average_loss.
Symbol scaled_loss_sum(Symbol per_example, std::int64_t global_batch_size);

// tf.nn.scale_regularization_loss: divides by the number of replicas. Every replica computes all penalties,
// and their sum over the replicas must contain each penalty once.
Symbol scale_regularization_loss(Symbol penalty, std::int64_t replicas);

// Throws InputError with TensorFlow's text if a loss object in a custom training loop averages over the rows
// of its replica. TensorFlow 2.0 and Keras 2 forbid this, and Keras 3 allows it.
void require_custom_loop_reduction(LossReduction reduction, Semantics semantics = Semantics::keras2);

}  // namespace wt::model
