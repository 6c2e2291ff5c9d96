#pragma once

#include <span>
#include <vector>

namespace wt::model {

// The factor Q of the QR decomposition of a matrix, row by row, whose triangle R has a positive diagonal. Requires: as
// many rows as columns, or more.
std::vector<float> orthonormal_columns(std::span<const float> matrix, std::size_t rows, std::size_t columns);

}  // namespace wt::model
