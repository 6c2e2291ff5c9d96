#pragma once

#include <string>

#include "plan/plan.h"

namespace wt::execute {

// The message for a device whose arena does not fit into the `available` memory of this machine. It is the
// message that memory planning writes for a device with this limit, so that a shortage reads the same whether
// it is found by planning or at run time.
std::string shortage(const plan::Plan& plan, plan::DeviceId device, Bytes available);

// The message for the arena of a parked device, for which this machine has no memory.
std::string shortage_on_host(const plan::Device& parked);

}  // namespace wt::execute
