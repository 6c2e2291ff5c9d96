#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/json_reader.h"
#include "model/layer.h"
#include "model/semantics.h"

namespace wt::model {

// Reads the architecture of a model that Keras wrote. Accepted are the results of `model.to_json()` in Keras
// 2 (before and after 2.13) and Keras 3, the model.json of TensorFlow.js, and the config.json inside a .keras
// archive. These files contain no weights. Throws InputError with all problems of the file; each names the
// layer and its class.
// Keys that are not known here and whose values stand for nothing are added to `passed`.
LayerPtr model_from_json(const json::Value& file, json::PassedOver* passed = nullptr);

// The model inside the objects that TensorFlow.js writes around it.
const json::Value& unwrapped_model(const json::Value& file);

// The version of Keras that wrote such a file.
struct WrittenBy {
  Semantics semantics = default_semantics;
  std::string version{};  // "Keras 2.15.0"; "Keras 3" where the file doesn't give the number
};

// Keras 2 writes its number as keras_version. Otherwise the version follows from the name that it gives to the shape of
// an input: batch_input_shape (Keras 2) or batch_shape (Keras 3). None if the file has neither.
std::optional<WrittenBy> written_by(const json::Value& file);

// `named_at` is the place where the user wrote the path. It is reported if the file cannot be read.
LayerPtr model_from_json_file(const std::filesystem::path& path, const Place& named_at = {},
                              json::PassedOver* passed = nullptr);

}  // namespace wt::model
