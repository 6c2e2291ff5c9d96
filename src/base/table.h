#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wt {

using TableRow = std::vector<std::string>;

// Columns as wide as their widest cell, two spaces between them, no spaces at the end of a line. A letter for
// each column says where its cells stand: 'l' left, 'r' right; the last letter holds for all columns that
// follow.
std::string print_table(const std::vector<TableRow>& rows, std::string_view alignment,
                        std::string_view indentation = "");

}  // namespace wt
