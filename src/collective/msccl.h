#pragma once
// Schedules in the XML of Microsoft's MSCCL, which is a program of thread blocks for each GPU. It is written
// by msccl-tools (msccl/language/ir.py) and read by the MSCCL runtime (src/graph/topo.cc).

#include <string>
#include <string_view>

#include "collective/expand.h"

namespace wt::collective {

// Thread blocks may become longer than the 256 steps that the MSCCL runtime accepts. Throws InputError for
// what the XML cannot express: gather, scatter and all-to-all, helpers, ranks that are left out, and an input
// out of place.
std::string print_msccl(const Expanded& schedule);

// The program as moves, for vectors of `elements` (0: one for each chunk). The order of the steps in a thread
// block becomes dependencies between moves, without redundant ones. Throws InputError with all mistakes of
// the file. The schedule may still be wrong; import.h verifies it.
Expanded parse_msccl(const std::string& text, std::int64_t elements, const std::string& file = {});

}  // namespace wt::collective
