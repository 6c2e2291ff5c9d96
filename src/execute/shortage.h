#pragma once

#include <string>

#include "plan/plan.h"

namespace wt::execute {

// What to say when the machine at hand has no more than `available` for a device's arena: the words that planning has
// for a device with such a limit, so that a shortage reads the same whether it was foreseen or met.
std::string shortage(const plan::Plan& plan, plan::DeviceId device, Bytes available);

}  // namespace wt::execute
