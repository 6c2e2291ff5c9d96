// communication/ computes how a library (NCCL, or the runtime of a TPU) carries out a collective on a
// described machine, and how long that takes. collective/ describes schedules without machines, and platform/
// describes machines without schedules. This folder combines them.
//
// A Call is one collective: its schedule, the number of pieces, and what messages cost in addition to their
// bytes on the links. An all-reduce of 256 KiB on 8 H100 with a ring and NCCL's protocol LL128, for example:
//
//   algorithm ring, protocol "ll128", floor 16 us, inside {latency 1.9 us, wire 1.09}
//
// The first message starts after 16 us, of which NCCL's base latency is 14 us and the launch 2 us. Each
// message waits for 1.9 us instead of the latency of its route, and puts 1.09 bytes on the wire for each byte
// of the vector, as LL128 sends flags. timing.h then simulates the messages of the schedule on the links of
// the machine.
//
// The choice of algorithm and protocol follows NCCL's own cost model (collective/select.h). Times rest on the
// constants in platforms/communication.json, each with its source: published tables of nccl-tests, constants
// of NCCL, or an assumption. On machines without a known library, messages cost what the links cost. Read on
// in group.h, timing.h and bound.h.
#pragma once

#include <string>

#include "collective/library_settings.h"
#include "collective/select.h"
#include "communication/group.h"
#include "plan/costs.h"
#include "plan/library_call.h"

namespace wt::communication {

using plan::Crossing;
using Call = plan::LibraryCall;

struct CallOptions {
  std::string launch = "mpi";   // how the ranks are started: a row of "launch" in communication.json
  int devices_per_process = 0;  // for "threads"; 0: all devices of a machine
  std::optional<collective::Protocol> protocol{};  // unset: the library chooses
  std::optional<Seconds> launch_time{};            // instead of the time of `launch`
  double latencies = 1;                            // factor on the latencies of the library
  collective::LibrarySettings settings{};          // what the user set for the library
};

// The call by which the group's library carries out the request with this algorithm. Options of the request
// that have their default values (shape, segments, orders) are replaced by the library's own. On a mesh of
// NVLinks, and between machines with several network cards, a ring becomes multi_rail, as NCCL's rings use all links
// and cards. Throws InputError for an unknown launch.
Call call_of(const Group& group, const collective::Algorithm& algorithm, collective::Request request,
             const CallOptions& options);

// The algorithms and protocols that the group's library would choose under these settings, the best first. Empty if
// the settings bar all of them.
std::vector<collective::Choice> choices(const Group& group, collective::Operation operation, Bytes bytes,
                                        const collective::LibrarySettings& settings = {});

// Sets the costs of those nodes of a plan that carry out the call: all nodes from `first` on. `where` has the
// endpoint of each device of the plan, as for simulate.
void add_costs(plan::Costs& costs, const plan::Plan& plan, std::size_t first, const Call& call,
               const platform::Platform& platform, std::span<const platform::Endpoint> where);
// The same for these nodes. Requires: `nodes` is in ascending order.
void add_costs(plan::Costs& costs, const plan::Plan& plan, std::span<const std::size_t> nodes,
               const Call& call, const platform::Platform& platform,
               std::span<const platform::Endpoint> where);

}  // namespace wt::communication
