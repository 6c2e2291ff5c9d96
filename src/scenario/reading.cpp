#include "scenario/reading.h"

#include <fmt/format.h>

#include <tuple>

#include "base/json_override.h"
#include "base/json_reader.h"

namespace wt::scenario {

void Reading::note(const std::string& path, const Place& place, std::string_view meaning) {
  places.insert_or_assign(path, place);
  meanings.insert_or_assign(path, meaning);
}

bool Reading::is_list(const json::Value& value, std::string remedy) {
  if (value.kind() == json::Kind::array) return true;
  problems.add(value.place(), fmt::format("expected a list, found {}", describe(value.kind())),
               std::move(remedy));
  return false;
}

bool Reading::is_object(const json::Value& value) {
  const json::Reader reader(value, problems);  // says so
  return value.kind() == json::Kind::object;
}

std::string Reading::open_path(const json::Value& written) const {
  const std::filesystem::path path = written.string();
  const bool is_from_shell = written.place().file == json::command_line;
  return (is_from_shell ? path : folder / path).lexically_normal().string();
}

std::vector<Problem> Reading::with_remedies() const {
  std::vector<Problem> all = problems.found();
  for (Problem& problem : all) {
    if (!problem.remedy.empty()) continue;
    for (const auto& [path, place] : places) {
      const bool is_it = std::tie(place.file, place.line, place.column) ==
                         std::tie(problem.place.file, problem.place.line, problem.place.column);
      if (is_it)
        problem.remedy = fmt::format("{}: {}", path.empty() ? "a scenario" : path, meanings.at(path));
    }
  }
  return all;
}

}  // namespace wt::scenario
