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
#include "train/function.h"

namespace wt::device {
class Workers;
}

namespace wt::session {

// The replicas whose numbers this machine computes.
struct Computed {
  std::size_t replicas = 1;
  ReplicaOf replica_of{};
};
Computed computed_on(const cluster::Machine& machine);  // the machine has to outlive the result

// A queue on the CPU's workers or, for the numerics "cuda", queues on GPUs: the first visible ones in the
// order of CUDA_VISIBLE_DEVICES, at most one for each replica, or for each piece if the scenario cuts this
// machine. HostPieces says which replica computes on which GPU.
class HostQueues {
 public:
  explicit HostQueues(device::Workers& workers);  // on the CPU, whose memory has no pieces
  // Throws InputError if the numerics are "cuda" and no GPU is visible, or if the scenario requests NCCL and
  // the GPUs are fewer than the replicas. Requires: scenario and workers outlive this object.
  HostQueues(const scenario::Scenario& scenario, const Computed& computed, device::Workers& workers);

  const execute::Queues& queues() const { return *queues_; }
  bool are_on_gpus() const { return cpu_ == nullptr; }
  const std::vector<std::string>& notes() const { return notes_; }  // messages for the user

  // The strategy and its input, on these queues and in the pieces of this machine's memory. Requires: this object
  // outlives the result.
  train::Resources resources(train::Lowering lower, const data::Distribution& input) const;

  // As those of HostPieces. Without pieces, all plans are executed as they are.
  std::optional<plan::InTurns> seated(const plan::Plan& plan) const;
  void require_room(const plan::Plan& plan) const;

 private:
  void take_workers(device::Workers& workers);
  void take_gpus(const std::vector<device::CudaDevice>& gpus, const scenario::Scenario& scenario,
                 const Computed& computed);

  std::unique_ptr<device::Queue> cpu_{};
  device::CudaTeam team_{};
  std::shared_ptr<const HostPieces> pieces_{};  // shared with the queues, which ask it for places
  std::optional<execute::Queues> queues_{};
  std::vector<std::string> notes_{};
};

}  // namespace wt::session
