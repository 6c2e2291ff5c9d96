#pragma once

#include <filesystem>

#include "base/json.h"
#include "model/layer.h"

namespace wt::model {

// Reads the architecture of a model that Keras wrote. Accepted are the results of `model.to_json()` in Keras
// 2 (before and after 2.13) and Keras 3, the model.json of TensorFlow.js, and the config.json inside a .keras
// archive. These files contain no weights. Throws InputError with all problems of the file; each names the
// layer and its class.
LayerPtr model_from_json(const json::Value& file);

// `named_at` is the place where the user wrote the path. It is reported if the file cannot be read.
LayerPtr model_from_json_file(const std::filesystem::path& path, const Place& named_at = {});

}  // namespace wt::model
