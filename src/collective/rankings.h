#pragma once
// The cost models behind `ranked` (select.h). Each returns the algorithms that it can predict, in the order
// of its table and not yet sorted. Require at least two ranks.

#include "collective/select.h"

namespace wt::collective {

// The operation whose algorithms are to be ranked, and where it takes place.
struct Question {
  Operation operation{};
  const Fabric& fabric;
  Spread spread{};
  double bytes = 0;  // as in `ranked`
};

std::vector<Choice> rank_by_nccl(const Question& question);        // GPUs that NCCL drives
std::vector<Choice> rank_by_rccl(const Question& question);        // GPUs that RCCL drives
std::vector<Choice> rank_on_torus(const Question& question);       // TPU slices; requires fabric.torus
std::vector<Choice> rank_by_alpha_beta(const Question& question);  // everything else

}  // namespace wt::collective
