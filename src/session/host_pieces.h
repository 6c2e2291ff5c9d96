#pragma once
// The replicas of a scenario compute on this machine, so their tensors have to fit into its memory. A
// scenario may cut that memory into pieces (host.logical_devices), and each GPU is a piece of its own.
// Replica i uses piece i modulo the number of pieces.

#include <span>
#include <string>

#include "plan/turns.h"
#include "scenario/machine.h"

namespace wt::session {

// A part of this machine's memory that holds some of the replicas.
struct HostPiece {
  std::string name{};
  Bytes limit{};
};

// The number of the replica whose piece holds the buffers of a plan's device: the replica that computes on
// the device, else the first replica whose host the device is, else replica 0.
std::size_t replica_of(const cluster::Machine& machine, const std::string& device);

// Throws InputError, with what every piece would hold, if the replicas of this plan don't fit into the GPUs or
// into the pieces of a scenario that computes on GPUs. On a CPU cut into pieces the replicas can take turns, so
// there pieces_in_turns checks them. Whether all of it fits into this machine is host_memory.h's subject.
void require_place_on_host(const scenario::Scenario& scenario, const cluster::Machine& machine,
                           const plan::Plan& plan, std::span<const HostPiece> gpus);

// The pieces of this machine's CPU memory, each with the plan's devices that it holds. Devices that don't fit
// into their piece together take turns in it (plan/turns.h). Empty if the machine is not cut into pieces, or
// if the numerics are not "cpu". Throws InputError if a single device does not fit into its piece.
std::vector<plan::Piece> pieces_in_turns(const scenario::Scenario& scenario, const cluster::Machine& machine,
                                         const plan::Plan& plan);

}  // namespace wt::session
