#pragma once

#include "plan/plan.h"
#include "program/program.h"

namespace wt::strategy {

// TensorFlow's default strategy, and one_device: one replica on one device, cross-replica operations are the
// identity. Inputs come from the host; none: they are written where the replica computes.
plan::Plan lower_default(const Step& step, plan::Device device, std::optional<plan::Device> host = {});

}  // namespace wt::strategy
