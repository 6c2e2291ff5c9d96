#pragma once
// When an evaluator evaluates the checkpoints of a training that goes on meanwhile. A checkpoint every 10 s and an
// evaluation of 25 s:
//
//   saved       10   20   30   40   50   60 s
//   evaluated   10 ----- 35: the newest is that of 30 s ----- 60: the newest is that of 60 s ---- 85 s
//
// An evaluator that is free takes the newest checkpoint, if it hasn't evaluated that one, and skips those before. So do
// Keras' SidecarEvaluator and whoever reads tf.train.checkpoints_iterator, and the last checkpoint is always evaluated.
// They look for a new one every second, which isn't counted here.

#include <cstddef>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace wt::timing {

struct EvaluationBeside {
  std::size_t checkpoint = 0;  // of those that were saved
  Seconds begin{};
  Seconds end{};
};

// `saved` has the date of each checkpoint, in ascending order. Dates count from the beginning of the first step.
std::vector<EvaluationBeside> evaluations_beside(std::span<const Seconds> saved, Seconds each);

}  // namespace wt::timing
