#pragma once
// Reads a sweep, or everything that is wrong with it.

#include <filesystem>
#include <string>
#include <vector>

#include "sweep/sweep.h"

namespace wt::sweep {

// What the command line adds to the file.
struct Further {
  std::vector<std::string> axes{};       // "machines=1..64x2", after those of the file
  std::vector<std::string> overrides{};  // "training.epochs=3", after those of the file
};

// `file` is a sweep, which names its base scenario relative to its own folder. Or it is a scenario, and all axes
// are given by `further`. Throws InputError with all problems.
Sweep read(const std::filesystem::path& file, const Further& further);

}  // namespace wt::sweep
