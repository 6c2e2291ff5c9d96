#include "scenario/variant.h"

#include <fmt/format.h>

#include "base/rough.h"
#include "platform/load.h"
#include "strategy/automatic.h"

namespace wt::scenario {

namespace {

class ScenarioResizing final : public strategy::Resizing {
 public:
  ScenarioResizing(const Scenario& scenario, const cluster::Machine& machine, int replicas)
      : scenario_(scenario), machine_(machine), replicas_(replicas) {}

  const cluster::Machine& machine() const override { return machine_; }
  int wanted() const override { return replicas_; }
  bool is_given(std::string_view key) const override { return scenario_.places.contains(key); }
  bool cuts_devices() const override { return !scenario_.devices.logical.empty(); }
  bool is_virtual() const override {
    const auto& written = scenario_.platform.written;
    return written && written->kind() == json::Kind::object && written->find("virtual") != nullptr;
  }
  std::optional<platform::Ici> ici() const override {
    return platform::from_json(*scenario_.platform.written, scenario_.platform.folder).ici;
  }

  std::string set_platform(std::string_view key, const std::string& value) const override {
    const platform::Platform& platform = *machine_.platform;
    if (platform.group_of(platform.machines() - 1) > 0)
      refuse("platform", "the platform's machines are unlike, and it is open which of them there are more of",
             R"(describe equal machines: "machines": 4)");
    const json::Value& written = *scenario_.platform.written;
    const bool is_named = written.kind() == json::Kind::string || written.find("file") != nullptr;
    return fmt::format("platform.{}{}={}", is_named ? "set." : "", key, value);
  }

  Problem refusal(std::string_view key, std::string fact, std::string remedy) const override {
    return {scenario_.place(key), fmt::format("{}: {}", counted(replicas_, "replica"), fact),
            std::move(remedy)};
  }

 private:
  const Scenario& scenario_;
  const cluster::Machine& machine_;
  const int replicas_;
};

}  // namespace

Overrides with_replicas(const Scenario& scenario, const cluster::Machine& machine, int replicas) {
  WT_EXPECT(replicas > 0, "{} replicas", replicas);
  WT_EXPECT(machine.platform.has_value(), "replicas of a scenario without platform");
  const ScenarioResizing resizing(scenario, machine, replicas);
  return scenario.strategy_rule ? strategy::resized_by_rule(*scenario.strategy, resizing)
                                : scenario.strategy->resized(resizing);
}

}  // namespace wt::scenario
