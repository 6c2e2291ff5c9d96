#pragma once

#include "report/results.h"

namespace wt::report {

// What a scenario comes to before anything is trained.
struct Forecast {
  Planned planned{};
  std::optional<Simulated> simulated{};        // on a platform, where it fits
  std::optional<std::string> out_of_memory{};  // TensorFlow's text
};

inline std::string reduction_text(const Planned& planned) {
  if (!planned.reduction) return "";
  const Reduction& reduction = *planned.reduction;
  return reduction.protocol.empty() ? reduction.algorithm
                                    : reduction.algorithm + " with " + reduction.protocol;
}

// The most that a device which limits it holds; without limits, the most at all.
Bytes peak_memory(const Planned& planned);

}  // namespace wt::report
