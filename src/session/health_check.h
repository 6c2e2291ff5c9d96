#pragma once
// How TensorFlow finds out that a worker is gone, by the version whose behaviour the scenario has.

#include "model/semantics.h"
#include "timing/lost_worker.h"

namespace wt::session {

timing::HealthCheck health_check_of(model::Semantics semantics);

}  // namespace wt::session
