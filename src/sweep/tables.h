#pragma once
// The tables of a sweep: tidy, one row for each point, in the order of points. They don't depend on the order in
// which points were finished, nor on who computed them.

#include <map>
#include <string>

#include "sweep/record.h"

namespace wt::sweep {

std::string csv(const Header& header, const std::map<std::int64_t, Row>& rows);
std::string json(const Header& header, const std::map<std::int64_t, Row>& rows);

// For people: the columns that differ between the rows, and what was found. At most `most` rows, the ones with
// the most samples per second.
std::string table(const Header& header, const std::map<std::int64_t, Row>& rows, std::size_t most);

}  // namespace wt::sweep
