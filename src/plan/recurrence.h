#pragma once
// How a recurrent kernel of a plan runs on a real device: as a library's kernel, or as a loop of single operations.

#include <optional>

#include "plan/plan.h"

namespace wt::plan {

struct Recurrence {
  double steps = 0;             // time steps, one after the other
  bool is_in_library = false;   // cuDNN has this cell; else TensorFlow runs a loop of single operations
  double launches_of_step = 0;  // kernels that are launched for one of them
  double launches() const { return steps * launches_of_step; }
};

// Absent: the kernel is not recurrent.
std::optional<Recurrence> recurrence_of(const Run& run);

// The launches of a time step of such a loop, forward and backward.
inline constexpr double launches_of_loop_step = 20;

}  // namespace wt::plan
