#pragma once
// Numbers with units as SimGrid's platform files write them; a bare number has the unit that its DTD names as
// default.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"

namespace wt::platform::simgrid {

std::optional<BytesPerSecond> bandwidth(std::string_view text);  // "125MBps", "1Gbps"
std::optional<Seconds> latency(std::string_view text);           // "50us", "0"
std::optional<FlopsPerSecond> speed(std::string_view text);      // "98.095Mf"

// "0-9,12,20-30" as numbers; none where it is no such list, or has more than `most`.
std::optional<std::vector<std::int64_t>> radical(std::string_view text, std::size_t most);

std::string print(BytesPerSecond bandwidth);  // so that SimGrid reads the same double
std::string print(Seconds latency);
std::string print(FlopsPerSecond speed);

}  // namespace wt::platform::simgrid
