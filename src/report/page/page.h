#pragma once
// report/page/ writes report.json, from which the page in viz/ draws a report: a list of results, each of a kind that
// has a writer of its own (run.h, collective.h; sweep/page.h and recommend/write.h have theirs).
//
//   {"format": "windtunnel report", "format_version": 1, "title": "ResNet-50",
//    "results": [{"kind": "run", "name": "ResNet-50", "headline": [...], "timeline": {...}, ...}]}
//
// What must hold: the page computes nothing, so every figure that it shows stands here, with its unit in its key.
// Long tables are written by column (columns.h). Text of users is text and never markup. As everywhere in report/,
// nothing says on which machine the program ran. The schema is scenarios/schema/report.json.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"

namespace wt::report {

inline constexpr std::string_view report_format = "windtunnel report";
inline constexpr int report_format_version = 1;

// One result. `write` writes the object.
struct Entry {
  std::string name{};
  std::function<void(json::Writer& out)> write{};
};

std::string report_json(std::string_view version, const std::vector<Entry>& entries);

// The page with the data in its place: between the tags of the script element with the id "report-data", where the
// template has "{}". Text in the data can't end that element. Throws InputError if the template has no such place.
std::string page_with(std::string_view page_template, std::string_view data);

}  // namespace wt::report
