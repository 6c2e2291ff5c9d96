#pragma once
// What runs that were killed left beside a folder of results: folders `<name>.unfinished-<number>`. They are
// judged while the lock of the folder is held. A leftover belongs to a run that has ended if it was made since
// this machine started, because the lock would be held otherwise. A leftover from another machine, or from
// before a restart, must be a day old. The number of a process proves nothing.

#include <filesystem>
#include <string>
#include <vector>

#include "base/output/lock.h"

namespace wt::output {

struct Leftover {
  std::filesystem::path folder{};
  std::filesystem::path kept{};  // the checkpoints in it, or the folder itself
  std::string run{};             // what was being run
  bool has_ended = false;        // certainly; otherwise its run may be going on on another machine
};

// Removes the folder. A removal that is killed leaves a folder that the next run removes.
void remove_unfinished(const std::filesystem::path& folder);

// Whether this is the name of an unfinished folder of a folder of results, whose name is `of`.
bool is_unfinished_name(const std::string& name, const std::string& of);

// Removes leftovers that hold nothing of use, and returns the others.
std::vector<Leftover> settle_leftovers(const std::filesystem::path& folder, const Lock& lock);

// Removes those leftovers of the same run: a finished run has given the bytes that they would have become.
void remove_superseded(const std::vector<Leftover>& leftovers, const std::string& run);

}  // namespace wt::output
