#pragma once
// Finds the factors by which a library's calls on one system differ from prediction (platform/calibration.h), from
// tables of nccl-tests that were measured on it.
//
// Each protocol gets two factors: one on latencies, which small sizes determine, and one on rates, which large sizes
// determine. Further factors would fit the noise of the table. The error of sizes that were left out of the fit shows
// whether the factors hold for other sizes.

#include <string>
#include <vector>

#include "communication/call.h"
#include "platform/calibration.h"

namespace wt::study {

// A measured call. The group's platform has no factors for it.
struct MeasuredCall {
  const communication::Group* group = nullptr;
  communication::Call call{};
  Type type{};
  Seconds time{};
};

// The calls of one protocol, within a machine or between machines.
struct FittedCalls {
  bool is_between = false;
  std::string library{};  // "ll128", "switches" or "wires"
  platform::CallFactors factors{};
  std::size_t rows = 0;
  // Means of |predicted / measured - 1|.
  double before = 0;
  double after = 0;
  double held_out = 0;  // of every other size, with the factors of the remaining ones; 0: there are too few
};

struct CollectiveFit {
  platform::Calibration factors{};  // `inside` and `between`, whichever was measured
  std::vector<FittedCalls> calls{};
};

// Requires: there are calls.
CollectiveFit fit_collectives(const std::vector<MeasuredCall>& calls);

}  // namespace wt::study
