#pragma once
// The table that `collective` prints: the columns of nccl-tests, then the bound and the choice of the library.

#include <string>
#include <string_view>
#include <vector>

#include "communication/collective_question.h"
#include "communication/collective_row.h"

namespace wt::report {

// What all rows share.
struct CollectiveTable {
  std::string platform{};
  collective::Operation operation{};
  int ranks = 0;   // of a group
  int groups = 1;  // at once
  int machines = 1;
  std::string_view type{};
  std::string reduction{};
  int root = 0;
  std::string launch{};  // "mpi"; empty: no library's call is known
  std::string order{};   // of the ranks; empty: the platform's
  bool links = false;
  std::vector<std::string> warnings{};
  std::vector<communication::CollectiveRow> rows{};
};

std::string collective_text(const CollectiveTable& table);
std::string collective_csv(const CollectiveTable& table);
std::string collective_json(const CollectiveTable& table);

}  // namespace wt::report
