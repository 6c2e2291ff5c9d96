#pragma once
// TensorFlow's tf.config in C++ form. There it is one per process and for ever; here a context is a value,
// so that any number of simulated processes can stand side by side, and a configuration can be tried and
// thrown away.
//
//   Context context(devices_of(t4));
//   const auto gpus = context.list_physical_devices(Kind::gpu);
//   context.set_logical_device_configuration(gpus[0], {{.memory_limit = 1024_MiB}});
//   const auto logical = context.list_logical_devices(Kind::gpu);  // initialises: too late for changes now
//
// Devices are made by the first call that needs them, and stay. Calls that come too late throw RuntimeError,
// calls that make no sense ValueError, and what the runtime refuses when it makes devices OpError (error.h);
// a refused call changes nothing. A call that asks for what is already so is always welcome.

#include <optional>
#include <string>
#include <vector>

#include "device/logical_device.h"

namespace wt::device {

class Context {
 public:
  // What the machine holds, what the process was started with, and as which task of a cluster it runs.
  explicit Context(const std::vector<PhysicalDevice>& machine = {}, Environment environment = {},
                   const Name& task = {.job = "localhost"});

  // Without a kind: all.
  std::vector<PhysicalDevice> list_physical_devices(std::optional<Kind> kind = {}) const;
  std::vector<LogicalDevice> list_logical_devices(std::optional<Kind> kind = {});  // initialises

  std::vector<PhysicalDevice> get_visible_devices(std::optional<Kind> kind = {}) const;
  void set_visible_devices(const std::vector<PhysicalDevice>& devices, std::optional<Kind> kind = {});
  void set_visible_devices(const PhysicalDevice& device, std::optional<Kind> kind = {});

  std::optional<bool> get_memory_growth(const PhysicalDevice& device) const;  // none: never set
  void set_memory_growth(const PhysicalDevice& device, bool enable);

  std::optional<LogicalDeviceConfigurations> get_logical_device_configuration(
      const PhysicalDevice& device) const;  // none: not cut
  void set_logical_device_configuration(const PhysicalDevice& device, LogicalDeviceConfigurations pieces);

  void initialise();  // as the first operation or tensor does
  bool is_initialised() const { return initialised_; }
  const std::vector<std::string>& log() const { return created_.log; }  // what initialisation logged

  const Name& task() const { return task_; }
  // The full name of what a program names: the task's own job, replica and task, CPU and 0 where it says
  // nothing.
  Name resolve(const Name& name) const { return canonical(name, task_); }
  const LogicalDevice* find(const Name& name);  // initialises; null: there is no such device here

 private:
  struct Settings {
    std::optional<bool> growth{};
    std::optional<LogicalDeviceConfigurations> pieces{};
  };
  void check_known(const PhysicalDevice& device) const;
  const Settings& settings(const PhysicalDevice& device) const;
  Settings& settings(const PhysicalDevice& device);
  bool growth_of_visible_gpus(bool any_cut) const;
  DeviceRequest request() const;

  Environment environment_;
  Name task_;
  std::vector<PhysicalDevice> physical_;
  std::vector<Settings> settings_;  // as physical_
  std::vector<PhysicalDevice> visible_;
  CreatedDevices created_{};
  bool initialised_ = false;
};

}  // namespace wt::device
