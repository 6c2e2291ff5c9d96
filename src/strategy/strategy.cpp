#include "strategy/strategy.h"

#include <fmt/format.h>

#include "base/utf8.h"
#include "strategy/default.h"
#include "strategy/table.h"

namespace wt::strategy {

Overrides Strategy::resized(const Resizing& resizing) const {
  if (resizing.wanted() == 1) return {};
  resizing.refuse("strategy.type", fmt::format("{} computes on one device", name()),
                  "take mirrored for the devices of one machine: --set strategy.type=mirrored");
}

plan::Plan Strategy::lower_alone(const Step& step, const Setting& setting) const {
  return lower_default(step, setting.places.front().device, setting.places.front().host);
}

AnyStrategy::AnyStrategy() : strategy_(rows().front().make()) {}

}  // namespace wt::strategy
