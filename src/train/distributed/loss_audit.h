#pragma once
// What weight each example of a step has in the update, against that on a single device, where it is one over the number
// of examples. Replicas' gradients are added, so that a loss that every replica divides by the size of its own part
// weighs the examples of small parts more; TensorFlow's guide warns of this, and the audit finds it for any loss.
//
//   const LossAudit audit = audited(strategy, {32, 32, 16}, [](const EagerTensor& per_example_loss) {
//     return reduce_mean(per_example_loss);
//   });
//   fmt::print("{}", print(audit));

#include <functional>

#include "train/strategy.h"

namespace wt::train {

struct LossAudit {
  std::vector<std::vector<double>> weights{};  // of each example, by replica
  double of_one_device = 0;

  bool is_even() const;  // whether all examples weigh what they weigh on one device, but for rounding
};

// The weights under a loss that each replica makes of the losses of its examples. `sizes`: the examples of each replica.
// Requires: as many sizes as replicas.
LossAudit audited(const Strategy& strategy, const std::vector<std::int64_t>& sizes,
                  const std::function<EagerTensor(const EagerTensor& per_example_loss)>& loss);

std::string print(const LossAudit& audit);  // a line for each replica

}  // namespace wt::train
