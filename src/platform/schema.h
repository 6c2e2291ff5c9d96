#pragma once

#include <string>

namespace wt::platform {

// The JSON Schema (draft 7) of a platform file, made from the keys that the parser reads (platform/keys.h).
std::string schema();

}  // namespace wt::platform
