#pragma once

#include "device/cpu/workers.h"
#include "kernel/cpu/loops/contraction.h"

namespace wt::cpu {

static_assert(loops::contraction_scratch_bytes <= static_cast<std::int64_t>(device::Workers::scratch_bytes));

// Runs the phases of a contraction one after the other and calls f(phase, tile, scratch) for each tile of a
// phase. The tiles of one phase run in parallel.
template <class F>
void run_phases(device::Workers& workers, const loops::Work& work, F&& f) {
  for (int phase = 0; phase < loops::contraction_phases; ++phase)
    if (work.tiles[phase] > 0)
      workers.run(work.tiles[phase],
                  [&](std::int64_t tile, std::span<std::byte> scratch) { f(phase, tile, scratch.data()); });
}

}  // namespace wt::cpu
