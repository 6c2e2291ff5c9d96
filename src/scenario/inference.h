#pragma once
// Inference alone: `"loop": "predict"` in the training of a scenario is Keras' Model.predict. A step is the forward pass
// of a batch, without a gradient, and each replica predicts the rows of its own piece.
//
// Keys that only a training has are legal and without effect, so that one scenario can be trained and be asked how fast
// its model predicts: `run my.json --set training.loop=predict`. A note of the run lists those that are given.

#include "scenario/build.h"

namespace wt::scenario {

// Resets what inference has no use for. Call it before the scenario is checked; without inference it does nothing.
void keep_what_inference_reads(Scenario& scenario);

// Lists the keys of the file that have no effect.
void note_what_inference_ignores(const Scenario& scenario, Job& job);

// Refuses strategies under which Keras doesn't predict with all replicas. Requires: the job has its machine.
void check_inference(const Scenario& scenario, const Job& job, Problems& problems);

}  // namespace wt::scenario
