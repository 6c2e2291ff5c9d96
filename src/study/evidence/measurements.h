#pragma once
// Published measurements, read from CSV files: training throughput, rates of matrix products, and times of
// collectives. tests/measurements holds the files.

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace wt::evidence {

// One row of a file. The cells are kept as they were published, and the studies interpret them.
struct Measurement {
  Place place{};  // the line in its file, for messages
  std::string source{}, system{}, strategy{}, model{}, batch{}, type{}, metric{}, unit{};
  std::string note{};  // of files that have such a column
  int devices = 0;
  int nodes = 1;  // machines; 1 where the file leaves the cell empty
  double value = 0;
};

// All rows of all CSV files in the folder, with the files sorted by name. Throws InputError with the problems
// of all files.
std::vector<Measurement> read_measurements(const std::filesystem::path& folder);
// All rows of one such file.
std::vector<Measurement> read_measurement_file(const std::filesystem::path& file);

}  // namespace wt::evidence
