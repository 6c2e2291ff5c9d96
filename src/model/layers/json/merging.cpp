#include "model/layers/merging.h"

#include "model/layers/json/rows.h"

namespace wt::model {

namespace {

template <LayerPtr (*make)(std::string)>
LayerPtr read_name_only(LayerReader& r) {
  return make(r.name());
}

LayerPtr read_concatenate(LayerReader& r) { return concatenate({r.name(), r.axis(-1)}); }

LayerPtr read_dot(LayerReader& r) {
  if (!r.has("axes")) r.required<int>("axes");
  std::vector<int> axes = r.axes("axes", {-1});
  if (axes.size() == 1) axes.push_back(axes.front());
  return dot({r.name(), std::move(axes), r.flag("normalize", false)});
}

}  // namespace

std::span<const LayerClass> merging_rows() {
  static constexpr LayerClass rows[] = {
      {"Add", "the sum of its inputs", read_name_only<add>},
      {"Average", "the mean of its inputs", read_name_only<average>},
      {"Concatenate", "its inputs concatenated along an axis", read_concatenate},
      {"Dot", "products of two inputs, summed along an axis of each", read_dot},
      {"Maximum", "the largest of its inputs, element by element", read_name_only<maximum>},
      {"Minimum", "the smallest of its inputs, element by element", read_name_only<minimum>},
      {"Multiply", "the product of its inputs", read_name_only<multiply>},
      {"Subtract", "the first of two inputs minus the second", read_name_only<subtract>},
  };
  return rows;
}

}  // namespace wt::model
