#pragma once
// Compares an optimizer's variables with those that were recorded, whose names are Keras' own.

#include <map>

#include "model/optimizer.h"
#include "study/recordings/comparison.h"
#include "train/state.h"

namespace wt::recordings {

struct Optimized {
  const model::Optimizer& optimizer;
  const train::State& state;
  std::string model{};  // the name of the model, which Keras 3 puts before that of a slot
  model::Semantics semantics{};
};

// Compares the recorded tensors "<prefix>00/SGD/m/hidden/kernel" and so on. Every slot here has to be recorded.
void compare_optimizer_variables(const std::string& prefix, const std::map<std::string, Tensor>& recorded,
                                 const Optimized& ours, Comparison& comparison);

}  // namespace wt::recordings
