#pragma once
// Numbers with units as SimGrid's platform files write them. A bare number has the default unit of SimGrid's
// DTD.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"

namespace wt::platform::simgrid {

std::optional<BytesPerSecond> bandwidth(std::string_view text);  // "125MBps", "1Gbps"
std::optional<Seconds> latency(std::string_view text);           // "50us", "0"
std::optional<FlopsPerSecond> speed(std::string_view text);      // "98.095Mf"

// The numbers of a list like "0-9,12,20-30". None if the text is not such a list, or has more than `most`
// numbers.
std::optional<std::vector<std::int64_t>> radical(std::string_view text, std::size_t most);

// With as many digits as SimGrid needs to read the same double.
std::string print(BytesPerSecond bandwidth);
std::string print(Seconds latency);
std::string print(FlopsPerSecond speed);

}  // namespace wt::platform::simgrid
