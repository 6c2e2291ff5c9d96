#pragma once
// Platforms by name, by path, and as a scenario writes them.
//
//   load("dgx1", {parse_parameter("machines=2")}).platform   // two machines of platforms/dgx1_v100.json
//   load("my_cluster.json").platform                         // the user's own file
//
// Every function here throws InputError with everything that is wrong, each problem at its place in the file.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "platform/description.h"
#include "platform/platform.h"

namespace wt::platform {

// A new value for a key of a platform file, applied before the file is parsed. The key is a path through the
// objects, as in {"machines": 4, "network.oversubscription": 2}.
struct Parameter {
  std::string key{};
  json::Value value;
};
using Parameters = std::vector<Parameter>;
Parameter parse_parameter(const std::string& text);  // from "machines=4" or "slice=4x4x8"

struct Loaded {
  Platform platform;
  std::string description{};
  std::vector<Problem> warnings{};     // links that no route takes, and assumptions of an importer
  std::vector<Problem> assumptions{};  // platform/assumptions.h
  std::optional<Ici> ici{};            // of a TPU generation: the rules for its slices
};

// Reads the platform with this id or alias of known_platforms(), or the file at a path that ends in ".json"
// or ".xml" (platform/formats/import.h). An unknown name is reported at `named_at`.
Loaded load(std::string_view name_or_path, const Parameters& parameters = {}, const Place& named_at = {});

// Reads the value of a scenario's "platform": a name, {"file": ..., "set": {...}}, {"virtual": {"devices": 4,
// "workers": 2}} (equal devices behind an ideal switch), or the content of a platform file. Paths are
// relative to `folder`.
Loaded from_json(const json::Value& value, const std::filesystem::path& folder = {});

// The content of a platform file with other values for some keys: what `load` and `from_json` build machines from.
// XML has none, and is refused.
json::Value content(std::string_view name_or_path, const Parameters& parameters = {});
json::Value content(const json::Value& value, const std::filesystem::path& folder = {});

// Reads the XML of SimGrid or NCCL. `file` is its name in messages. For NCCL's XML, `set` changes keys of the
// platform file into which it is translated; for SimGrid's, platform/formats/import_simgrid.h lists the keys.
Loaded from_xml(const std::string& file, std::string text, const Parameters& set = {});

// Builds a platform from a description. `written` is a text that determines the description, if there is one.
Loaded make(const Description& description, std::string name, std::string written = {});

struct KnownPlatform {
  std::string id{};  // the name of its file without ".json"
  std::vector<std::string> aliases{};
  std::string description{};
};
// The platform files of the folder platforms/, sorted by id. The first call reads them.
std::span<const KnownPlatform> known_platforms();

// The name that `load` gives to the platform which a text means: a path's stem, or the id whose own name or alias
// is the text or alone begins with it ("aws_p5en" means aws_p5en_48xlarge). Unset if no platform or several are
// meant; It then has a fact and a remedy. `also` is the name of a platform without a file.
struct Meant {
  std::optional<std::string> name{};
  std::string fact{};
  std::string remedy{};
};
Meant platform_meant(std::string_view text, std::string_view also = {});

}  // namespace wt::platform
