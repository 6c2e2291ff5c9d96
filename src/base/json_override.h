#pragma once
// Parses command-line overrides of values in a JSON file, such as `--set training.epochs=3`. json::replaced
// (json.h) applies them.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace wt::json {

// The file name in the places of override values, so that errors read "--set:1:17: ...".
inline constexpr std::string_view command_line = "--set";

// Splits "training.epochs" into the path {"training", "epochs"} for replaced(). A part that contains dots
// stands in quotes: cost.prices."p5.48xlarge". Parts may be empty; the caller checks them.
std::vector<std::string> dotted(std::string_view path);

// Parses the part of `text` that follows `begin`. If it is not valid JSON, it becomes a JSON string, so that
// a user can write `--set name=test` without a second pair of quotes. Throws InputError if it begins like a
// JSON object, list or string and is not valid JSON.
Value override_value(const std::string& text, std::size_t begin);

}  // namespace wt::json
