#pragma once
// The table that the command `collective` prints: the columns of nccl-tests, then the lower bound and the
// algorithm that the library chooses.

#include <string>
#include <string_view>
#include <vector>

#include "communication/collective_question.h"
#include "communication/collective_row.h"
#include "communication/nccl_tests_output.h"

namespace wt::report {

// The table: properties that all rows share, then the rows.
struct CollectiveTable {
  std::string platform{};
  collective::Operation operation{};
  int ranks = 0;   // in each group
  int groups = 1;  // groups that run the collective at the same time
  int machines = 1;
  std::string_view type{};
  std::string reduction{};
  int root = 0;
  std::string launch{};  // how the ranks are started: "mpi"; empty: unknown
  std::string order{};   // order of the ranks; empty: that of the platform
  bool links = false;    // whether the text lists the load of links
  std::vector<std::string> warnings{};
  std::vector<communication::CollectiveRow> rows{};      // by series
  std::vector<communication::MeasuredTable> measured{};  // to compare with
};

std::string collective_text(const CollectiveTable& table);
std::string collective_csv(const CollectiveTable& table);
std::string collective_json(const CollectiveTable& table);

}  // namespace wt::report
