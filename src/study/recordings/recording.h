#pragma once
// Recordings of TensorFlow: programs that ran under it, and what they did. A recording is a folder
// <version>/<kind>/<id>, such as keras3/layers/layers_gru_mask, with case.json and data.safetensors: the
// program, its configuration, the errors it met, and all numbers. tests/recordings/README.md describes both.

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/semantics.h"
#include "tensor/tensor.h"

namespace wt::recordings {

struct Recording {
  std::filesystem::path folder{};
  std::string version{};  // "keras2" or "keras3"
  std::string kind{};     // "layers"
  std::string id{};       // "layers_gru_mask"
  json::Value content;    // case.json

  model::Semantics semantics() const;
  // What case.json has under `section` and `key`; null if there is no such key.
  const json::Value* value(std::string_view key) const { return find("values", key); }
  const json::Value* error(std::string_view key) const { return find("errors", key); }
  // What TensorFlow says in the error that it raised there; none if it raised none.
  std::optional<std::string> error_text(std::string_view key) const;
  const json::Value* text(std::string_view key) const { return find("texts", key); }
  const json::Value* config(std::string_view key) const;  // of values.config
  std::map<std::string, Tensor> tensors() const;          // none without a data.safetensors

 private:
  const json::Value* find(std::string_view section, std::string_view key) const;
};

// The recordings in these folders and archives (archive.h), at any depth, sorted by version, kind and id. `scratch`
// receives what archives contain. Throws InputError if there are none, or if a file cannot be read.
std::vector<Recording> read_recordings(std::span<const std::string> places,
                                       const std::filesystem::path& scratch);

}  // namespace wt::recordings
