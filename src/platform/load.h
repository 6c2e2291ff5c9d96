#pragma once
// Platforms by name, by path, and as a scenario writes them.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "platform/description.h"
#include "platform/platform.h"

namespace wt::platform {

// Another value for a key of the platform's file, as in {"machines": 4, "network.oversubscription": 2}.
struct Parameter {
  std::string key{};
  json::Value value;
};
using Parameters = std::vector<Parameter>;
Parameter parse_parameter(const std::string& text);  // "machines=4", "slice=4x4x8"

struct Loaded {
  Platform platform;
  std::string description{};
  std::vector<Problem> warnings{};  // a link that nothing uses
  std::optional<Ici> ici{};         // TPUs: which slices there are
};

// An id or alias of known_platforms(), or a path that ends in ".json" or ".xml" (platform/formats/import.h).
// Throws InputError with everything that is wrong; an unknown name at `named_at`.
Loaded load(std::string_view name_or_path, const Parameters& parameters = {}, const Place& named_at = {});

// What a scenario says under "platform": a name, {"file": ..., "set": {...}}, {"virtual": {"devices": 4,
// "workers": 2}} (equal devices behind an ideal switch), or the content of a platform file. Paths are
// relative to `folder`.
Loaded from_json(const json::Value& value, const std::filesystem::path& folder = {});

// What the XML of others says: SimGrid's, NCCL's. `set` names keys of the platform file that NCCL's becomes;
// for SimGrid's platform/import_simgrid.h has them.
Loaded from_xml(const std::string& file, std::string text, const Parameters& set = {});

// What an importer describes. Throws InputError with everything that is wrong.
Loaded make(const Description& description, std::string name);

struct KnownPlatform {
  std::string id{};
  std::vector<std::string> aliases{};
  std::string description{};
};
// The files of platforms/, sorted by id. Read at the first call.
std::span<const KnownPlatform> known_platforms();

}  // namespace wt::platform
