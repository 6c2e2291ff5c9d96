#pragma once

#include "model/optimizer.h"

namespace wt::model {

// The number by which the loss is multiplied. Requires: the optimizer scales its loss.
Symbol loss_scale(Building& building, const Optimizer& optimizer);

}  // namespace wt::model
