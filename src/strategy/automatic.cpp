#include "strategy/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/rough.h"
#include "strategy/rows/one_machine.h"

namespace wt::strategy {

namespace {

// A case of the rule. The first one that applies is taken.
struct Case {
  std::string_view strategy{};
  bool (*applies)(const Surroundings&) = nullptr;
  std::string (*why)(const Surroundings&) = nullptr;
};

std::string devices_of(const Surroundings& around) {
  return counted(around.devices, around.hides_devices ? "visible device" : "device");
}

// TensorFlow computes on a TPU under TPUStrategy alone, so a slice comes first, whatever its size.
constexpr std::array cases{
    Case{"tpu", [](const Surroundings& around) { return around.is_slice; },
         [](const Surroundings&) { return std::string("the machine is a slice of TPUs"); }},
    Case{"multi_worker_mirrored", [](const Surroundings& around) { return around.machines > 1; },
         [](const Surroundings& around) {
           return fmt::format("there are {} machines{} with {}{}", around.machines,
                              around.are_unlike ? ", the first" : "", devices_of(around),
                              around.are_unlike ? "" : " each");
         }},
    Case{"mirrored", [](const Surroundings& around) { return around.devices > 1; },
         [](const Surroundings& around) {
           return fmt::format("the machine is one with {}", devices_of(around));
         }},
    Case{"one_device", [](const Surroundings&) { return true; },
         [](const Surroundings& around) {
           return fmt::format("the machine is one with {}", devices_of(around));
         }}};

const Row& row_named(std::string_view name) {
  const auto found = std::ranges::find(rows(), name, &Row::name);
  WT_EXPECT(found != rows().end(), "the rule chooses {}, which is no strategy", name);
  return *found;
}

}  // namespace

RuleChoice choose(const Surroundings& surroundings) {
  const Case& found =
      *std::ranges::find_if(cases, [&](const Case& each) { return each.applies(surroundings); });
  return {&row_named(found.strategy), found.why(surroundings)};
}

bool is_chosen_by_rule(const Row& row) { return std::ranges::count(cases, row.name, &Case::strategy) > 0; }

Overrides resized_by_rule(const Strategy& chosen, const Resizing& resizing) {
  for (const std::string_view named : {"strategy.devices", "strategy.device"})
    if (resizing.is_given(named))
      resizing.refuse(named, "the strategy is auto, and the scenario names its devices",
                      R"(name them in "devices": {"visible": [...]}, or leave them out)");
  if (resizing.ici()) return chosen.resized(resizing);
  // A number of devices without a machine around them is one machine of any size.
  if (resizing.is_virtual() && resizing.machine().platform->machines() == 1)
    return resized_virtual_machine(resizing);
  return row_named("multi_worker_mirrored").make()->resized(resizing);
}

}  // namespace wt::strategy
