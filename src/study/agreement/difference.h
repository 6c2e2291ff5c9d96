#pragma once
// Compares what came of two trainings that must be the same.

#include <string>

#include "study/drawn/trained.h"

namespace wt::agreement {

// What is compared, and how closely.
struct Compared {
  bool numbers = true;  // losses and metrics, bit for bit
  bool weights = true;  // likewise, where numbers are compared
  bool times = true;    // and memory
  bool parts = true;    // into which a step is divided, where times are compared
  // A step differs from that of the first by less than it waits for its collectives; nothing else of its times is
  // compared.
  bool is_bound = false;
  double tolerance = 0;    // of times, relative
  std::int64_t first = 0;  // the first step whose numbers are compared
};

// The first difference, as "the loss of step 3 is 0.5, and was 0.25". Empty: there is none.
std::string difference(const drawn::Trained& other, const drawn::Trained& first, const Compared& compared);

}  // namespace wt::agreement
