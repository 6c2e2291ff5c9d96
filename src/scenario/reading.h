#pragma once
// What all readers of one scenario share: the problems so far, and for each key its place and its meaning.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace wt::scenario {

struct Reading {
  Problems problems{};
  std::filesystem::path folder{};    // of the file
  std::string_view strategy_rule{};  // the rule that chose the strategy, "auto"; empty: the file names it
  std::map<std::string, Place, std::less<>> places{};
  std::map<std::string, std::string_view> meanings{};

  void note(const std::string& path, const Place& place, std::string_view meaning);

  // False, with a problem, if the value is of another kind.
  bool is_list(const json::Value& value, std::string remedy = {});
  bool is_object(const json::Value& value);

  // Paths in the file begin at its folder, those from a shell where the program was started.
  std::string open_path(const json::Value& written) const;

  // The problems. A value of a wrong type has no remedy yet, and gets the meaning of its key as the remedy.
  std::vector<Problem> with_remedies() const;
};

}  // namespace wt::scenario
