#pragma once
// How a library (NCCL, the runtime of a TPU) carries out one collective: the schedule, the number of pieces,
// and the costs of messages in addition to their time on the links. It is plain data. communication/ makes it
// for a described machine, a plan keeps it with the reduction to which it belongs (Plan::calls), and
// timing/step_clock.h reads it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "collective/catalog.h"

namespace wt::plan {

// The events for which a message waits in addition to the dependencies of its schedule.
enum class Messages : std::uint8_t {
  // The last byte of the previous message on the same line between the same two ranks, as on a connection.
  // Without this rule the pieces of a pipeline would share the bandwidth from the start. Latencies overlap.
  in_order,
  acknowledged,  // the arrival of that message, in a protocol that waits for acknowledgements
  one_by_one,    // the current messages of its source and its target: the port of the alpha-beta model
  together       // nothing
};

// The costs of a message in addition to its bytes on the links.
struct Crossing {
  std::optional<Seconds> latency{};  // replaces the latency of the message's route; absent: that of the route
  double wire = 1;                   // bytes on the wire for each byte of the vector
  Seconds per_byte{};                // before the bytes are on the wire, for copies at both ends
  bool operator==(const Crossing&) const = default;
};

struct LibraryCall {
  const collective::Algorithm* algorithm = nullptr;  // a row of collective/catalog.h
  collective::Request request{};
  std::string_view protocol{};  // empty: no library is known, so messages cost what the links cost
  Messages messages = Messages::in_order;
  Seconds floor{};                // time before the first message: launch and base latency
  std::vector<Seconds> starts{};  // when each rank begins; empty: all begin at once
  Crossing inside{};              // of messages within a machine
  Crossing between{};             // of messages between machines
  bool adds_in_passing = false;   // true: sums are part of receiving; false: they take the time of the memory
  std::string basis{};            // what the times rest on: "class constants", "wires alone"
  bool operator==(const LibraryCall&) const = default;
};

std::string print(const LibraryCall& call);  // "ring with ll128 (class constants)"

}  // namespace wt::plan
