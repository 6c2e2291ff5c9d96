#pragma once

#include <string>

#include "collective/expand.h"

namespace wt::collective {

// Reads a schedule from the text of a file, which is either in the form of print.h or, if it begins with "<",
// MSCCL's XML. `elements` is the length of a vector as in a Request; 0 takes the number in the text, or for
// XML one element for each chunk. Throws InputError with all mistakes. The schedule may still be wrong.
Expanded import_schedule(const std::string& text, std::int64_t elements, const std::string& file = {});

// The same, and throws InputError with the findings of the verifier if the schedule is wrong. Superfluous
// copies and dependencies are accepted, because the result is right in spite of them.
Expanded import_verified(const std::string& text, std::int64_t elements, const std::string& file = {});

}  // namespace wt::collective
