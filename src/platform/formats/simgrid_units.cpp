#include "platform/formats/simgrid_units.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <span>

#include "base/plausible.h"

namespace wt::platform::simgrid {

namespace {

struct Unit {
  std::string_view name{};
  double factor = 1;
};

// The units that simgrid.dtd lists.
constexpr Unit prefixes[] = {{"", 1},        {"k", 1e3},     {"M", 1e6},     {"G", 1e9},     {"T", 1e12},
                             {"P", 1e15},    {"E", 1e18},    {"Z", 1e21},    {"Y", 1e24},    {"Ki", 1024.0},
                             {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50}, {"Ei", 0x1p60}};
constexpr Unit long_prefixes[] = {{"", 1},       {"kilo", 1e3},   {"mega", 1e6},
                                  {"giga", 1e9}, {"tera", 1e12},  {"peta", 1e15},
                                  {"exa", 1e18}, {"zetta", 1e21}, {"yotta", 1e24}};
constexpr Unit times[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}};
// The number is divided by these, so that 50 us becomes the nearest double.
constexpr Unit parts[] = {{"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}, {"ps", 1e12}};

struct Measured {
  double number = 0;
  std::string_view unit{};
};

std::optional<Measured> split(std::string_view text) {
  Measured measured;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), measured.number);
  if (error != std::errc() || !std::isfinite(measured.number) || measured.number < 0) return std::nullopt;
  measured.unit = text.substr(static_cast<std::size_t>(end - text.data()));
  return measured;
}

// The factor of a unit that consists of a known prefix and the stem: 1e9 for "GBps" with the stem "Bps". None
// if the unit is not of this form.
std::optional<double> factor(std::string_view unit, std::span<const Unit> known, std::string_view stem) {
  if (!unit.ends_with(stem)) return std::nullopt;
  const std::string_view prefix = unit.substr(0, unit.size() - stem.size());
  for (const Unit& row : known)
    if (row.name == prefix) return row.factor;
  return std::nullopt;
}

template <class Quantity>
std::optional<Quantity> plausible(double value) {
  return is_plausible(Quantity(value)) ? std::optional(Quantity(value)) : std::nullopt;
}

}  // namespace

std::optional<BytesPerSecond> bandwidth(std::string_view text) {
  const std::optional<Measured> found = split(text);
  if (!found || found->number <= 0) return std::nullopt;
  if (found->unit.empty()) return plausible<BytesPerSecond>(found->number);
  if (const auto bytes = factor(found->unit, prefixes, "Bps"))
    return plausible<BytesPerSecond>(found->number * *bytes);
  if (const auto bits = factor(found->unit, prefixes, "bps"))
    return plausible<BytesPerSecond>(found->number * *bits / 8);
  return std::nullopt;
}

std::optional<Seconds> latency(std::string_view text) {
  const std::optional<Measured> found = split(text);
  if (!found) return std::nullopt;
  if (const auto seconds = factor(found->unit, times, ""))
    return plausible<Seconds>(found->number * *seconds);
  const auto part = factor(found->unit, parts, "");
  return part ? plausible<Seconds>(found->number / *part) : std::nullopt;
}

std::optional<FlopsPerSecond> speed(std::string_view text) {
  const std::optional<Measured> found = split(text);
  if (!found || found->number <= 0) return std::nullopt;
  if (found->unit.empty()) return FlopsPerSecond(found->number);
  if (const auto flops = factor(found->unit, long_prefixes, "flops"))
    return plausible<FlopsPerSecond>(found->number * *flops);
  if (const auto flops = factor(found->unit, prefixes, "f"))
    return plausible<FlopsPerSecond>(found->number * *flops);
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> radical(std::string_view text, std::size_t most) {
  std::vector<std::int64_t> numbers;
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), piece.size() + 1));
    std::int64_t first = 0;
    const char* const end = piece.data() + piece.size();
    const auto [after, error] = std::from_chars(piece.data(), end, first);
    if (error != std::errc() || first < 0) return std::nullopt;
    std::int64_t last = first;
    if (after != end) {
      if (*after != '-') return std::nullopt;
      const auto [finish, wrong] = std::from_chars(after + 1, end, last);
      if (wrong != std::errc() || finish != end || last < first) return std::nullopt;
    }
    if (static_cast<std::uint64_t>(last - first) >= most - numbers.size()) return std::nullopt;
    for (std::int64_t number = first; number <= last; ++number) numbers.push_back(number);
  }
  return numbers.empty() ? std::nullopt : std::optional(std::move(numbers));
}

std::string print(BytesPerSecond bandwidth) { return fmt::format("{}Bps", bandwidth.count()); }
std::string print(Seconds latency) { return fmt::format("{}s", latency.count()); }
std::string print(FlopsPerSecond speed) { return fmt::format("{}f", speed.count()); }

}  // namespace wt::platform::simgrid
