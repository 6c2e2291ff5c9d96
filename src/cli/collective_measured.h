#pragma once
// The option --measured of `collective`: files with the output of nccl-tests, beside which predictions are laid.

#include <string>
#include <vector>

#include "communication/collective_question.h"
#include "communication/nccl_tests_output.h"

namespace wt::cli {

// Reads the files. Throws InputError with everything that is wrong with any of them.
std::vector<communication::MeasuredTable> read_measured(const std::vector<std::string>& files);

// The sizes of all tables, ascending.
std::vector<Bytes> sizes_of(const std::vector<communication::MeasuredTable>& tables);

// Throws InputError if a table is of another operation, type of element or number of ranks.
void require_same(const std::vector<communication::MeasuredTable>& tables,
                  const communication::CollectiveQuestion& question, int ranks);

}  // namespace wt::cli
