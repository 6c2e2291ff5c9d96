#pragma once
// Writes an answer for people, and as JSON.

#include <string>

#include "base/json_writer.h"
#include "recommend/answer.h"

namespace wt::recommend {

std::string text(const Answer& answer);
std::string json(const Answer& answer);
// As an entry of a report (report/page/page.h).
void write_page(json::Writer& out, const Answer& answer);

}  // namespace wt::recommend
