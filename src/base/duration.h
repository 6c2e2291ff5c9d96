#pragma once
// Times of whole trainings as they appear in tables. rough() of base/rough.h stays with seconds.

#include <string>

#include "base/quantity.h"

namespace wt {

std::string duration(Seconds time);  // "250.0 ms", "5.0 min", "2.1 h", "3.4 days"

}  // namespace wt
