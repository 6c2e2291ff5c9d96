#include "model/layers/slicing.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/layers/spatial.h"

namespace wt::model {

namespace {

using Kind = Slice::Kind;

Symbol element_of(Symbol x, int axis, std::int64_t index) {
  const std::int64_t extent = x.shape()[axis], own = index < 0 ? index + extent : index;
  if (own < 0 || own >= extent)
    throw InputError(fmt::format("axis {} of {} has no index {}", axis, print(x.spec()), index),
                     fmt::format("its indices are 0 to {}", extent - 1));
  return spatial::cropped(x, axis, own, extent - own - 1);
}

Symbol range_of(Symbol x, int axis, const Slice& slice) {
  const std::int64_t extent = x.shape()[axis];
  const auto clamped = [&](std::optional<std::int64_t> end, std::int64_t otherwise) {
    const std::int64_t given = end.value_or(otherwise);
    return std::clamp<std::int64_t>(given < 0 ? given + extent : given, 0, extent);
  };
  if (slice.step < 1)
    throw InputError(fmt::format("a slice has the step {}", slice.step), "only positive steps are offered");
  const std::int64_t begin = clamped(slice.start, 0), end = clamped(slice.stop, extent);
  if (begin >= end)
    throw InputError(fmt::format("a slice leaves nothing of axis {} of {}", axis, print(x.spec())),
                     "let it begin before its end");
  if (begin == 0 && end == extent && slice.step == 1) return x;
  const std::int64_t step = std::min(slice.step, extent);  // a longer one keeps one element, too
  return spatial::strided(x, axis, begin, (end - begin + step - 1) / step, step);
}

}  // namespace

Symbol sliced(Symbol x, std::span<const Slice> slices) {
  const auto uses_axis = [](const Slice& s) { return s.kind == Kind::range || s.kind == Kind::index; };
  const auto used = std::ranges::count_if(slices, uses_axis);
  if (used > x.shape().rank())
    throw InputError(fmt::format("{} slices for {}", used, print(x.spec())), "write one for each axis");
  const auto added = std::ranges::count(slices, Kind::new_axis, &Slice::kind);
  if (x.shape().rank() + added > Shape::max_rank)
    throw InputError(fmt::format("slices add {} axes to {}", added, print(x.spec())),
                     fmt::format("at most {} axes are offered", Shape::max_rank));
  Shape shape;
  int axis = 0;
  const auto keep = [&] { shape.append(x.shape()[axis++]); };
  for (const Slice& slice : slices) {
    if (slice.kind == Kind::new_axis) shape.append(1);
    if (slice.kind == Kind::ellipsis)
      for (std::int64_t left = x.shape().rank() - used; left > 0; --left) keep();
    if (slice.kind == Kind::index) x = element_of(x, axis++, slice.start.value_or(0));
    if (slice.kind != Kind::range) continue;
    x = range_of(x, axis, slice);
    keep();
  }
  while (axis < x.shape().rank()) keep();
  return reshape(x, shape);
}

}  // namespace wt::model
