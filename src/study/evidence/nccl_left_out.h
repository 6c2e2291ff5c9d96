#pragma once
// How far predictions of collectives are off on a system that nobody measured: each system in turn is left out, and
// what was read off its tables is read off the other tables of the same class alone.
//
// The class of a constant are the tables whose times it moves, which is found out by moving it. From these, without
// those of the system that is left out, it is fitted by the mean error of the rows that it moves. If no table remains,
// the constant is that of the nearest class, as for a class that nobody measured (class_constants.h). Constants that
// weren't read off the system stay as they are.

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
