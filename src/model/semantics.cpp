#include "model/semantics.h"

#include <algorithm>
#include <array>

#include "base/error.h"

namespace wt::model {

namespace {

constexpr std::array semantics_rows{
    SemanticsRow{"keras2", "TensorFlow 2.x with Keras 2.15", Semantics::keras2},
    SemanticsRow{"keras3", "Keras 3 on TensorFlow", Semantics::keras3},
    SemanticsRow{"tf20", "TensorFlow 2.0", Semantics::tf20},
};

// From the sources of Keras 2.15, Keras 3.4 to 3.15 and TensorFlow 2.0.
constexpr std::array switch_rows{
    SwitchRow{.name = "sgd_slot_without_momentum",
              .summary = "SGD keeps a slot m even if momentum is 0",
              .otherwise = "w -= lr * g, without a slot",
              .source = "F19",
              .id = Switch::sgd_slot_without_momentum,
              .keras2 = true},
    SwitchRow{.name = "rmsprop_epsilon_in_root",
              .summary = "RMSprop divides by sqrt(rms + epsilon)",
              .otherwise = "RMSprop divides by sqrt(rms) + epsilon if momentum is 0",
              .source = "3.4",
              .id = Switch::rmsprop_epsilon_in_root,
              .keras2 = true,
              .keras3 = true},
    SwitchRow{.name = "binary_cross_entropy_epsilon_in_log",
              .summary = "binary cross-entropy of probabilities takes log(p + 1e-7), after clipping",
              .otherwise = "binary cross-entropy of probabilities takes log(p), after clipping",
              .source = "3.3",
              .id = Switch::binary_cross_entropy_epsilon_in_log,
              .keras2 = true,
              .tf20 = true},
    SwitchRow{
        .name = "logits_recovered_despite_from_logits",
        .summary = "from_logits=True after a softmax or sigmoid: the loss takes its input, with a warning",
        .otherwise = "from_logits=True after a softmax or sigmoid: the loss takes its output as logits",
        .source = "F18",
        .id = Switch::logits_recovered_despite_from_logits,
        .keras2 = true,
        .keras3 = true},
    SwitchRow{.name = "loss_object_refuses_average",
              .summary = "a loss object in a custom loop must have the reduction none or sum",
              .otherwise = "the mean of a loss object in a custom loop is scaled by 1 / replicas",
              .source = "L7",
              .id = Switch::loss_object_refuses_average,
              .keras2 = true,
              .tf20 = true},
    SwitchRow{.name = "accuracy_asks_the_loss",
              .summary = "the class of \"accuracy\" depends on the loss and on the predictions' last extent",
              .otherwise = "the class of \"accuracy\" depends on the shapes of labels and predictions",
              .source = "3.3",
              .id = Switch::accuracy_asks_the_loss,
              .tf20 = true},
    SwitchRow{
        .name = "moving_statistics_are_averaged",
        .summary = "the moving statistics of a batch normalization are read as the mean over the replicas",
        .otherwise = "the moving statistics of a batch normalization are read from replica 0",
        .source = "F11",
        .id = Switch::moving_statistics_are_averaged,
        .keras2 = true,
        .tf20 = true},
    SwitchRow{.name = "moving_variance_of_images_is_corrected",
              .summary = "the moving variance of a batch normalization of images takes the unbiased variance",
              .otherwise = "the moving variance of a batch normalization takes the biased variance",
              .source = "3.1",
              .id = Switch::moving_variance_of_images_is_corrected,
              .keras2 = true,
              .tf20 = true},
    SwitchRow{
        .name = "look_ups_are_squared_apart",
        .summary = "where a table's row is looked up more than once in a step, Adam and RMSprop add the "
                   "squares of the look-ups' gradients",
        .otherwise = "where a table's row is looked up more than once in a step, Adam and RMSprop square "
                     "the sum of the look-ups' gradients",
        .source = "3.4",
        .id = Switch::look_ups_are_squared_apart,
        .keras3 = true},
    SwitchRow{.name = "training_in_a_call_holds",
              .summary = "training=False or training=True in a call of a functional model's layer holds",
              .otherwise =
                  "training=False or training=True in a call of a functional model's layer gives way "
                  "to that of the model: true in fit, false in evaluate and predict",
              .source = "3.1",
              .id = Switch::training_in_a_call_holds,
              .keras2 = true,
              .tf20 = true},
    SwitchRow{.name = "frozen_weights_are_penalised",
              .summary = "the loss contains the regularization of frozen weights",
              .otherwise = "the loss contains the regularization of trainable weights only",
              .source = "Keras 3.15 layers/layer.py, _get_weight_regularization_losses",
              .id = Switch::frozen_weights_are_penalised,
              .keras2 = true,
              .tf20 = true},
    SwitchRow{.name = "merged_masks_need_all",
              .summary = "Add and its like keep a step that all their inputs' masks keep",
              .otherwise = "Add and its like keep a step that one of their inputs' masks keeps",
              .source = "recordings layers_masking_add of both versions",
              .id = Switch::merged_masks_need_all,
              .keras2 = true,
              .tf20 = true},
    SwitchRow{.name = "hard_sigmoid_has_slope_a_fifth",
              .summary = "hard_sigmoid is 0.2 x + 0.5, clipped to [0, 1]",
              .otherwise = "hard_sigmoid is x / 6 + 0.5, clipped to [0, 1]",
              .source = "keras/activations of both versions",
              .id = Switch::hard_sigmoid_has_slope_a_fifth,
              .keras2 = true,
              .tf20 = true},
    SwitchRow{.name = "time_distributed_goes_step_by_step",
              .summary = "TimeDistributed calls its layer for one step after the other",
              .otherwise = "TimeDistributed calls its layer once for all steps, as further rows of the batch",
              .source = "keras/layers/rnn/time_distributed.py of both versions",
              .id = Switch::time_distributed_goes_step_by_step,
              .keras3 = true},
    SwitchRow{.name = "masked_scores_are_replaced",
              .summary =
                  "a MultiHeadAttention replaces masked scores by a large negative number; one that drops or "
                  "returns its shares, and a Softmax with a mask, set masked shares to 0",
              .otherwise = "a MultiHeadAttention and a Softmax add a large negative number to masked scores",
              .source = "keras/layers/activations/softmax.py and backend/tensorflow/nn.py of Keras 3.15",
              .id = Switch::masked_scores_are_replaced,
              .keras3 = true},
    SwitchRow{.name = "initial_states_drop_masks",
              .summary = "a recurrent layer that is called with initial states takes no mask from its input",
              .otherwise = "a recurrent layer takes the mask of its input, with initial states, too",
              .source = "keras/layers/layer.py of Keras 3.15, where masks are handed to calls",
              .id = Switch::initial_states_drop_masks,
              .keras3 = true},
    SwitchRow{.name = "rescaling_keeps_masks",
              .summary = "Rescaling hands the mask of its input on",
              .otherwise = "Rescaling drops the mask of its input",
              .source = "keras/layers/preprocessing of both versions",
              .id = Switch::rescaling_keeps_masks,
              .keras3 = true},
    SwitchRow{.name = "nccl_or_one_device",
              .summary = "MirroredStrategy uses NcclAllReduce if all devices are whole GPUs, and otherwise "
                         "ReductionToOneDevice, with a warning",
              .otherwise =
                  "MirroredStrategy uses CollectiveAllReduce, with NCCL if all devices are whole GPUs, and "
                  "otherwise with the ring",
              .source = "F3",
              .id = Switch::nccl_or_one_device,
              .tf20 = true},
};

}  // namespace

std::span<const SemanticsRow> all_semantics() { return semantics_rows; }

std::string_view name(Semantics semantics) {
  return semantics_rows[static_cast<std::size_t>(semantics)].name;
}

std::span<const SwitchRow> switches() { return switch_rows; }

bool is_on(Switch which, Semantics semantics) {
  const SwitchRow& row = switch_rows[static_cast<std::size_t>(which)];
  WT_EXPECT(row.id == which, "the table of switches is out of order at {}", row.name);
  switch (semantics) {
    case Semantics::keras2:
      return row.keras2;
    case Semantics::keras3:
      return row.keras3;
    case Semantics::tf20:
      break;
  }
  return row.tf20;
}

}  // namespace wt::model
