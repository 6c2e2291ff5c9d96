#pragma once
// What computes a scenario's numbers on this machine, in a profile's words.

#include <memory>
#include <vector>

#include "device/cuda_device.h"
#include "device/queue.h"
#include "plan/profile.h"
#include "scenario/scenario.h"

namespace wt::device {
class Workers;
}

namespace wt::session {

struct HostDevice {
  plan::ProfiledDevice profiled{};  // without rates: nobody has measured them yet
  Bytes memory{};
};

// Those that CUDA_VISIBLE_DEVICES leaves. Throws InputError where there is none, though the scenario asks for one.
std::vector<device::CudaDevice> host_gpus(const scenario::Scenario& scenario);

// What a GPU computes products and convolutions in.
device::Precision host_precision(const scenario::Scenario& scenario);

// The CPU with so many threads, or, for the numerics "cuda", the first GPU. Throws as `host_gpus`.
HostDevice host_device(const scenario::Scenario& scenario, int threads);

// A queue of it. Throws as `host_gpus`.
std::unique_ptr<device::Queue> host_device_queue(const scenario::Scenario& scenario,
                                                 device::Workers& workers);

}  // namespace wt::session
