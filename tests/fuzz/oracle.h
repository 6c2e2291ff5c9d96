// What must hold however wrong an input is.
#pragma once

#include <string>

#include "fuzz/target.h"

namespace wt::fuzz {

// Gives the input to the target. Returns what is wrong, and an empty text if nothing is:
//
//   an input that is refused ends with an InputError, and no other exception leaves
//   no figure that is printed is NaN or infinite
//   what a command prints has no control character, and no byte that is not UTF-8 (small.h; the reader of a library's
//   errors gets the user's text as it is, and cli/plain_text.h makes it printable)
//   what is read is printed as a text that reads back to the same, where there is such a text (targets.cpp)
//
// A crash, a leak and an endless loop end the process; libFuzzer and the sanitizers report them.
std::string fault_of(const Target& target, const std::string& bytes);

}  // namespace wt::fuzz
