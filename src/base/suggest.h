#pragma once
// Suggestions for misspelt names: `did you mean "mirrored"?`.

#include <span>
#include <string>
#include <string_view>

namespace wt {

// Restricted Damerau-Levenshtein distance (Damerau, 1964): the number of insertions, deletions, substitutions
// and swaps of neighbours. Upper and lower case are considered equal.
std::size_t edit_distance(std::string_view left, std::string_view right);

// The name in `known` with the smallest distance to `given`, if that is at most a third of the length of
// `given` (and at least one edit is always allowed). Empty if no name is that near. Among equally near names,
// those with fewer differences between upper and lower case are preferred, and then the first one.
std::string_view nearest(std::string_view given, std::span<const std::string_view> known);

// `did you mean "mirrored"? known: a, b, c`, or only `known: a, b, c` if no name is near.
std::string did_you_mean(std::string_view given, std::span<const std::string_view> known);

// `known: a, b, c`. An empty list gives "", and a long list is abbreviated: `known: a, ..., x and 20 more`.
std::string list_known(std::span<const std::string_view> known);

}  // namespace wt
