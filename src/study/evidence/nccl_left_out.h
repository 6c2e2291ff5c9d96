#pragma once
// Leave-one-system-out validation: how far collectives are off on a system without published tables. Each system is left
// out in turn, and the constants that were read off its tables are fitted again to the tables of the other systems.
//
// A constant is fitted to the tables whose predicted times change with it, which are found by changing it. The fit makes
// the mean error of the rows that change as small as possible. If no such table remains, the constant is taken from the
// nearest class (class_constants.h). Constants that were not read off the system keep their values.

#include <string>
#include <vector>

#include "study/evidence/nccl_study.h"

namespace wt::evidence {

struct LeftOutConstant {
  std::string name{};
  int tables = 0;         // of its class that remain
  double factor = 1;      // on the constant as shipped, if tables remain
  std::string nearest{};  // what is taken instead, if none does
};

struct LeftOutSystem {
  std::string system{};
  std::vector<LeftOutConstant> constants{};  // that were read off it
  std::vector<NcclTable> tables{};           // of this system; by_class is predicted without it
};

// In the order of the tables. Takes minutes.
std::vector<LeftOutSystem> nccl_left_out(const std::vector<NcclTable>& tables);

}  // namespace wt::evidence
