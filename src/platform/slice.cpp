#include "platform/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/narrow.h"
#include "platform/torus.h"

namespace wt::platform {

namespace {

constexpr std::string_view twisted_suffix = "_twisted";

bool contains(const std::vector<Shape>& shapes, const Shape& shape) {
  return std::find(shapes.begin(), shapes.end(), shape) != shapes.end();
}

// Whether a slice has a place in the pod. A slice may be turned, so the longest axis is compared with the
// longest.
bool fits(const Shape& shape, const Shape& pod) {
  std::vector<std::int32_t> small = shape.extents;
  std::vector<std::int32_t> large = pod.extents;
  std::sort(small.begin(), small.end());
  std::sort(large.begin(), large.end());
  return std::equal(small.begin(), small.end(), large.begin(), large.end(), std::less_equal<>());
}

// Whether an axis of a slice closes to a ring, by the rule of its generation.
bool wraps(const Ici& ici, const Shape& shape, std::size_t axis) {
  const auto is_multiple = [](std::int32_t extent) { return extent % 4 == 0; };
  switch (ici.wrap) {
    case WrapRule::never:
      return false;
    case WrapRule::multiples_of_4:
      return std::all_of(shape.extents.begin(), shape.extents.end(), is_multiple);
    case WrapRule::axis_of_16:
      return shape[axis] == 16;
    case WrapRule::whole_pod:
      return shape == ici.pod;
  }
  return false;
}

// The number in the slice's name: Google counts cores in some generations and chips in others.
std::int32_t units(const Ici& ici, const Shape& shape) {
  return narrow<std::int32_t>(shape.count()) * (ici.counts == Counts::cores ? ici.cores : 1);
}

// The shape that a name with the number `count` means. Of several shapes it is the listed one, else the one
// with the smallest sum of extents, which is most like a cube.
std::optional<Shape> shape_of_units(const Ici& ici, std::int64_t count) {
  std::optional<Shape> best;
  std::int32_t best_sum = 0;
  for (const Shape& shape : ici.shapes)
    if (units(ici, shape) == count) return shape;
  for (const Shape& shape : shapes_of(ici)) {
    if (units(ici, shape) != count) continue;
    std::int32_t sum = 0;
    for (const std::int32_t extent : shape.extents) sum += extent;
    if (best && best_sum <= sum) continue;
    best = shape;
    best_sum = sum;
  }
  return best;
}

struct Wanted {
  std::optional<Shape> shape{};
  std::int64_t chips = 0;
  bool twisted = false;
};

// Reads "v4-32", "4x4x8" or "4x4x8_twisted". `chips` is set even if there is no such slice, for suggestions.
Wanted read_wanted(const Ici& ici, std::string_view text) {
  Wanted wanted;
  if (text.ends_with(twisted_suffix)) {
    wanted.twisted = true;
    text.remove_suffix(twisted_suffix.size());
  }
  if (const std::optional<Shape> shape = parse_shape(text); shape && shape->axes() == ici.pod.axes()) {
    wanted.chips = shape->count();
    const bool is_rule = ici.multiples_of && fits(*shape, ici.pod) &&
                         std::is_sorted(shape->extents.begin(), shape->extents.end()) &&
                         std::all_of(shape->extents.begin(), shape->extents.end(),
                                     [&](std::int32_t extent) { return extent % *ici.multiples_of == 0; });
    if (is_rule || contains(ici.shapes, *shape)) wanted.shape = shape;
    return wanted;
  }
  for (const std::string& name : ici.names) {
    if (!text.starts_with(name + "-")) continue;
    const std::string_view digits = text.substr(name.size() + 1);
    std::int32_t count = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    if (error != std::errc{} || end != digits.data() + digits.size() || count < 1) continue;
    wanted.chips = count / (ici.counts == Counts::cores ? ici.cores : 1);
    wanted.shape = shape_of_units(ici, count);
  }
  return wanted;
}

// The four slices whose numbers of chips are nearest to `chips`, as a remedy.
std::string nearest_slices(const Ici& ici, std::int64_t chips) {
  std::vector<Shape> shapes = shapes_of(ici);
  std::stable_sort(shapes.begin(), shapes.end(), [&](const Shape& left, const Shape& right) {
    return std::abs(left.count() - chips) < std::abs(right.count() - chips);
  });
  shapes.resize(std::min<std::size_t>(shapes.size(), 4));
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const Shape& left, const Shape& right) { return left.count() < right.count(); });
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "nearest: " : ", ") + describe(ici, shape);
  return text;
}

// The block of chips that one host has: a small slice is a single block, a large one is divided into the
// blocks of the generation. None if the blocks do not fill the slice.
std::optional<Shape> host_of(const Ici& ici, const Shape& shape) {
  if (contains(ici.single_host, shape) || fits(shape, ici.host)) return shape;
  for (std::size_t axis = 0; axis < shape.axes(); ++axis)
    if (shape[axis] % ici.host[axis] != 0) return std::nullopt;
  return ici.host;
}

// Sets the counts of a slice. False, and a problem, if the blocks of the hosts do not fill it.
bool spread_over_hosts(const Ici& ici, Slice& slice, const Place& place, Problems& problems) {
  const std::optional<Shape> host = host_of(ici, slice.shape);
  if (!host) {
    problems.add(
        place,
        fmt::format("hosts of {} chips do not fill a slice of {}", print(ici.host), print(slice.shape)),
        fmt::format("add {} to \"single_host\" if one host has all of it", print(slice.shape)));
    return false;
  }
  slice.host = *host;
  slice.chips = narrow<std::int32_t>(slice.shape.count());
  slice.cores = narrow<std::int32_t>(std::int64_t{slice.chips} * ici.cores);
  slice.hosts = slice.chips / narrow<std::int32_t>(host->count());
  slice.cores_per_device = ici.device == Unit::core ? 1 : ici.cores;
  slice.devices_per_host = narrow<std::int32_t>(host->count() * ici.cores / slice.cores_per_device);
  return true;
}

}  // namespace

std::vector<Shape> shapes_of(const Ici& ici) {
  std::vector<Shape> shapes = ici.shapes;
  if (ici.multiples_of) {
    const std::int32_t unit = *ici.multiples_of;
    const std::int32_t longest = *std::max_element(ici.pod.extents.begin(), ici.pod.extents.end());
    const Shape grid{std::vector<std::int32_t>(ici.pod.axes(), longest / unit)};
    for (std::int32_t number = 0; number < grid.count(); ++number) {
      const Coordinates place = coordinates_of(number, grid);
      Shape shape;
      for (std::size_t axis = 0; axis < grid.axes(); ++axis)
        shape.extents.push_back((place[axis] + 1) * unit);
      const bool is_sorted = std::is_sorted(shape.extents.begin(), shape.extents.end());
      if (is_sorted && fits(shape, ici.pod) && !contains(ici.shapes, shape)) shapes.push_back(shape);
    }
  }
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const Shape& left, const Shape& right) { return left.count() < right.count(); });
  return shapes;
}

std::string describe(const Ici& ici, const Shape& shape) {
  const std::string name = ici.names.empty() || shape_of_units(ici, units(ici, shape)) != shape
                               ? ""
                               : fmt::format("{}-{}, ", ici.names[0], units(ici, shape));
  return fmt::format("{} ({}{} chip{})", print(shape), name, shape.count(), shape.count() == 1 ? "" : "s");
}

SliceOfReplicas slice_of_replicas(const Ici& ici, std::int64_t replicas) {
  const std::int64_t of_a_chip = ici.device == Unit::core ? ici.cores : 1;
  const std::int64_t chips = replicas / of_a_chip;
  const bool is_whole = replicas == chips * of_a_chip;
  const auto shape =
      is_whole ? shape_of_units(ici, chips * (ici.counts == Counts::cores ? ici.cores : 1)) : std::nullopt;
  return {shape, shape ? "" : nearest_slices(ici, chips)};
}

std::optional<Slice> find_slice(const Ici& ici, const std::string& text, const Place& place,
                                Problems& problems) {
  const Wanted wanted = read_wanted(ici, text);
  if (!wanted.shape) {
    problems.add(place, fmt::format("this TPU generation has no slice \"{}\"", text),
                 nearest_slices(ici, wanted.chips));
    return std::nullopt;
  }
  Slice slice{.name = text, .shape = *wanted.shape, .twisted = wanted.twisted};
  for (std::size_t axis = 0; axis < slice.shape.axes(); ++axis)
    slice.wraps.push_back(wraps(ici, slice.shape, axis));
  const bool closes = std::find(slice.wraps.begin(), slice.wraps.end(), false) == slice.wraps.end();
  if (slice.twisted && !(ici.twist && closes && can_be_twisted(slice.shape))) {
    problems.add(place, fmt::format("this TPU generation has no twisted slice {}", print(slice.shape)),
                 ici.twist ? "n x n x 2n and n x 2n x 2n that close on every axis can be twisted"
                           : fmt::format("write \"{}\"", print(slice.shape)));
    return std::nullopt;
  }
  if (!spread_over_hosts(ici, slice, place, problems)) return std::nullopt;
  return slice;
}

}  // namespace wt::platform
