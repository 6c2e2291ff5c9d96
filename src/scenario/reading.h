#pragma once
// What all readers of one scenario share: what is wrong with it so far, and of each of its keys where it
// stands and what it means.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace wt::scenario {

struct Reading {
  Problems problems{};
  std::filesystem::path folder{};  // of the file
  std::map<std::string, Place, std::less<>> places{};
  std::map<std::string, std::string_view> meanings{};

  void note(const std::string& path, const Place& place, std::string_view meaning);

  // Where not: false, and a problem.
  bool is_list(const json::Value& value, std::string remedy = {});
  bool is_object(const json::Value& value);

  // Paths in the file begin at its folder, those from a shell where the program was started.
  std::string open_path(const json::Value& written) const;

  // A value of another type than its key wants has no remedy yet: it is what the key means.
  std::vector<Problem> with_remedies() const;
};

}  // namespace wt::scenario
