#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "base/json_reader.h"
#include "model/layer.h"

namespace wt::model {

// The zoo: networks that a scenario selects by name, such as `"model": "fashion_cnn"`, or with parameters,
// such as `"model": {"zoo": "transformer", "layers": 4}`. Each family of architectures has a file in
// model/zoo/ that states its source and its number of parameters, with the rows of this table at its end.

struct ZooParameter {
  std::string_view name{};
  std::string_view summary{};
  std::int64_t otherwise = 1;  // the default
  std::int64_t at_least = 1;
  std::int64_t at_most = 1 << 24;  // of an axis; a product of two of them still fits into 64 bits
  bool is_flag = false;            // true or false in JSON
};
using ZooValues = std::map<std::string, std::int64_t, std::less<>>;  // a flag is 0 or 1

struct ZooModel {
  std::string_view name{};
  std::string_view summary{};
  std::span<const ZooParameter> parameters{};
  bool shape_only = false;  // intended for predicting time and memory, not for training with numbers
  LayerPtr (*build)(const ZooValues& values) = nullptr;  // Requires: a value for every parameter.
};

std::span<const ZooModel> zoo();  // sorted by name

struct ZooChoice {
  const ZooModel* model = nullptr;
  ZooValues values{};

  LayerPtr build() const { return model->build(values); }
};

// Parameters that `values` lacks have their defaults. Throws InputError for an unknown name, an unknown
// parameter, or a value that is out of range.
ZooChoice zoo_model(std::string_view name, const ZooValues& values = {});

// Reads a name, or an object with the key "zoo" and parameters. Returns none after a problem.
std::optional<ZooChoice> read_zoo_model(const json::Value& value, Problems& problems);

}  // namespace wt::model
