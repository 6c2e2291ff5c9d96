#pragma once

#include <algorithm>

#include "kernel/cuda/grid.h"

namespace wt::cuda {

// How `results` sums of `length` terms each are spread over threads. `height` threads share a result: each
// adds every height-th term in order, and a tree adds their sums. Where there are too few results to occupy a
// GPU, the terms are cut into pieces, whose sums a second kernel adds in order. One sum of a million terms,
// for example, has 256 threads per piece and 488 pieces.
struct Cut {
  Index results = 1, length = 1;
  bool along = true;  // the terms of a result are contiguous in memory; else the results are
  int height = threads;
  Index pieces = 1;

  int width() const { return threads / height; }  // results per block
  Index grid() const { return ceiling(results, width()) * pieces; }
  Index partials() const { return pieces == 1 ? 0 : results * pieces; }  // values in the workspace
};

inline constexpr Index enough_blocks = 1024;  // several for each processor of the largest GPUs
inline constexpr Index terms_per_thread = 8;  // the least that a piece gives each of its threads

inline Cut cut_of(Index results, Index length, bool along) {
  Cut cut{results, length, along, threads, 1};
  if (along) {
    while (cut.height > 1 && cut.height / 2 >= length) cut.height /= 2;
  } else {
    cut.height = threads / warp;
    while (cut.height < threads && cut.width() / 2 >= results) cut.height *= 2;
  }
  if (results > 0)
    cut.pieces = std::clamp<Index>(length / (cut.height * terms_per_thread), 1,
                                   std::max<Index>(1, enough_blocks / cut.grid()));
  return cut;
}

}  // namespace wt::cuda
