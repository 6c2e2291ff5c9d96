#pragma once
// TensorFlow's tf.config in C++. TensorFlow has one context per process, which can't be reset. Here a context
// is a value, so that there can be many simulated processes, and a configuration can be tried and discarded.
//
//   Context context(devices_of(t4));
//   const auto gpus = context.list_physical_devices(Kind::gpu);
//   context.set_logical_device_configuration(gpus[0], {{.memory_limit = 1024_MiB}});
//   const auto logical = context.list_logical_devices(Kind::gpu);  // initialises the context
//
// The first call that needs logical devices initialises the context, and its configuration can't be changed
// afterwards. Calls that come too late throw RuntimeError, calls with invalid arguments throw ValueError, and
// a configuration that the runtime rejects during initialisation throws OpError (error.h). A call that throws
// changes nothing. Setting a value that is already set is always legal.

#include <optional>
#include <string>
#include <vector>

#include "device/logical_device.h"

namespace wt::device {

class Context {
 public:
  // `machine` lists the devices of the machine, `environment` the variables of the process, and `task` is the
  // task of the cluster as which the process runs.
  explicit Context(const std::vector<PhysicalDevice>& machine = {}, Environment environment = {},
                   const Name& task = {.job = "localhost"});
  // A process that is initialised with these logical devices, and whose configuration can't be changed.
  Context(std::vector<LogicalDevice> devices, const Name& task);

  // The devices of one kind, or all devices if no kind is given.
  std::vector<PhysicalDevice> list_physical_devices(std::optional<Kind> kind = {}) const;
  std::vector<LogicalDevice> list_logical_devices(std::optional<Kind> kind = {});  // initialises

  std::vector<PhysicalDevice> get_visible_devices(std::optional<Kind> kind = {}) const;
  void set_visible_devices(const std::vector<PhysicalDevice>& devices, std::optional<Kind> kind = {});
  void set_visible_devices(const PhysicalDevice& device, std::optional<Kind> kind = {});

  std::optional<bool> get_memory_growth(const PhysicalDevice& device) const;  // nothing if it was never set
  void set_memory_growth(const PhysicalDevice& device, bool enable);

  std::optional<LogicalDeviceConfigurations> get_logical_device_configuration(
      const PhysicalDevice& device) const;  // nothing if the device is not split
  void set_logical_device_configuration(const PhysicalDevice& device, LogicalDeviceConfigurations pieces);

  void initialise();  // in TensorFlow, the first operation or tensor of a program does this
  bool is_initialised() const { return initialised_; }
  const std::vector<std::string>& log() const { return created_.log; }  // the log lines of the initialisation

  const Name& task() const { return task_; }
  // The full name of a device. Open parts are those of this process's task, and then CPU and 0.
  Name resolve(const Name& name) const { return canonical(name, task_); }
  const LogicalDevice* find(const Name& name);  // initialises; null if this process has no such device

 private:
  struct Settings {
    std::optional<bool> growth{};
    std::optional<LogicalDeviceConfigurations> pieces{};
  };
  std::size_t position_of(
      const PhysicalDevice& device) const;  // throws ValueError if the machine has no such device
  const Settings& settings(const PhysicalDevice& device) const;
  Settings& settings(const PhysicalDevice& device);
  bool growth_of_visible_gpus(bool any_cut) const;
  DeviceRequest request() const;

  Environment environment_;
  Name task_;
  std::vector<PhysicalDevice> physical_;
  std::vector<Settings> settings_;  // in the order of physical_
  std::vector<PhysicalDevice> visible_;
  CreatedDevices created_{};
  bool initialised_ = false;
};

}  // namespace wt::device
