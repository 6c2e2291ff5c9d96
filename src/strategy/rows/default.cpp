// TensorFlow's default strategy: one replica, on the device that the placer would take.

#include "strategy/default.h"

#include "strategy/devices.h"
#include "strategy/strategy.h"

namespace wt::strategy {

namespace {

class Default final : public Cloned<Default> {
 public:
  std::string_view name() const override { return "default"; }
  VariablePlacement variables() const override { return VariablePlacement::where_it_is_made; }
  bool copies_rows_ahead() const override { return false; }
  HostSoftware host_software() const override { return HostSoftware::alone; }
  void add_replicas(Site& site) const override { site.add_replica(best_device(site.processes().front()), 0); }
  plan::Plan lower(Steps steps, const Setting& setting) const override {
    return lower_alone(*steps.front(), setting);
  }
};

}  // namespace

std::unique_ptr<Strategy> make_default() { return std::make_unique<Default>(); }

}  // namespace wt::strategy
