#pragma once
// What `run` says about the folder of its results when a run is interrupted, or when an earlier one was killed.

#include <filesystem>
#include <iosfwd>
#include <string>

#include "base/output_folder.h"
#include "scenario/scenario.h"
#include "session/results.h"

namespace wt::cli {

// Where the results lie. An interrupted run leaves the results of an earlier run in their place.
std::filesystem::path place_of(const OutputFolder& folder, const session::Results& results);

// Prints what an interrupted run leaves, and how it can be continued.
void explain_interruption(const session::Results& results, const scenario::Scenario& scenario,
                          const OutputFolder& folder, std::ostream& messages);

// A text that is equal for two runs if they write the same bytes into the same folder. A training that continues
// from a checkpoint of an earlier run into this folder ends as if that run had not been interrupted.
std::string identity_of(const scenario::Scenario& scenario, const OutputFolder& folder);

// Prints what killed runs left beside the folder.
void note_leftovers(const OutputFolder& folder, const std::string& identity,
                    const scenario::Scenario& scenario, std::ostream& messages);

}  // namespace wt::cli
