#include "base/table.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"

namespace wt {

std::string print_table(const std::vector<TableRow>& rows, std::string_view alignment,
                        std::string_view indentation) {
  WT_EXPECT(!alignment.empty(), "a table of {} rows without alignment", rows.size());
  std::vector<std::size_t> widths;
  for (const TableRow& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max<std::size_t>(widths[i], static_cast<std::size_t>(count_characters(row[i])));
  }
  std::string text;
  for (const TableRow& row : rows) {
    std::string line(indentation);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string gap(widths[i] - static_cast<std::size_t>(count_characters(row[i])), ' ');
      const bool is_right = alignment[std::min(i, alignment.size() - 1)] == 'r';
      line += (i == 0 ? "" : "  ") + (is_right ? gap + row[i] : row[i] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace wt
