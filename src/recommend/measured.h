#pragma once
// A planner's own measurements, in the format of tests/measurements (its README has the columns). A row's system is
// a platform, its model the scenario's, its devices are the first ones of one machine or all of several machines,
// and its batch is written as "64/GPU" or "512 global".
//
// Rows of one device correct the times of all kernels of its device type, on whatever platform. Rows of several
// devices, predicted with that correction, give the errors of communication on their platform, and the answer is
// corrected by the median of these errors. A row of one device that waits for TensorFlow's software says nothing about
// kernels. It counts among the latter, so that the answer for its platform is corrected by what its host really takes.

#include <map>
#include <string>
#include <vector>

#include "recommend/answer.h"
#include "recommend/trials.h"

namespace wt::recommend {

struct OwnRows {
  std::map<std::string, double> scale{};                     // of kernel times, by device type
  std::map<std::string, evidence::Samples> kernels{};        // errors after that, by device type
  std::map<std::string, evidence::Samples> communication{};  // errors, by platform
  std::vector<BackTest> back_tests{};
  std::vector<std::string> unused{};
};

// Throws InputError if the file can't be read, names an unknown platform, or has no row of the scenario's model.
OwnRows own_rows(const Question& question);

}  // namespace wt::recommend
