// tf.distribute.experimental.CentralStorageStrategy: variables on one device of a machine, replicas on its
// others.

#include "strategy/central_storage.h"

#include <fmt/format.h>

#include "cluster/cluster_spec.h"
#include "strategy/rows/one_machine.h"
#include "strategy/strategy.h"

namespace wt::strategy {

namespace {

CentralStorageOptions options_for(const cluster::Machine& machine) {
  CentralStorageOptions options;
  if (machine.center) options.parameter_device = planned(*machine.center);
  return options;
}

class CentralStorage final : public Cloned<CentralStorage> {
 public:
  std::string_view name() const override { return "central_storage"; }

  void keys(KeyVisitor& visit) override {
    visit(json::optional("compute_devices", "one replica on each; all GPUs where absent, else the CPU"),
          compute_devices_);
    visit(json::optional("parameter_device",
                         "where variables are; where absent the host's CPU, or the only compute device"),
          parameter_device_);
    hints_.keys(visit);
  }
  std::vector<std::string> ignored_options(const cluster::Machine&) const override {
    return hints_.ignored(name());
  }

  void check_platform(const platform::Platform& platform, const Report& report) const override {
    require_one_machine(name(), platform, report);
  }
  void add_replicas(Site& site) const override {
    add_replicas_on(site, Kind::central_storage, compute_devices_, "compute_devices");
    if (parameter_device_)
      site.machine().center = site.named(site.processes().front(), *parameter_device_, "parameter_device");
  }
  Overrides resized(const Resizing& resizing) const override {
    return resized_on_one_machine(name(), resizing, compute_devices_, "compute_devices");
  }

  plan::Plan lower(Steps steps, const Setting& setting) const override {
    return lower_central_storage(steps, setting.places, options_for(setting.machine));
  }
  plan::Plan lower_alone(const Step& step, const Setting& setting) const override {
    if (!setting.machine.center) return Strategy::lower_alone(step, setting);
    const Step* const steps[] = {&step};
    return lower(steps, setting);
  }
  std::optional<ReductionChoice> reduction(const Setting& setting) const override;
  std::optional<RowGathering> gathers_rows(const Setting& setting) const override {
    const device::Name center = variable_device(setting.machine);
    return RowGathering{.center = plan::Device{.name = print(center)}};
  }

  bool asks_for_device() const override { return true; }
  std::vector<device::Name> variable_devices(const Step& step,
                                             const cluster::Machine& machine) const override {
    return std::vector(step.variables.size(), variable_device(machine));
  }
  VariablePlacement variables() const override { return VariablePlacement::on_parameter_device; }
  bool meets_in_collectives() const override { return false; }
  // An epoch ends with the first step in which a replica has no rows.
  bool goes_on_with_empty_replicas() const override { return false; }
  std::vector<std::string> log(const cluster::Machine& machine, model::Semantics,
                               const cluster::ClusterSpec&) const override;

 private:
  static device::Name variable_device(const cluster::Machine& machine) {
    if (machine.center) return machine.center->name;
    const device::Name& own = machine.device().name;
    return machine.replicas.size() > 1 ? device::host_of(own) : own;
  }

  DeviceNames compute_devices_{};
  std::optional<std::string> parameter_device_{};
  Hints hints_{};
};

std::optional<ReductionChoice> CentralStorage::reduction(const Setting& setting) const {
  const cluster::Machine& machine = setting.machine;
  const device::Name center = machine.center ? machine.center->name : device::host_of(machine.device().name);
  return ReductionChoice{.name = "pushed, added and applied",
                         .algorithm = fmt::format("on {}", print(center)),
                         .why = machine.center ? "the scenario asks for it" : "there are several replicas"};
}

std::vector<std::string> CentralStorage::log(const cluster::Machine& machine, model::Semantics,
                                             const cluster::ClusterSpec&) const {
  // A device that the program gives is printed as it is written.
  const std::string device = parameter_device_.value_or(print(variable_device(machine)));
  return {info(
      fmt::format("ParameterServerStrategy (CentralStorageStrategy if you are using a single machine) with "
                  "compute_devices = [{}], variable_device = {}",
                  python_list(texts_of(device_names(machine))), cluster::python_repr(device)))};
}

}  // namespace

std::unique_ptr<Strategy> make_central_storage() { return std::make_unique<CentralStorage>(); }

}  // namespace wt::strategy
