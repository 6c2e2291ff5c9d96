#pragma once
// Which rows a pipeline gives: the same pipeline over the numbers of the rows instead of their contents.

#include <span>
#include <string>

#include "data/dataset.h"

namespace wt::data {

// The elements 0, 1, 2, ... of a source, in as many files of as many rows. Requires: the number of its rows is known.
Dataset numbered(const Dataset& source);

// "0-63, 100, 7": runs of consecutive numbers, at most so many of them; "none" for no numbers.
std::string print_runs(std::span<const std::int64_t> numbers, std::size_t most_runs);

}  // namespace wt::data
