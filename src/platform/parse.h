#pragma once
// From the JSON of a platform file to its description, by the lists of keys in platform/keys.h.

#include <functional>

#include "base/json.h"
#include "platform/description.h"

namespace wt::platform {

// Returns the content of the file that `"machine": "dgx_h100"` names. The content must live until the parser
// returns. Null if there was a problem.
using NamedFile = std::function<const json::Value*(const json::Value& name, Problems& problems)>;

// Adds everything that is wrong to `problems`. The result has a meaning only if there was no problem.
Description parse(const json::Value& value, const NamedFile& named_file, Problems& problems);

}  // namespace wt::platform
