#pragma once
// The queues on this machine that compute a scenario's numbers.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda_device.h"
#include "execute/queues.h"
#include "scenario/machine.h"
#include "session/host_pieces.h"

namespace wt::device {
class Workers;
}

namespace wt::session {

// A queue on the CPU's workers or, for the numerics "cuda", queues on GPUs: the first visible ones in the
// order of CUDA_VISIBLE_DEVICES, at most one for each replica. Replica i computes on GPU i modulo the number
// of GPUs.
class HostQueues {
 public:
  explicit HostQueues(device::Workers& workers);  // on the CPU
  // Throws InputError if the numerics are "cuda" and no GPU is visible, or if the scenario requests NCCL and
  // the GPUs are fewer than the replicas. Requires: the machine and the workers outlive this object.
  HostQueues(const scenario::Scenario& scenario, const cluster::Machine& machine, device::Workers& workers);

  const execute::Queues& queues() const { return *queues_; }
  const std::vector<HostPiece>& gpus() const { return gpus_; }      // empty if the CPU computes
  const std::vector<std::string>& notes() const { return notes_; }  // messages for the user

 private:
  void take_workers(device::Workers& workers);
  void take_gpus(const std::vector<device::CudaDevice>& gpus, const scenario::Scenario& scenario,
                 const cluster::Machine& machine);

  std::unique_ptr<device::Queue> cpu_{};
  device::CudaTeam team_{};
  std::optional<execute::Queues> queues_{};
  std::vector<HostPiece> gpus_{};
  std::vector<std::string> notes_{};
};

}  // namespace wt::session
