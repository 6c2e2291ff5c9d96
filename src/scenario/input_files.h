#pragma once
// Finds the files that a scenario names, before a reader fails with a less clear message.

#include <optional>
#include <string>
#include <vector>

#include "data/wanted_row.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// The path. Throws InputError at `place` if no such file is there.
const std::string& existing(const InputPath& file, const Place& place);

// All files that are named, in the order of the list; those of a pattern are sorted by name. Throws
// InputError with a problem for each file that isn't there and each pattern that matches none.
std::vector<data::NamedFile> existing(const InputFiles& files, const Place& place);

// The bytes of the files of text or records that a dataset reads. Unset if it reads none, or they can't be read.
std::optional<Bytes> bytes_of_files(const Dataset& dataset);

}  // namespace wt::scenario
