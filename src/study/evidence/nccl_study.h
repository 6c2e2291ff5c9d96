#pragma once
// Predictions for published tables of nccl-tests, row by row. The first prediction uses only the constants of
// the system's class of hardware. The second also uses one measured number, the time of the table's smallest
// message.

#include <string>
#include <vector>

#include "base/quantity.h"
#include "study/evidence/measurements.h"

namespace wt::evidence {

struct NcclRow {
  Bytes bytes{};
  Seconds published{};
  Seconds by_class{};                   // predicted with the constants of the hardware's class
  Seconds by_tiny{};                    // predicted with the time of the smallest message, too
  std::string algorithm{}, protocol{};  // which NCCL is assumed to choose
};

struct NcclTable {
  std::string name{};
  std::string platform{};
  std::vector<std::string> overrides{};  // of the platform, such as "machines=2"
  std::vector<NcclRow> rows{};           // sorted by size
};

// One table for each system that nccl_study.cpp lists and the rows contain. A table predicts that system's
// all-reduces of at least 1 KiB.
std::vector<NcclTable> nccl_tables(const std::vector<Measurement>& rows);

}  // namespace wt::evidence
