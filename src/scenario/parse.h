#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/scenario.h"

namespace wt::scenario {

// Each override, as "training.epochs=3", replaces the value of a key, and "training.epochs=null" removes the
// key. The value is JSON, or text if it is not valid JSON. Places in overrides are printed as "--set:1:17", and files that they name are relative to the
// folder in which the program was started. Throws InputError with all problems of file and overrides.
Scenario parse_file(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});

// `file` names the text in messages, and files in it are relative to its folder.
Scenario parse(std::string text, const std::filesystem::path& file,
               const std::vector<std::string>& overrides = {});

// "fashion CNN, 2 GPUs" -> "fashion_cnn_2_gpus": the folder of the results.
std::string slug(std::string_view name);

}  // namespace wt::scenario
