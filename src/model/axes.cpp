#include "model/axes.h"

#include <fmt/format.h>

#include <algorithm>

namespace wt::model {

int axis_of(int axis, const TensorSpec& spec) {
  const int rank = spec.shape.rank();
  const int own = axis < 0 ? axis + rank : axis;
  if (own < 0 || own >= rank)
    throw InputError(fmt::format("{} has no axis {}", print(spec), axis),
                     "axes are counted from 0, or from the end");
  return own;
}

MovedAxes::MovedAxes(Symbol x, const std::vector<int>& axes) : x_(x) {
  for (const int axis : axes) {
    const int own = axis_of(axis, x.spec());
    if (std::ranges::count(moved_, own) > 0)
      throw InputError(fmt::format("axis {} is named twice", axis), "name each axis once");
    moved_.push_back(own);
  }
  std::ranges::sort(moved_);
  for (int axis = 0; axis < x.shape().rank(); ++axis)
    if (std::ranges::count(moved_, axis) == 0) others_.push_back(axis);
}

Shape MovedAxes::extents() const {
  Shape extents;
  for (const int axis : moved_) extents.append(x_.shape()[axis]);
  return extents;
}

Symbol MovedAxes::last() const {
  Shape order, shape;
  for (const int axis : others_) {
    order.append(axis);
    shape.append(x_.shape()[axis]);
  }
  for (const int axis : moved_) order.append(axis);
  shape.append(extents().elements());
  const bool is_in_order = std::ranges::is_sorted(order);
  return reshape(is_in_order ? x_ : transpose(x_, order), shape);
}

Symbol MovedAxes::back(Symbol y) const {
  Shape apart, order;
  for (const int axis : others_) apart.append(x_.shape()[axis]);
  for (const int axis : moved_) apart.append(x_.shape()[axis]);
  std::vector<int> places = others_;
  places.insert(places.end(), moved_.begin(), moved_.end());
  for (int axis = 0; axis < x_.shape().rank(); ++axis)
    order.append(std::ranges::find(places, axis) - places.begin());
  const Symbol whole = reshape(y, apart);
  return std::ranges::is_sorted(order) ? whole : transpose(whole, order);
}

}  // namespace wt::model
