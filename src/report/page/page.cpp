#include "report/page/page.h"

#include <fmt/format.h>

#include <iterator>

#include "base/error.h"
#include "base/rough.h"
#include "platform/constants_version.h"

namespace wt::report {

std::string report_json(std::string_view version, const std::vector<Entry>& entries) {
  json::Writer out;
  out.begin_object()
      .member("format", report_format)
      .member("format_version", report_format_version)
      .member("version", version)
      .member("constants_version", platform::constants_version)
      .member("title", entries.size() == 1 ? entries.front().name : counted(std::ssize(entries), "result"))
      .key("results")
      .begin_array();
  for (const Entry& entry : entries) entry.write(out);
  return out.end_array().end_object().text();
}

std::string page_with(std::string_view page_template, std::string_view data) {
  constexpr std::string_view element = R"(id="report-data")";
  constexpr std::string_view empty = "{}";
  const std::size_t id = page_template.find(element);
  const std::size_t open = id == std::string_view::npos ? id : page_template.find('>', id);
  if (open == std::string_view::npos || page_template.substr(open + 1, empty.size()) != empty)
    throw InputError(
        fmt::format("the template of reports has no element with {} that holds {}", element, empty),
        "build it anew: ./windtunnel get report");
  std::string page(page_template.substr(0, open + 1));
  page.reserve(page_template.size() + data.size() + data.size() / 8);
  for (const char letter : data) {
    if (letter == '<')
      page += "\\u003c";  // "</script>" would end the element, and "<!--" change how it is read
    else
      page += letter;
  }
  return page + std::string(page_template.substr(open + 1 + empty.size()));
}

}  // namespace wt::report
