#pragma once

#include <string>

namespace wt::platform {

// The JSON Schema (draft 7) of a platform file, generated from the lists of keys that the parser reads
// (platform/keys.h). platforms/schema/platform.json is a copy of it, for editors.
std::string schema();

}  // namespace wt::platform
