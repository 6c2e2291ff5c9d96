#pragma once
// Writes a sweep as an entry of a report (report/page/page.h): its rows by column, and what each column is.

#include <map>

#include "base/json_writer.h"
#include "sweep/record.h"

namespace wt::sweep {

void write_page(json::Writer& out, const Header& header, const std::map<std::int64_t, Row>& rows);

}  // namespace wt::sweep
