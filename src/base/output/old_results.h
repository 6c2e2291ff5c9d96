#pragma once

#include <filesystem>
#include <optional>

#include "base/output/manifest.h"

namespace wt::output {

// The names that a run is known to have written into this folder of results, which has no manifest because a
// program from before there were manifests wrote it. Their sizes are not known. Returns nothing if the folder
// has no results.
std::optional<Manifest> names_of_old_results(const std::filesystem::path& folder);

}  // namespace wt::output
