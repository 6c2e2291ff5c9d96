#pragma once
// Published throughput of several devices, each row made into a scenario and planned and simulated as `run` does
// it.

#include <optional>
#include <string>
#include <vector>

#include "study/evidence/prediction.h"

namespace wt::evidence {

// How a group of rows is brought to run here.
struct Arrangement {
  std::string_view group{};
  std::string_view system{};    // a part of the row's
  std::string_view strategy{};  // how the row's begins
  // For the scenario, as JSON, of so many devices of the row.
  std::string (*platform_of)(int devices) = nullptr;
  std::string (*strategy_of)(int devices) = nullptr;
};

struct ScalingPrediction {
  const Measurement* row = nullptr;
  const Measurement* base = nullptr;  // of the fewest devices with as large a batch each; null: none
  const Arrangement* arrangement = nullptr;
  std::string network{};
  std::int64_t batch = 0;          // of each device of the catalogue
  double absolute = 0;             // with the generation's constants
  std::optional<double> scaled{};  // where the base's row gives the computing
};

struct ScalingPredictions {
  std::vector<ScalingPrediction> made{};  // grouped
  std::vector<std::string> left_out{};
};

// Requires: the rows outlive their predictions. Throws InputError for a row that can't be read.
ScalingPredictions predict_scaling(const std::vector<Measurement>& rows);
ScalingPredictions predict_scaling(const std::vector<Measurement>&& rows) = delete;

// What a row becomes. `alone` is what one device takes for its share of a step; none: as the roofline says.
std::string scenario_text(const Measurement& row, const Arrangement& arrangement,
                          std::optional<Seconds> alone = {});

// The arrangement of that group. Requires: there is one.
const Arrangement& arrangement_named(std::string_view group);

}  // namespace wt::evidence
