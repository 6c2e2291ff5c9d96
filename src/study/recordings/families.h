#pragma once
// A family is a set of recordings that one program with a configuration made, such as all recordings of a layer in a
// small model. Each has a function here, which repeats the program and compares what it computes.

#include "study/recordings/comparison.h"

namespace wt::recordings {

using Compare = void (*)(const Recording& recording, Comparison& comparison);

struct Family {
  std::string_view kind{};    // "layers"
  std::string_view prefix{};  // of the id: "activation_"; empty: every other recording of the kind
  Compare compare = nullptr;
};

// The family of a recording; null if this program has none for it.
const Family* family_of(const Recording& recording);

void compare_autoshard(const Recording& recording, Comparison& comparison);
void compare_from_function(const Recording& recording, Comparison& comparison);
void compare_shuffle(const Recording& recording, Comparison& comparison);
void compare_split(const Recording& recording, Comparison& comparison);
void compare_training(const Recording& recording, Comparison& comparison);
void compare_activation(const Recording& recording, Comparison& comparison);
void compare_constraint(const Recording& recording, Comparison& comparison);
void compare_regularizer(const Recording& recording, Comparison& comparison);
void compare_loss(const Recording& recording, Comparison& comparison);
void compare_metric(const Recording& recording, Comparison& comparison);
void compare_initializer(const Recording& recording, Comparison& comparison);
void compare_precision(const Recording& recording, Comparison& comparison);
void compare_fit(const Recording& recording, Comparison& comparison);
void compare_loop(const Recording& recording, Comparison& comparison);
void compare_mixed_training(const Recording& recording, Comparison& comparison);
void compare_optimizer(const Recording& recording, Comparison& comparison);
void compare_mirrored_optimizer(const Recording& recording, Comparison& comparison);
void compare_callback(const Recording& recording, Comparison& comparison);
void compare_worker_config(const Recording& recording, Comparison& comparison);
void compare_worker_fit(const Recording& recording, Comparison& comparison);
void compare_worker_loop(const Recording& recording, Comparison& comparison);
void compare_worker_options(const Recording& recording, Comparison& comparison);
void compare_worker_shard(const Recording& recording, Comparison& comparison);

// The same on several mirrored replicas, which share the rows of each step.
void compare_optimizer_on(const Recording& recording, Comparison& comparison, std::int64_t replicas);
void compare_callback_on(const Recording& recording, Comparison& comparison, std::int64_t replicas);

}  // namespace wt::recordings
