#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wt {

using TableRow = std::vector<std::string>;

// Prints a table as text. A column is as wide as its widest cell, and two spaces separate columns.
// `alignment` has one letter per column, 'l' for left and 'r' for right; its last letter applies to all
// further columns. For example, print_table({{"links", "GB/s"}, {"nvlink", "25"}}, "lr") prints
//   links   GB/s
//   nvlink    25
std::string print_table(const std::vector<TableRow>& rows, std::string_view alignment,
                        std::string_view indentation = "");

}  // namespace wt
