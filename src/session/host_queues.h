#pragma once
// What computes a scenario's numbers on this machine.

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

// The workers, or GPUs where the scenario asks for them: of those that CUDA_VISIBLE_DEVICES leaves, in their order, as
// many as there are replicas. Replica i computes on GPU i, and again from the first where there are fewer.
class HostQueues {
 public:
  explicit HostQueues(device::Workers& workers);
  // Throws InputError where there is no GPU to compute on. Requires: the machine outlives it.
  HostQueues(const scenario::Scenario& scenario, const cluster::Machine& machine, device::Workers& workers);

  const execute::Queues& queues() const { return *queues_; }
  const std::vector<HostPiece>& gpus() const { return gpus_; }      // none: the workers
  const std::vector<std::string>& notes() const { return notes_; }  // to a person

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
