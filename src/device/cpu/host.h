#pragma once

#include <string>

#include "base/quantity.h"

namespace wt::device {

// Of the machine at hand.
Bytes host_memory();
std::string host_product();  // as its processor calls itself

}  // namespace wt::device
