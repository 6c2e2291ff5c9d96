#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wt::model {

// Whose training is imitated where they differ: TensorFlow 2.x with Keras 2 as it runs today, Keras 3, or
// TensorFlow 2.0.
enum class Semantics : std::uint8_t { keras2, keras3, tf20 };

struct SemanticsRow {
  std::string_view name{};
  std::string_view summary{};
  Semantics value = Semantics::keras2;
};
std::span<const SemanticsRow> all_semantics();
std::string_view name(Semantics semantics);

// Every difference the code knows. What isn't listed is the same for the three.
enum class Switch : std::uint8_t {
  sgd_slot_without_momentum,
  rmsprop_epsilon_in_root,
  binary_cross_entropy_epsilon_in_log,
  logits_recovered_despite_from_logits,
  loss_object_refuses_average,
  accuracy_asks_the_loss,
  moving_statistics_are_averaged,
  nccl_or_one_device,
};

struct SwitchRow {
  std::string_view name{};
  std::string_view summary{};  // what holds where it is on
  std::string_view otherwise{};
  std::string_view
      source{};  // the fact's number, or the section, in the reference on TensorFlow's strategies
  Switch id{};
  bool keras2 = false;
  bool keras3 = false;
  bool tf20 = false;
};
std::span<const SwitchRow> switches();
bool is_on(Switch which, Semantics semantics);

}  // namespace wt::model
