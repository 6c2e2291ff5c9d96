#pragma once
// Published training throughput and rates of matrix products, read from CSV files.

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace wt::evidence {

struct Measurement {
  Place place{};
  std::string source{}, system{}, strategy{}, model{}, batch{}, type{}, metric{}, unit{};
  int devices = 0;
  double value = 0;
};

// All rows of all CSV files of the folder, files in the order of their names. Throws InputError with every
// problem.
std::vector<Measurement> read_measurements(const std::filesystem::path& folder);

}  // namespace wt::evidence
