#pragma once
// The files in which Keras saves models and weights:
//
//   name.keras        a zip archive with the model as JSON, and its weights (Keras since 2.12)
//   name.h5           the model as JSON and its weights in one HDF5 file (model.save), or the weights alone
//   name.weights.h5   the weights alone (save_weights)
//
// All of them are read, whichever version of Keras wrote them, and the first and the last are written.
// model/keras/stored.h says how weights are found in them.

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "model/keras_json.h"
#include "model/layer.h"
#include "tensor/tensor.h"

namespace wt::model {

// What a file with a whole model says about it.
struct SavedModel {
  json::Value architecture;                    // for model_from_json
  std::optional<json::Value> compiled_with{};  // loss, optimizer and metrics, as Keras writes them
  std::optional<WrittenBy> writer{};
};

// What a file is, by its first bytes.
enum class Container : std::uint8_t { zip, hdf5, other };
Container container_of(const std::filesystem::path& path, const Place& named_at = {});

// Reads a .keras or .h5 file with a whole model. Throws InputError at `named_at`, or with a place in the file. A folder
// with a SavedModel is refused with the lines that convert it.
SavedModel read_saved_model(const std::filesystem::path& path, const Place& named_at = {});

// Reads the weights of a .keras, .h5 or .weights.h5 file, by the names of the model's weights. All of them have to be in
// the file, and no others.
std::map<std::string, Tensor> read_saved_weights(const std::filesystem::path& path, const Layer& model,
                                                 const std::vector<Weight>& weights,
                                                 const Place& named_at = {});

// Which of Keras' files a name stands for, by its suffix.
enum class SavedAs : std::uint8_t { other, weights_h5, keras, h5 };
SavedAs saved_as(std::string_view name);

// Writes the weights as the version of Keras reads them.
void write_weights_h5(const std::filesystem::path& path, const Layer& model,
                      const std::vector<Weight>& weights, const std::map<std::string, Tensor>& values,
                      Semantics semantics);

// The same with the model. Requires: `architecture` is the JSON from which the model was made.
void write_keras(const std::filesystem::path& path, const Layer& model, const std::vector<Weight>& weights,
                 const std::map<std::string, Tensor>& values, const json::Value& architecture,
                 Semantics semantics);

}  // namespace wt::model
