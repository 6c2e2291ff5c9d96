#pragma once
// What a job computes in 16 bits: its layers, by a mixed policy, and with them the scale of its loss; and what it sends
// in 16 bits.

#include "scenario/build.h"

namespace wt::scenario {

// Throws InputError if the model's file has policies of its own, or if the strategy sums no gradients that could be
// compressed. Requires: the job has a model, an optimizer and its replicas.
void set_precision(const Scenario& scenario, Job& job);

}  // namespace wt::scenario
