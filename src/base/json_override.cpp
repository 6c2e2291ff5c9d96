#include "base/json_override.h"

#include <algorithm>

#include "base/json_writer.h"
#include "base/utf8.h"

namespace wt::json {

std::vector<std::string> dotted(std::string_view path) {
  std::vector<std::string> steps;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t quote =
        begin < path.size() && path[begin] == '"' ? path.find('"', begin + 1) : std::string_view::npos;
    const std::size_t end =
        std::min(path.find('.', quote == std::string_view::npos ? begin : quote), path.size());
    const bool is_quoted = quote != std::string_view::npos && quote + 1 == end;
    steps.emplace_back(is_quoted ? path.substr(begin + 1, quote - begin - 1)
                                 : path.substr(begin, end - begin));
    begin = end + 1;
  }
  return steps;
}

Value override_value(const std::string& text, std::size_t begin) {
  constexpr std::string_view json_begins_with = "{[\"";
  const bool must_be_json =
      begin < text.size() && json_begins_with.find(text[begin]) != std::string_view::npos;
  const bool is_text = first_invalid_utf8(text) == std::string_view::npos;
  try {
    return parse(text, std::string(command_line), begin);
  } catch (const InputError&) {
    if (must_be_json || !is_text) throw;
  }
  return parse(text.substr(0, begin) + quote(text.substr(begin)), std::string(command_line), begin);
}

}  // namespace wt::json
