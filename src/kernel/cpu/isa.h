#pragma once
// The instruction sets of a CPU. Each file in cpu/loops/ is compiled once for each of them, and the copy to
// run is chosen when the program runs.

#include <cstdint>
#include <optional>
#include <string_view>

namespace wt::cpu {

// All loops except the contractions give the same bits on every instruction set. Contractions may differ,
// since AVX2 and AVX-512 have fused multiply-adds, which round once.
enum class Isa : std::uint8_t { baseline, avx2, avx512 };

Isa best_isa();     // the best one that this processor has
Isa current_isa();  // best_isa() unless another one was pinned
// Selects an instruction set for the whole process. Requires: this processor has it, and no kernel has run
// yet.
void pin_isa(Isa isa);

std::string_view name(Isa isa);  // "avx2"
std::optional<Isa> isa_named(std::string_view name);

// The copy of a table of loops for the current instruction set:
//   const loops::Elementwise& table = WT_LOOPS(loops::elementwise);
// WT_LOOPS is a macro, because the copies are functions whose names end in the name of the instruction set,
// and only the first of them is there on processors other than x86-64, or where the build leaves out WT_EVERY_ISA.
template <class Loops>
const Loops& choose_loops(const Loops& (*baseline)(), const Loops& (*avx2)(), const Loops& (*avx512)()) {
  switch (current_isa()) {
    case Isa::avx512:
      return avx512();
    case Isa::avx2:
      return avx2();
    case Isa::baseline:
      break;
  }
  return baseline();
}

#if defined(WT_EVERY_ISA)
#define WT_LOOPS(table) ::wt::cpu::choose_loops(table##_baseline, table##_avx2, table##_avx512)
#else
#define WT_LOOPS(table) table##_baseline()
#endif

}  // namespace wt::cpu
