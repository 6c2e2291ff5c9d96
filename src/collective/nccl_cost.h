#pragma once
// The cost that NCCL predicts for an all-reduce, reduce-scatter, all-gather, broadcast or reduce, for each
// pattern and protocol: a time to start, and a rate at which it works through the vector (src/graph/tuning.cc
// of NCCL 2.30.7).

#include "collective/nccl_channels.h"
#include "collective/nccl_tables.h"
#include "collective/rankings.h"

namespace wt::collective::nccl {

// The figures that NCCL's tuner computes once for each communicator.
struct Communicator {
  const Question& question;
  Generation generation{};
  std::size_t scale = 0;  // column of the tables: one node, two, or more
  Channels ring{}, tree{}, nvls{};
  int channels = 1, nvls_channels = 1;

  bool across() const { return question.spread.nodes > 1; }
};

Communicator communicator_of(const Question& question);

struct Cost {
  double start = 0;  // microseconds
  double rate = 0;   // GB/s
};

// Requires: the pattern can be used on this communicator (select_nccl.cpp decides).
Cost cost_of(const Communicator& communicator, Pattern pattern, Protocol protocol);

}  // namespace wt::collective::nccl
