#pragma once
// Another value for a place in a JSON tree, as a shell hands it over: training.epochs=3.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace wt::json {

// The file in the places of what comes from there: "--set:1:17".
inline constexpr std::string_view command_line = "--set";

// "training.epochs" as the steps that replaced() takes. Some may be empty: nothing is refused here.
std::vector<std::string> dotted(std::string_view path);

// What follows `begin` as a value: JSON, or text where it isn't JSON, so that a shell's quotes are enough.
// Throws InputError for what begins as an object, a list or a text of JSON and isn't one.
Value override_value(const std::string& text, std::size_t begin);

}  // namespace wt::json
