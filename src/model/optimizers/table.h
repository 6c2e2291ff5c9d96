#pragma once

#include "model/optimizer.h"

namespace wt::model {

// Throws InputError for an update that differs in these semantics and is not offered.
void require_offered(const Optimizer& optimizer, Semantics semantics);

}  // namespace wt::model
