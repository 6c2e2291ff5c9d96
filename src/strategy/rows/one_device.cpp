// tf.distribute.OneDeviceStrategy: one replica, on the device that the program names.

#include "strategy/devices.h"
#include "strategy/strategy.h"

namespace wt::strategy {

namespace {

class OneDevice final : public Cloned<OneDevice> {
 public:
  std::string_view name() const override { return "one_device"; }

  void keys(KeyVisitor& visit) override {
    visit(json::optional("device", "where it computes; the first of the best kind where absent"), device_);
  }

  void add_replicas(Site& site) const override {
    device::Context& program = site.processes().front();
    site.add_replica(device_ ? site.named(program, *device_, "device") : best_device(program), 0);
  }
  VariablePlacement variables() const override { return VariablePlacement::on_its_device; }
  bool asks_for_device() const override { return device_.has_value(); }

  plan::Plan lower(Steps steps, const Setting& setting) const override {
    return lower_alone(*steps.front(), setting);
  }

 private:
  std::optional<std::string> device_{};
};

}  // namespace

std::unique_ptr<Strategy> make_one_device() { return std::make_unique<OneDevice>(); }

}  // namespace wt::strategy
