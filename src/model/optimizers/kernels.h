#pragma once
// SGD, Adam and RMSprop have kernels that update several variables at once (kernel/optimizer.h).

#include "model/optimizers/updating.h"

namespace wt::model {

// Updates all variables by kernels, weight decay included. Returns false, and does nothing, where there is no kernel for
// these arguments.
bool apply_kernels(const Applying& call);

}  // namespace wt::model
