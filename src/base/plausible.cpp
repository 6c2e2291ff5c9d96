#include "base/plausible.h"

#include <fmt/format.h>

#include <cmath>

#include "base/power.h"

namespace wt {
namespace {

template <class Kind>
struct Plausible {
  Kind least{};
  Kind most{};
};

// Sums of a thousand of the largest bytes still fit into 64 bits.
template <class Kind>
constexpr Plausible<Kind> range_of();
template <>
constexpr Plausible<Bytes> range_of() {
  return {Bytes(1), Bytes(std::int64_t{1} << 53)};
}
template <>
constexpr Plausible<Seconds> range_of() {
  return {Seconds(1e-15), Seconds(1e9)};
}
template <>
constexpr Plausible<Flops> range_of() {
  return {Flops(1e-3), Flops(1e30)};
}
template <>
constexpr Plausible<BytesPerSecond> range_of() {
  return {BytesPerSecond(1e-3), BytesPerSecond(1e18)};
}
template <>
constexpr Plausible<FlopsPerSecond> range_of() {
  return {FlopsPerSecond(1e-3), FlopsPerSecond(1e24)};
}
template <>
constexpr Plausible<Watts> range_of() {
  return {Watts(1e-3), Watts(1e12)};
}

}  // namespace

template <class Kind>
bool is_plausible(Kind quantity) {
  constexpr Plausible<Kind> range = range_of<Kind>();
  return quantity == Kind{} || (range.least <= quantity && quantity <= range.most);
}

template <class Kind>
Parsed<Kind> parse_plausible(std::string_view text) {
  Parsed<Kind> parsed = try_parse<Kind>(text);
  if (!parsed.value || is_plausible(*parsed.value)) return parsed;
  constexpr Plausible<Kind> range = range_of<Kind>();
  const bool is_small = *parsed.value < range.least;
  parsed.fact = fmt::format("\"{}\" is too {}", text, is_small ? "small" : "large");
  parsed.remedy = fmt::format("it must be from {} to {}", print(range.least), print(range.most));
  parsed.value.reset();
  return parsed;
}

#define WT_INSTANTIATE(Kind)        \
  template bool is_plausible(Kind); \
  template Parsed<Kind> parse_plausible<Kind>(std::string_view);
WT_INSTANTIATE(Bytes)
WT_INSTANTIATE(Seconds)
WT_INSTANTIATE(Flops)
WT_INSTANTIATE(BytesPerSecond)
WT_INSTANTIATE(FlopsPerSecond)
WT_INSTANTIATE(Watts)
#undef WT_INSTANTIATE

}  // namespace wt
