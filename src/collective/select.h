#pragma once
// Which algorithm and protocol a communication library would choose. Libraries choose by cost models of their
// own, whose times are not exact: those of NCCL are 18 to 54 % below ten published tables, and NCCL sometimes
// chooses wrongly (LL128 at 16 MiB on eight A100). To choose as it does, its own numbers are used here. How
// long the choice really takes is simulated by communication/timing.h.

#include <string>
#include <string_view>
#include <vector>

#include "collective/fabric.h"
#include "collective/operation.h"
#include "collective/protocol.h"

namespace wt::collective {

// One algorithm with one protocol, as the library's model sees it.
struct Choice {
  std::string_view algorithm{};  // its name in the catalog
  Protocol protocol = Protocol::simple;
  int channels = 1;      // that the library uses for this many bytes
  Seconds predicted{};   // by the library's own model
  std::string reason{};  // the model and its inputs: "NCCL's cost model: 56.0 us, then 137.1 GB/s"
  bool operator==(const Choice&) const = default;
};

// All algorithms and protocols that the library considers, the fastest first, and equal ones in the order of
// its table. The list is never empty. `bytes` is the size of the whole vector; for an all-to-all or sendrecv, of
// what each rank sends.
std::vector<Choice> ranked(Operation operation, const Fabric& fabric, int ranks, Bytes bytes);

// Whether the library's rings for this operation leave a machine by all of its network cards. On a mesh of NVLinks, those
// from or to a root would need orders along the links, and take one card.
bool leaves_by_all_cards(Operation operation, const Fabric& fabric);

}  // namespace wt::collective
