#pragma once
// Quantities as they appear in messages and tables: rounded to one decimal, in a unit that fits. `print` of
// base/quantity.h is exact.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/quantity.h"

namespace wt {

std::string rough(Bytes bytes);                                  // "336 B", "1.4 MiB", "5.4 GiB"
std::string rough(Seconds time);                                 // "12.3 ms"
std::string rough(BytesPerSecond rate);                          // decimal units: "25.0 GB/s"
std::string rough(FlopsPerSecond rate);                          // "19.5 TFLOP/s"
std::string counted(std::int64_t count, std::string_view noun);  // "1 step", "2 steps"

}  // namespace wt
