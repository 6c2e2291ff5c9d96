#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/json_writer.h"
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
// mean_with_sample_weight divides by the sum of the weights instead of the number of values.
enum class LossReduction : std::uint8_t { auto_, none, sum, sum_over_batch_size, mean_with_sample_weight };

// Arguments of a Keras loss object. A row of the table reads those that it has.
struct LossOptions {
  bool from_logits = false;
  double label_smoothing = 0;
  LossReduction reduction = LossReduction::auto_;
  std::int64_t axis = -1;
  std::vector<std::int64_t> axes{};  // Dice, Tversky: none are all
  std::optional<std::int64_t> ignore_class{};
  double delta = 1;               // Huber
  std::optional<double> alpha{};  // focal losses 0.25, Tversky 0.5
  std::optional<double> gamma{};  // focal losses 2, Circle 80
  double beta = 0.5;              // Tversky
  bool apply_class_balancing = false;
  double margin = 0.4;  // Circle
  bool remove_diagonal = true;
  double q = 0.5;  // CategoricalGeneralizedCrossEntropy
};

struct LossCall {
  std::string_view loss{};  // the name of the loss class, for error messages
  Symbol labels{};
  Symbol predictions{};
  const LossOptions& options;
  Semantics semantics = default_semantics;
};

// The values of a loss, and which of them count if it leaves some out, such as those of an ignored class.
struct LossValues {
  LossValues(Symbol all) : values(all) {}
  LossValues(Symbol all, Symbol counted) : values(all), mask(counted) {}

  Symbol values;
  std::optional<Symbol> mask{};
};

// What labels are: a number for each prediction, or others, such as class numbers.
enum class Labels : std::uint8_t { like_predictions, others };

class Arguments;  // model/arguments.h

struct LossClass {
  std::string_view name{};
  Aliases aliases{};
  std::string_view summary{};
  Labels labels = Labels::like_predictions;
  bool keras2 = true;  // Keras 2.15 has it; Keras 3 has all
  void (*arguments)(LossOptions& options, Arguments& arguments) = nullptr;  // null: none
  LossValues (*values)(const LossCall& call) = nullptr;
};

// Sorted by name. losses/ has a file for each idea: entropies, errors, margins, overlaps, circle, ctc.
std::span<const LossClass> losses();

struct Loss {
  const LossClass* type = nullptr;
  LossOptions options{};
  Alias written{};  // by which it was named; empty: by its class
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

// By Keras' name: "sum_over_batch_size"; none for an unknown one.
std::optional<LossReduction> reduction_named(std::string_view name);

// Reads a name, or an object with "class_name" and "config" as Keras 2 or 3 writes it. Returns none after a
// problem.
std::optional<Loss> read_loss(const json::Value& value, Problems& problems);

// Reads a loss, or a list of them. Returns none after a problem.
std::optional<Losses> read_losses(const json::Value& value, Problems& problems);

// Writes the arguments of a loss as members of its "config".
void write_arguments(json::Writer& out, const Loss& loss);

// Throws InputError if the version of Keras has no such loss or reduction, or doesn't know the name that was written.
void require_offered(const Loss& loss, Semantics semantics);

// Keras' function of that name, such as keras.losses.mean_squared_error(labels, predictions). Labels come first, as in
// Keras, and are cast to the type that the loss requires; the shapes may broadcast.
//
// If the predictions are the output of a softmax or a sigmoid, a cross-entropy is computed from that node's
// input, the logits, as Keras does. A probability that was rounded to 0 has no usable logarithm, but its
// logit is exact.
LossValues loss_values(const Loss& loss, Symbol labels, Symbol predictions,
                       Semantics semantics = default_semantics);

// The weight of a call, of a shape that broadcasts to the values as Keras has it, and the mask of the predictions, whose
// false values don't count.
struct LossWeights {
  std::optional<Symbol> weight{};
  std::optional<Symbol> mask{};
};

// The values times their weights. If a mean over the values follows, those that a mask leaves are scaled such that it is
// the mean over them.
struct WeightedLosses {
  Symbol values{};
  std::optional<Symbol> weight{};  // by which they were multiplied
};

// Keras' call of a loss object, before its reduction. A last axis of extent 1 that either labels or predictions lack is
// added or dropped as in Keras. Throws InputError with TensorFlow's text if the shapes do not match, and if labels would
// be broadcast to predictions, which is no loss that anybody means.
WeightedLosses weighted_losses(const Loss& loss, Symbol labels, Symbol predictions,
                               Semantics semantics = default_semantics, const LossWeights& weights = {});

// The labels as `fit` passes them to a loss: [rows] become [rows, 1] for predictions [rows, 1].
Symbol labels_in_fit(Symbol labels, Symbol predictions);

// The values of weighted_losses for such labels, without weights: one loss per row.
Symbol per_example_loss(const Loss& loss, Symbol labels, Symbol predictions,
                        Semantics semantics = default_semantics);

// The reduction of Keras' `fit` over the rows of one replica. `none` returns the losses unchanged.
Symbol reduce_loss(const WeightedLosses& losses, LossReduction reduction);
Symbol reduce_loss(Symbol per_example, LossReduction reduction);
bool is_mean(LossReduction reduction);

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
void require_custom_loop_reduction(LossReduction reduction, Semantics semantics = default_semantics);

}  // namespace wt::model
