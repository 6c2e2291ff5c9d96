#pragma once
// Predictions of published throughput of whole programs that the zoo doesn't have: the folder of the measurements has
// their scenarios, FOLDER/programs/*.json. A row belongs to the scenario whose name its model begins with, if it has as
// many devices as that has replicas.

#include <string>
#include <vector>

#include "study/evidence/measurements.h"

namespace wt::evidence {

struct ProgramPrediction {
  const Measurement* row = nullptr;
  std::string program{};  // the scenario's name
  double predicted = 0;   // samples per second
  double software = 0;    // the share of the step in which the devices wait for the host's software
};

// Sorted by file. Requires: the rows outlive their predictions. Throws InputError for a scenario without a row.
std::vector<ProgramPrediction> predict_programs(const std::string& folder,
                                                const std::vector<Measurement>& rows);

}  // namespace wt::evidence
