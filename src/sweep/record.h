#pragma once
// The journal of a sweep has a line for what the sweep is, and a line for each row, in the order in which they
// were finished.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/records.h"

namespace wt::sweep {

// Rows of two sweeps belong together only if all of this is equal, apart from the shard.
struct Header {
  std::string version{};  // of the program
  int constants = 0;      // platform/constants_version.h
  std::string name{};
  std::string sweep{};  // Sweep::identity
  std::int64_t points = 0;
  std::string shard{};                          // "2/3"; empty: all points
  std::map<std::string, std::string> inputs{};  // sweep/inputs.h
  std::vector<std::string> columns{};

  friend bool operator==(const Header&, const Header&) = default;
};

std::string print(const Header& header);
// Empty if the line is none of this program's headers.
std::optional<Header> parse_header(const std::string& line);

// What differs, as a user would say it: "the file resnet50.json", "the version of the program (0.1.0, now 0.2.0)".
std::vector<std::string> differences(const Header& before, const Header& now);

using Row = std::vector<report::Field>;
std::string print(const Row& row);
Row parse_row(const std::string& line);
std::int64_t number_of(const Row& row);  // of its point

}  // namespace wt::sweep
