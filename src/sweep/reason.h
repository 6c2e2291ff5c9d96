#pragma once
// Errors as one line of a table, which has no room for the lines of the file that they point at.

#include <string>

#include "base/error.h"

namespace wt::sweep {

inline std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The first problem's fact and remedy.
inline std::string reason_of(const InputError& error) {
  const Problem& first = error.problems().front();
  return first.remedy.empty() ? first.fact : first.fact + "; " + first.remedy;
}

}  // namespace wt::sweep
