#pragma once
// The files that decide about a sweep's rows, so that a sweep continues only where none of them has changed.

#include <cstdint>
#include <map>
#include <string>

#include "sweep/sweep.h"

namespace wt::sweep {

// A digest of each file, by its path; the shipped platforms count as one. The files are the base scenario, every
// file that it or a value of an axis names, and those that these name in turn.
std::map<std::string, std::string> digests(const Sweep& sweep);

}  // namespace wt::sweep
