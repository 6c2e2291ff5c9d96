#pragma once

#include <cstdint>

namespace wt::data {

// How a field of a protocol buffer is written: its tag holds its number and this kind.
enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, delimited = 2, fixed32 = 5 };

}  // namespace wt::data
