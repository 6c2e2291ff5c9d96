#pragma once
// Predictions for published tables of nccl-tests, row by row. The first prediction uses only the constants of
// the system's class of hardware. The second also uses one measured number, the time of the table's smallest
// message.

#include <string>
#include <vector>

#include "base/quantity.h"
#include "study/evidence/nccl_prediction.h"

namespace wt::evidence {

struct NcclTable {
  std::string name{};
  NcclSystem system{};
  collective::Operation operation{};
  std::vector<NcclRow> rows{};  // sorted by size, from 1 KiB up
};

// One table for each system and operation of the rows (nccl_systems.h).
std::vector<NcclTable> nccl_tables(const std::vector<Measurement>& rows);

}  // namespace wt::evidence
