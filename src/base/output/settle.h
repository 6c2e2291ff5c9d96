#pragma once

#include <filesystem>

#include "base/output/lock.h"

namespace wt::output {

// Completes what a process was doing with this folder when it was killed: an exchange of names, the removal of
// the replaced folder, the writing of a file. Nothing is done to a folder that this program did not write.
// Requires: the lock is that of the folder.
void settle(const std::filesystem::path& folder, const Lock& lock);

// Throws InputError, which names the first such file, if the folder contains what this program did not write.
void refuse_foreign(const std::filesystem::path& folder);

// A name beside the folder, for exchange().
std::filesystem::path spare_name(const std::filesystem::path& folder);

}  // namespace wt::output
