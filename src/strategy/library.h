#pragma once
// What a communication library runs for an all-reduce. A strategy doesn't know the links of the machine, so
// the choice comes from a caller that does.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collective/request.h"
#include "plan/plan.h"

namespace wt::strategy {

struct LibraryChoice {
  std::string algorithm = "ring";  // of collective/catalog.h
  collective::Options options{};
  std::vector<std::vector<int>> orders{};   // of rings: collective::Request
  std::vector<plan::Device> helpers{};      // switches that add, where the algorithm has them
  std::optional<plan::LibraryCall> call{};  // its costs, for the plan; absent without a described machine
};

struct Library {
  LibraryChoice always{};
  // By the size of the vector. Absent: `always`.
  std::function<LibraryChoice(Bytes)> choose{};
};

}  // namespace wt::strategy
