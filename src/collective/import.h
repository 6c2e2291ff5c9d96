#pragma once

#include <string>

#include "collective/expand.h"

namespace wt::collective {

// A schedule from a file's text, ours (print.h) or MSCCL's XML, told apart by how it begins. `elements` as in
// a Request; 0: as many as the text says, or one for each chunk.
Expanded import_schedule(const std::string& text, std::int64_t elements, const std::string& file = {});

// The same, verified: InputError with what the proof found. A copy too many and a dependency too many break
// nothing.
Expanded import_verified(const std::string& text, std::int64_t elements, const std::string& file = {});

}  // namespace wt::collective
