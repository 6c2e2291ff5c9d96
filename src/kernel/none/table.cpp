// Stands in for kernel/cuda/table.cpp in a build without CUDA: the table of a GPU's kernels has no rows.
#include "kernel/cuda/table.h"

namespace wt::cuda {

std::span<const Row> rows() { return {}; }
const Row* find_row(std::string_view) { return nullptr; }
Bytes workspace_bytes(std::string_view, const Call&) { return Bytes(0); }

}  // namespace wt::cuda
