#include <algorithm>

#include "base/rough.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "scenario/machine.h"

namespace wt::scenario {

namespace {

using strategy::AssignedLayers;

void collect_names(const model::Layer& layer, std::vector<std::string_view>& names) {
  if (!layer.name().empty()) names.push_back(layer.name());
  for (const auto& part : layer.parts()) collect_names(*part, names);
}

// Weights belong to the layers that have no parts.
void assign(const model::Layer& layer, const Tpu& tpu, std::int64_t around, AssignedLayers& assigned) {
  const auto named = tpu.experimental_assign_to_logical_device.find(layer.name());
  const bool is_named = named != tpu.experimental_assign_to_logical_device.end();
  const std::int64_t own = is_named ? named->second : around;
  if (layer.parts().empty() && own > 0) assigned[layer.name()] = static_cast<strategy::LogicalId>(own);
  for (const auto& part : layer.parts()) assign(*part, tpu, own, assigned);
}

}  // namespace

std::int64_t Tpu::cores_per_replica() const {
  std::int64_t cores = 1;
  for (const std::int64_t extent : computation_shape.value_or(std::vector<std::int64_t>{})) cores *= extent;
  return cores;
}

AssignedLayers assigned_layers(const Scenario& scenario, const model::Layer& model) {
  const auto* tpu = scenario.strategy.as<Tpu>();
  if (tpu == nullptr) return {};
  std::vector<std::string_view> names;
  collect_names(model, names);
  const std::int64_t cores = tpu->cores_per_replica();
  Problems problems;
  for (const auto& [layer, logical] : tpu->experimental_assign_to_logical_device) {
    const Place place = scenario.place("strategy.experimental_assign_to_logical_device." + layer);
    if (std::ranges::find(names, std::string_view(layer)) == names.end())
      problems.add(place, fmt::format("the model \"{}\" has no layer \"{}\"", model.name(), printable(layer)),
                   did_you_mean(layer, names));
    if (logical >= cores)
      problems.add(
          place, fmt::format("a replica has {}, and there is no number {}", counted(cores, "core"), logical),
          cores > 1 ? fmt::format("take one from 0 to {}, or a larger \"computation_shape\"", cores - 1)
                    : "give replicas several: \"computation_shape\": [1, 1, 1, 2]");
  }
  problems.throw_if_any();
  AssignedLayers assigned;
  assign(model, *tpu, 0, assigned);
  return assigned;
}

}  // namespace wt::scenario
