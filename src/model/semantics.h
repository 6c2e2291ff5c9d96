#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wt::model {

// The version whose training is reproduced where versions differ: TensorFlow 2.x with Keras 2.15, Keras 3 on
// TensorFlow, or TensorFlow 2.0.
enum class Semantics : std::uint8_t { keras2, keras3, tf20 };

struct SemanticsRow {
  std::string_view name{};
  std::string_view summary{};
  Semantics value = Semantics::keras2;
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
  hard_sigmoid_has_slope_a_fifth,
  time_distributed_goes_step_by_step,
  masked_scores_are_replaced,
  initial_states_drop_masks,
  rescaling_keeps_masks,
  nccl_or_one_device,
};

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
