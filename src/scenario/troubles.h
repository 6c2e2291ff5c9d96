#pragma once

#include "scenario/build.h"

namespace wt::scenario {

// Notes what often surprises users of TensorFlow's strategies, before anything runs: replicas without rows, losses that a
// custom loop adds up over the elements of a row, visible GPUs whose memory is taken for nothing. Requires: the job has its
// model, losses, rows and machine. `outputs` are those of the model, with the batch axis.
void note_troubles(const Scenario& scenario, const std::vector<TensorSpec>& outputs, Job& job);

}  // namespace wt::scenario
