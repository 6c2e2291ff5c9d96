#pragma once

#include "base/quantity.h"

namespace wt::device {

Bytes host_memory();  // of the machine at hand

}  // namespace wt::device
