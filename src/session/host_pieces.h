#pragma once
// The replicas of a scenario compute on this machine, so their tensors have to fit into its memory. It consists of
// pieces: a scenario may cut it (host.logical_devices), and each GPU that isn't cut is a piece. Replica i uses piece
// i modulo the number of pieces, and cut piece i lies on GPU i modulo the number of GPUs. Replicas that fit into
// their piece one at a time, but not together, take turns in it (plan/turns.h). The CPU, if it isn't cut, is no
// piece: host_memory.h compares all that it holds with what is free.

#include <functional>
#include <string>
#include <vector>

#include "plan/turns.h"
#include "scenario/machine.h"

namespace wt::session {

// A part of this machine's memory that holds some of the replicas.
struct HostPiece {
  std::string name{};
  Bytes limit{};
};

// The number of the replica in whose piece the arena of a plan's device lies.
using ReplicaOf = std::function<std::size_t(const plan::Device& device)>;

// The replica that computes on the device, else the first replica whose host the device is, else replica 0.
ReplicaOf replicas_of(const cluster::Machine& machine);

class HostPieces {
 public:
  // Throws InputError if the scenario cuts this machine into no pieces, or one has no limit. `gpus` is empty if the
  // CPU computes. Requires: the scenario outlives this object.
  HostPieces(const scenario::Scenario& scenario, std::vector<HostPiece> gpus, ReplicaOf replica_of);

  std::size_t piece_of(const plan::Device& device) const;
  std::size_t gpu_of(const plan::Device& device) const { return piece_of(device) % gpus_.size(); }
  const std::vector<HostPiece>& gpus() const { return gpus_; }

  // The same plan with replicas that take turns, where some have to; else unset. Throws InputError, with what every
  // piece would hold, if a replica doesn't fit into its piece alone, or if NCCL is to add among those that take
  // turns.
  std::optional<plan::InTurns> seated(const plan::Plan& plan) const;

  // Throws InputError if the pieces that are cut from a GPU need more of it than it has.
  void require_room(const plan::Plan& plan) const;

 private:
  std::vector<Bytes> planned(const plan::Plan& plan, bool one_at_a_time) const;  // by piece
  bool fits(const std::vector<Bytes>& planned) const;
  void require_one_at_a_time(const plan::Plan& plan) const;
  std::string print(const plan::Plan& plan, const std::vector<Bytes>& planned) const;

  const scenario::Scenario& scenario_;
  std::vector<HostPiece> gpus_;
  std::vector<HostPiece> pieces_;
  ReplicaOf replica_of_;
};

}  // namespace wt::session
