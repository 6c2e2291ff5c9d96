#pragma once

#include <string>

#include "base/quantity.h"

namespace wt::device {

// The memory and the processor of the computer that runs this program.
Bytes host_memory();
std::string host_product();  // the model name that the processor reports

}  // namespace wt::device
