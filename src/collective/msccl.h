#pragma once
// Schedules as Microsoft's MSCCL writes them: a program of thread blocks for each GPU (msccl-tools:
// msccl/language/ ir.py; its reader: msccl, src/graph/topo.cc).

#include <string>
#include <string_view>

#include "collective/expand.h"

namespace wt::collective {

// Blocks are as long as they come out; MSCCL itself takes 256 steps of each.
// InputError where MSCCL has no words for it: helpers, ranks left out, gather, scatter, all-to-all.
std::string print_msccl(const Expanded& schedule);

// The program as moves, for a vector of `elements` (0: one for each chunk). Thread blocks' own order is kept,
// as far as it matters. InputError with everything that is wrong in the file. What comes back is not verified
// yet: see import.h.
Expanded parse_msccl(const std::string& text, std::int64_t elements, const std::string& file = {});

}  // namespace wt::collective
