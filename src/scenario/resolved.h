#pragma once

#include <filesystem>
#include <string>

#include "scenario/scenario.h"

namespace wt::scenario {

// The scenario with every default filled in, to be written into `folder`: paths in it are relative to that
// folder. Parsing the text there gives the same scenario, and resolving that scenario gives the same text.
std::string resolved(const Scenario& scenario, const std::filesystem::path& folder);

}  // namespace wt::scenario
