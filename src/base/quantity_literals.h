#pragma once
// Literals of quantities: 100_MiB, 16_GB, 25_GBps (bytes), 25_Gbps (bits), 2_us, 5_GFlop, 312_TFlop_per_s. A
// literal has the same bits as the parsed text of the same quantity, because both multiply with or divide by
// one exact power of ten.

#include "base/quantity.h"

namespace wt {
inline namespace literals {

#define WT_BYTES(literal, unit) \
  constexpr Bytes literal(unsigned long long count) { return Bytes(std::int64_t{unit}) * count; }

#define WT_SCALED(Kind, literal, numerator, denominator)                                         \
  constexpr Kind literal(unsigned long long count) {                                             \
    return Kind(static_cast<double>(static_cast<long double>(count) * numerator / denominator)); \
  }                                                                                              \
  constexpr Kind literal(long double count) {                                                    \
    return Kind(static_cast<double>(count * numerator / denominator));                           \
  }

WT_BYTES(operator""_B, 1)
WT_BYTES(operator""_KB, 1'000)
WT_BYTES(operator""_MB, 1'000'000)
WT_BYTES(operator""_GB, 1'000'000'000)
WT_BYTES(operator""_TB, 1'000'000'000'000)
WT_BYTES(operator""_KiB, 1LL << 10)
WT_BYTES(operator""_MiB, 1LL << 20)
WT_BYTES(operator""_GiB, 1LL << 30)
WT_BYTES(operator""_TiB, 1LL << 40)

WT_SCALED(Seconds, operator""_s, 1, 1)
WT_SCALED(Seconds, operator""_ms, 1, 1e3L)
WT_SCALED(Seconds, operator""_us, 1, 1e6L)
WT_SCALED(Seconds, operator""_ns, 1, 1e9L)

WT_SCALED(Flops, operator""_Flop, 1, 1)
WT_SCALED(Flops, operator""_MFlop, 1e6L, 1)
WT_SCALED(Flops, operator""_GFlop, 1e9L, 1)
WT_SCALED(Flops, operator""_TFlop, 1e12L, 1)

WT_SCALED(BytesPerSecond, operator""_Bps, 1, 1)
WT_SCALED(BytesPerSecond, operator""_MBps, 1e6L, 1)
WT_SCALED(BytesPerSecond, operator""_GBps, 1e9L, 1)
WT_SCALED(BytesPerSecond, operator""_TBps, 1e12L, 1)
WT_SCALED(BytesPerSecond, operator""_Mbps, 1e6L, 8)
WT_SCALED(BytesPerSecond, operator""_Gbps, 1e9L, 8)
WT_SCALED(BytesPerSecond, operator""_Tbps, 1e12L, 8)

WT_SCALED(FlopsPerSecond, operator""_GFlop_per_s, 1e9L, 1)
WT_SCALED(FlopsPerSecond, operator""_TFlop_per_s, 1e12L, 1)
WT_SCALED(FlopsPerSecond, operator""_PFlop_per_s, 1e15L, 1)

#undef WT_BYTES
#undef WT_SCALED

}  // namespace literals
}  // namespace wt
