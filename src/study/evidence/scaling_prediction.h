#pragma once
// Predictions of published throughput on several devices. Each row becomes the text of a scenario, which is
// then planned and simulated as `windtunnel run` does it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/evidence/arrangements.h"
#include "study/evidence/prediction.h"

namespace wt::evidence {

struct ScalingPrediction {
  const Measurement* row = nullptr;
  const Measurement* base =
      nullptr;  // the row with the fewest devices and the same batch per device; null: none
  const Arrangement* arrangement = nullptr;
  std::string network{};
  std::int64_t batch = 0;          // of each device
  double absolute = 0;             // throughput with the constants of the devices' generation
  std::optional<double> scaled{};  // throughput with the compute time of the base row
};

struct ScalingPredictions {
  std::vector<ScalingPrediction> made{};  // sorted by group
  std::vector<std::string> left_out{};
};

// Requires: the rows outlive their predictions. Throws InputError if a row's batch can't be read.
ScalingPredictions predict_scaling(const std::vector<Measurement>& rows);
ScalingPredictions predict_scaling(const std::vector<Measurement>&& rows) = delete;

}  // namespace wt::evidence
