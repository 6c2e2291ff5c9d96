#pragma once
// What becomes of a step that a worker doesn't reach: the others wait for it in their next collective, until the
// runtime finds out.

#include <optional>

#include "cluster/machine.h"
#include "plan/timeline.h"
#include "timing/ending.h"
#include "timing/faults.h"

namespace wt::timing {

// The step as it would have been, on a clock that says `before` when it begins. A collective that waits longer than
// `timeout` fails; absent: TensorFlow's own check of its peers ends the job.
LostWorker lost_worker(const Killed& killed, const cluster::Machine& machine, const plan::Plan& plan,
                       const plan::Timeline& timeline, Seconds before, std::optional<Seconds> timeout);

}  // namespace wt::timing
