#pragma once

#include <functional>

#include "base/json.h"
#include "platform/description.h"

namespace wt::platform {

// What `"machine": "dgx_h100"` means: the content of that file. It must outlive the parse; null where there
// was a problem.
using NamedFile = std::function<const json::Value*(const json::Value& name, Problems& problems)>;

// A platform file as plain data. Everything that is wrong goes to `problems`; look there before using the
// answer.
Description parse(const json::Value& value, const NamedFile& named_file, Problems& problems);

}  // namespace wt::platform
