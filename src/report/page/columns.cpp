#include "report/page/columns.h"

namespace wt::report {

void write_columns(json::Writer& out, const Records& records) {
  out.begin_object();
  for (std::size_t column = 0; column < records.headings.size(); ++column) {
    if (records.headings[column].key.empty()) continue;
    write_column(out, records.headings[column].key, records.rows,
                 [&](json::Writer& to, const std::vector<Cell>& row) { write(to, row[column].field); });
  }
  out.end_object();
}

}  // namespace wt::report
