#include "kernel/cpu/isa.h"

#include <array>

#include "base/error.h"

namespace wt::cpu {

namespace {

constexpr std::array<std::string_view, 3> names{"baseline", "avx2", "avx512"};

// Tests for the features that the compiler flags in the root CMakeLists.txt enable.
Isa find_best_isa() {
#if defined(WT_EVERY_ISA)
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx2 && has_avx512) return Isa::avx512;
  if (has_avx2) return Isa::avx2;
#endif
  return Isa::baseline;
}

Isa& chosen_isa() {
  static Isa isa = best_isa();
  return isa;
}

}  // namespace

Isa best_isa() {
  static const Isa best = find_best_isa();
  return best;
}

Isa current_isa() { return chosen_isa(); }

void pin_isa(Isa isa) {
  WT_EXPECT(isa <= best_isa(), "this processor has no {}; its best instruction set is {}", name(isa),
            name(best_isa()));
  chosen_isa() = isa;
}

std::string_view name(Isa isa) { return names[static_cast<std::size_t>(isa)]; }

std::optional<Isa> isa_named(std::string_view name) {
  for (std::size_t index = 0; index < names.size(); ++index)
    if (names[index] == name) return static_cast<Isa>(index);
  return std::nullopt;
}

}  // namespace wt::cpu
