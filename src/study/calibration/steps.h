#pragma once
// Finds how fast kernels are on one system, and what its devices lose when they meet in every step, from measured
// steps of one training with different numbers of replicas (platform/calibration.h).

#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "platform/calibration.h"

namespace wt::study {

struct MeasuredStepOf {
  int replicas = 1;
  Seconds time{};
};

struct FittedStep {
  MeasuredStepOf measured{};
  Seconds before{};  // as predicted without the calibration
  Seconds after{};
};

struct StepFit {
  platform::Calibration calibration{};  // that of the platform, with `kernels` and perhaps `synchronization`
  std::vector<FittedStep> steps{};
};

// The factor on kernels is such that the step with the fewest replicas takes as long as measured. The others
// determine what is lost by meeting: a spread of the devices' times, a fixed time, or both. Throws InputError if no
// factor makes the step as short as measured, if a step doesn't fit into memory, or if a number of replicas is not
// possible.
StepFit fit_steps(const std::string& file, const std::vector<std::string>& overrides,
                  std::vector<MeasuredStepOf> measured);

}  // namespace wt::study
