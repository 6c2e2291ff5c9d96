#pragma once
// The name under which a file is written until it is complete: ".x.json.<process>-<number>.tmp" for "x.json". The process
// holds a lock on it, which the operating system releases when the process ends, so a file of such a name without a
// lock is what a killed process left.

#include <filesystem>
#include <string>

namespace wt::output {

struct Temporary {
  std::string path{};
  int descriptor =
      -1;  // open for writing, and locked; negative: it could not be made, and errno has the reason
};

// Removes what killed processes left of this file, too.
Temporary make_temporary(const std::filesystem::path& file);

}  // namespace wt::output
