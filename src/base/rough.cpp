#include "base/rough.h"

#include <array>
#include <cmath>
#include <span>

namespace wt {

namespace {

// Prints the number in the first unit in which it is smaller than `step`, or in the last unit.
std::string scaled(double number, double step, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  for (; std::abs(number) >= step && unit + 1 < units.size(); ++unit) number /= step;
  return fmt::format("{:.1f} {}", number, units[unit]);
}

}  // namespace

std::string rough(Bytes bytes) {
  constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < Bytes(1024)) return fmt::format("{} B", bytes.count());
  return scaled(static_cast<double>(bytes.count()), 1024, units);
}

std::string rough(Seconds time) {
  constexpr std::array<std::string_view, 4> units{"ns", "us", "ms", "s"};
  return scaled(time.count() * 1e9, 1000, units);
}

std::string rough(BytesPerSecond rate) {
  constexpr std::array<std::string_view, 5> units{"B/s", "KB/s", "MB/s", "GB/s", "TB/s"};
  return scaled(rate.count(), 1000, units);
}

std::string rough(FlopsPerSecond rate) {
  constexpr std::array<std::string_view, 6> units{"FLOP/s",  "KFLOP/s", "MFLOP/s",
                                                  "GFLOP/s", "TFLOP/s", "PFLOP/s"};
  return scaled(rate.count(), 1000, units);
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace wt
