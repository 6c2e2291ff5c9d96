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

void compare_training(const Recording& recording, Comparison& comparison);

}  // namespace wt::recordings
