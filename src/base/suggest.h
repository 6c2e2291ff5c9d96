#pragma once
// "did you mean": what the user probably wanted to write.

#include <span>
#include <string>
#include <string_view>

namespace wt {

// Restricted Damerau-Levenshtein distance (Damerau, 1964): insertions, deletions, substitutions and swaps of
// neighbours each count one. Upper and lower case differ by nothing.
std::size_t edit_distance(std::string_view left, std::string_view right);

// The nearest of `known` within a third of the length (at least 1 edit); empty when nothing is near. Ties go
// to the earlier one.
std::string_view nearest(std::string_view given, std::span<const std::string_view> known);

// `did you mean "mirrored"? known: a, b, c`, or just `known: a, b, c` when nothing is near.
std::string did_you_mean(std::string_view given, std::span<const std::string_view> known);

// `known: a, b, c`; "" for an empty list, and of a long one the beginning: `known: a, ..., x and 20 more`.
std::string list_known(std::span<const std::string_view> known);

}  // namespace wt
