// communication/: how a library (NCCL, a TPU's runtime) carries a collective out on a described machine, and how
// long that takes. It brings together what refuses to know each other: schedules and machines. A call is one
// collective: which schedule, in how many pieces, and what its messages cost beside the wires. NCCL's published
// numbers choose (collective/select.h), what tables of nccl-tests show is the time (platforms/communication.json).
// Read on in communication/timing.h.
#pragma once

#include <string>

#include "collective/select.h"
#include "communication/group.h"
#include "plan/costs.h"
#include "plan/library_call.h"

namespace wt::communication {

using plan::Crossing;
using Call = plan::LibraryCall;

struct CallOptions {
  std::string launch = "mpi";
  int devices_per_process = 0;  // of "threads"; 0: a machine's
  std::optional<collective::Protocol> protocol{};
  std::optional<Seconds> launch_time{};  // instead of what `launch` says
};

// Requires: an algorithm for this operation. Options of the request that are at their defaults become the
// library's own.
Call call_of(const Group& group, const collective::Algorithm& algorithm, collective::Request request,
             const CallOptions& options);

// What the group's own library would choose, best first: catalog names and protocols.
std::vector<collective::Choice> choices(const Group& group, collective::Operation operation, Bytes bytes);

// Adds the costs of a plan's nodes from `first` on, which carry out the call. `where` as for simulate.
void add_costs(plan::Costs& costs, const plan::Plan& plan, std::size_t first, const Call& call,
               const platform::Platform& platform, std::span<const platform::Endpoint> where);
// Of these nodes, in ascending order.
void add_costs(plan::Costs& costs, const plan::Plan& plan, std::span<const std::size_t> nodes,
               const Call& call, const platform::Platform& platform,
               std::span<const platform::Endpoint> where);

}  // namespace wt::communication
