#pragma once
// Tables as arrays by column, which take a third of the bytes of objects by row:
//
//   {"devices": [1, 2, 4], "step_time_s": [0.1, 0.11, 0.12]}

#include <string_view>

#include "report/records.h"

namespace wt::report {

void write_columns(json::Writer& out, const Records& records);

// One column: calls write(out, row) for each row.
template <class Rows, class Write>
void write_column(json::Writer& out, std::string_view key, const Rows& rows, Write write) {
  out.key(key).begin_array(json::Layout::compact);
  for (const auto& row : rows) write(out, row);
  out.end_array();
}

}  // namespace wt::report
