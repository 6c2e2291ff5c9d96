#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wt::model {

// The version whose training is reproduced where versions differ: TensorFlow 2.x with Keras 2.15, Keras 3 on
// TensorFlow, or TensorFlow 2.0.
enum class Semantics : std::uint8_t { keras2, keras3, tf20 };

// Holds where neither the user nor a model's file names a version: tf.keras has been Keras 3 since TensorFlow 2.16.
inline constexpr Semantics default_semantics = Semantics::keras3;

struct SemanticsRow {
  std::string_view name{};
  std::string_view summary{};
  Semantics value = default_semantics;
};
std::span<const SemanticsRow> all_semantics();
std::string_view name(Semantics semantics);

// The differences between the versions that are reproduced, one switch each, with a row in the table of
// semantics.cpp. Code that depends on a version tests the switch and not the version:
//
//   if (is_on(Switch::rmsprop_epsilon_in_root, semantics)) ...
//
// All other behaviour is independent of Semantics.
enum class Switch : std::uint8_t {
  sgd_slot_without_momentum,
  rmsprop_epsilon_in_root,
  binary_cross_entropy_epsilon_in_log,
  logits_recovered_despite_from_logits,
  loss_object_refuses_average,
  accuracy_asks_the_loss,
  moving_statistics_are_averaged,
  moving_variance_of_images_is_corrected,
  look_ups_are_squared_apart,
  training_in_a_call_holds,
  frozen_weights_are_penalised,
  merged_masks_need_all,
  batch_norm_renormalizes,
  hard_sigmoid_has_slope_a_fifth,
  time_distributed_goes_step_by_step,
  masked_scores_are_replaced,
  initial_states_drop_masks,
  rescaling_keeps_masks,
  metrics_average_rows,
  labels_expand,
  losses_subtract_predictions,
  unit_vectors_bound_the_inverse,
  entropies_name_target_and_output,
  smoothing_counts_the_axis,
  ignored_predictions_are_zero,
  masks_may_leave_nothing,
  thresholds_multiply,
  ratios_add_epsilon,
  overlaps_are_whole,
  areas_have_gains,
  samples_are_whole,
  gradients_are_summed_before_clipping,
  clipvalue_may_stand_beside_clipnorm,
  weight_decay_searches_whole_names,
  averages_begin_as_copies,
  rmsprop_overwrites_by_averages,
  lion_begins_slowly,
  loss_scale_may_be_fixed,
  skipped_steps_are_counted,
  loss_scale_stays_above_one,
  nccl_or_one_device,
  fit_makes_a_coordinator,
  depthwise_kernel_has_its_own_name,
  images_are_resized_by_blurring,
  spectral_results_have_the_inputs_type,
  hashing_takes_real_numbers,
  fused_recurrent_layers_drop_by_step,
  both_flips_go_together,
  contrast_is_one_for_all_images,
  crops_pass_out_of_training,
  look_ups_give_whole_numbers,
  whole_numbers_join_real_ones,
  first_batch_is_averaged,
  executions_have_one_step,
  slots_are_made_before,
  replicas_draw_the_same,
  totals_add_up_again,
  replicas_results_are_averaged,
  layers_assign_alone,
  executions_are_whole,
  losses_of_outputs_count_batches,
  fit_of_workers_ends,
  empty_pieces_keep_statistics,
  updates_are_operations,
};

// What TensorFlow says where a dataset of parameter servers' workers is iterated by the program itself, as Keras' fit does
// where fit_makes_a_coordinator is off.
inline constexpr std::string_view refusal_outside_of_coordinator =
    "To use this dataset, you need to pass this dataset to ClusterCoordinator.create_per_worker_dataset.";

struct SwitchRow {
  std::string_view name{};
  std::string_view summary{};    // the behaviour where the switch is on
  std::string_view otherwise{};  // the behaviour where it is off
  // Number of the fact or the section in tf_distribute.md, this project's notes on the sources of TensorFlow
  // and Keras.
  std::string_view source{};
  Switch id{};
  bool keras2 = false;
  bool keras3 = false;
  bool tf20 = false;
};
std::span<const SwitchRow> switches();
bool is_on(Switch which, Semantics semantics);

}  // namespace wt::model
