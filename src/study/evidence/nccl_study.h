#pragma once
// Published tables of nccl-tests, predicted row by row: with the constants of the hardware's class alone, and with
// the time of the system's smallest message given.

#include <string>
#include <vector>

#include "base/quantity.h"
#include "study/evidence/measurements.h"

namespace wt::evidence {

struct NcclRow {
  Bytes bytes{};
  Seconds published{};
  Seconds by_class{};                   // predicted with the constants of classes
  Seconds by_tiny{};                    // and with the system's time of its smallest message
  std::string algorithm{}, protocol{};  // that the library is taken to choose
};

struct NcclTable {
  std::string name{};
  std::string platform{};
  std::vector<NcclRow> rows{};  // the smallest first
};

// The tables of the systems that are known here, with a prediction for every all-reduce in the rows.
std::vector<NcclTable> nccl_tables(const std::vector<Measurement>& rows);

}  // namespace wt::evidence
