#pragma once
// What becomes of a step that a worker doesn't reach: the others wait for it in their next collective, until the
// runtime finds out.

#include <optional>

#include "plan/timeline.h"
#include "report/ending.h"
#include "scenario/faults.h"

namespace wt {

// The step as it would have been, on a clock that says `before` when it begins. A collective that waits longer than
// `timeout` fails; absent: TensorFlow's own check of its peers ends the job.
report::LostWorker lost_worker(const scenario::Killed& killed, const scenario::Machine& machine,
                               const plan::Plan& plan, const plan::Timeline& timeline, Seconds before,
                               std::optional<Seconds> timeout);

}  // namespace wt
