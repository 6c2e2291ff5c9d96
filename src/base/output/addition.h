#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace wt::output {

// Adds a file to a folder of results, or replaces a file that was added before, and names it in the folder's
// manifest. A reader sees the old file or the new one, whole; a file that is there is always in the manifest.
// Throws InputError if the folder is not one of results, if a run is writing it, or if a file of that name is
// there which this program did not write.
void add_file(const std::filesystem::path& folder, const std::string& name, std::string_view text);

}  // namespace wt::output
