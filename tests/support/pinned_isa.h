#pragma once
// Products' workspaces depend on the instruction set: where a plan is printed, it is everybody's.

#include "kernel/cpu/isa.h"

namespace wt::test {

struct PinnedIsa {
  PinnedIsa() { cpu::pin_isa(cpu::Isa::baseline); }
  PinnedIsa(const PinnedIsa&) = delete;
  PinnedIsa& operator=(const PinnedIsa&) = delete;
  ~PinnedIsa() { cpu::pin_isa(cpu::best_isa()); }
};

}  // namespace wt::test
