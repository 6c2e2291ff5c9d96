#pragma once
// Predicts how a job ends when a worker is lost. The other workers wait for it in their next collective,
// until the collective times out or TensorFlow's health check of its peers fails.

#include <optional>

#include "cluster/machine.h"
#include "plan/timeline.h"
#include "timing/ending.h"
#include "timing/faults.h"

namespace wt::timing {

// `timeline` is that of the step if no worker were lost, and `before` is the time at which the step begins. A
// collective fails when it waits longer than `timeout`. If `timeout` is absent, the health check ends the
// job.
LostWorker lost_worker(const Killed& killed, const cluster::Machine& machine, const plan::Plan& plan,
                       const plan::Timeline& timeline, Seconds before, std::optional<Seconds> timeout);

}  // namespace wt::timing
