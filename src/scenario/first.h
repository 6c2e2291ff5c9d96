#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace wt::scenario {

// The text of a first scenario for a model that Keras wrote (.keras, .h5 or JSON), as it stands in `file`: synthetic rows
// of the right shapes, the loss, optimizer and metrics that the model was compiled with or else those that fit its
// outputs, and two described GPUs. Comments say what to edit. Throws InputError if no training of the model is legal.
std::string first_scenario(const std::filesystem::path& model, const std::filesystem::path& file);

}  // namespace wt::scenario
