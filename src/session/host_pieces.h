#pragma once

#include <span>
#include <string>

#include "plan/turns.h"
#include "scenario/machine.h"

namespace wt::session {

// Memory of this machine that some of the replicas lie in.
struct HostPiece {
  std::string name{};
  Bytes limit{};
};

// Whose piece a plan's device lies in: that of the replica which computes there, else of the first that is fed from
// there; what belongs to none is the first one's.
std::size_t replica_of(const cluster::Machine& machine, const std::string& device);

// Replicas that compute on this machine need its memory. Where the scenario cuts it into pieces, and where GPUs
// compute, replica i lies in piece i, and again from the first where there are fewer. Throws InputError with what
// every piece would hold of this plan, when one is too small. Turns are not its matter.
void require_place_on_host(const scenario::Scenario& scenario, const cluster::Machine& machine,
                           const plan::Plan& plan, std::span<const HostPiece> gpus);

// On the CPU those that have no room together in a piece take turns: the scenario's pieces, and who lies in which.
// Empty: the machine isn't cut, or GPUs compute, where what is parked would lie in their own memory. Throws InputError
// when a piece has no room for one of them alone.
std::vector<plan::Piece> pieces_in_turns(const scenario::Scenario& scenario, const cluster::Machine& machine,
                                         const plan::Plan& plan);

}  // namespace wt::session
