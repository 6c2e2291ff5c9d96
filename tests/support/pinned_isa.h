#pragma once
// Selects the baseline instruction set while it lives. The workspaces of matrix products depend on the
// instruction set, and tests that print a plan need the same text on every machine.

#include "kernel/cpu/isa.h"

namespace wt::test {

struct PinnedIsa {
  PinnedIsa() { cpu::pin_isa(cpu::Isa::baseline); }
  PinnedIsa(const PinnedIsa&) = delete;
  PinnedIsa& operator=(const PinnedIsa&) = delete;
  ~PinnedIsa() { cpu::pin_isa(cpu::best_isa()); }
};

}  // namespace wt::test
