#include "study/recordings/python_call.h"

#include <array>
#include <regex>

#include "base/json_writer.h"

namespace wt::recordings {

namespace {

// The text up to the bracket that closes the first one.
std::string_view in_brackets(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0) return text.substr(1, i - 1);
  }
  return {};
}

// A literal of Python as JSON; empty for any other expression. Numbers are the same in both but for 1. and .5.
std::string literal(const std::string& python) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> words{
      {{"True", "true"}, {"False", "false"}, {"None", "null"}}};
  for (const auto& [from, to] : words)
    if (python == from) return std::string(to);
  static const std::regex number(R"(-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)");
  if (std::regex_match(python, number)) return json::print_number(std::stod(python));
  const bool is_text = python.size() > 1 && (python.front() == '\'' || python.front() == '"');
  return is_text ? json::quote(python.substr(1, python.size() - 2)) : "";
}

}  // namespace

PythonCall last_call(std::string_view program, std::string_view module) {
  const std::size_t at = program.rfind(module);
  if (at == std::string_view::npos) return {};
  const std::string_view call = program.substr(at + module.size());
  const std::size_t open = call.find('(');
  if (open == std::string_view::npos) return {};
  PythonCall found{.name = std::string(call.substr(0, open))};
  const std::string inside(in_brackets(call.substr(open)));
  static const std::regex argument(R"((\w+)\s*=\s*('[^']*'|"[^"]*"|[^,()\s]+))");
  for (std::sregex_iterator each(inside.begin(), inside.end(), argument), end; each != end; ++each) {
    const std::string value = literal((*each)[2]);
    if (value.empty() || value == "null") continue;
    found.arguments += (found.arguments.empty() ? "" : ", ") + json::quote((*each)[1].str()) + ": " + value;
  }
  found.arguments = "{" + found.arguments + "}";
  return found;
}

}  // namespace wt::recordings
