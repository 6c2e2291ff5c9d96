#pragma once
// What computes a scenario's numbers on this machine.

#include <memory>

#include "device/cpu/workers.h"
#include "device/queue.h"
#include "scenario/scenario.h"

namespace wt {

std::unique_ptr<device::Queue> cpu_queue(device::Workers& workers);

// The workers', or a GPU's: the first of those that CUDA_VISIBLE_DEVICES leaves. Throws InputError where the scenario
// asks for a GPU and there is none to compute on.
std::unique_ptr<device::Queue> host_queue(const scenario::Scenario& scenario, device::Workers& workers);

}  // namespace wt
