#pragma once
// The device of this machine that computes a scenario's numbers, described as profiles describe devices.

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
  plan::ProfiledDevice profiled{};  // without rates, which are measured later
  Bytes memory{};
};

// The GPUs that CUDA_VISIBLE_DEVICES makes visible, at least one. Throws InputError if there is none.
std::vector<device::CudaDevice> host_gpus(const scenario::Scenario& scenario);

// The precision in which a GPU computes matrix products and convolutions.
device::Precision host_precision(const scenario::Scenario& scenario);

// The CPU with this number of threads, or the first GPU if the numerics are "cuda". Throws InputError as
// host_gpus does.
HostDevice host_device(const scenario::Scenario& scenario, int threads);

// A queue on that device. Throws InputError as host_gpus does. Requires: the workers outlive the queue.
std::unique_ptr<device::Queue> host_device_queue(const scenario::Scenario& scenario,
                                                 device::Workers& workers);

}  // namespace wt::session
