#pragma once
// Which devices a strategy computes on and where it keeps variables (tf.distribute.StrategyExtended's
// worker_devices and parameter_devices), and how it would reduce between them. Row ids are those of
// tests/README.md.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/context.h"
#include "strategy/cross_device_ops.h"

namespace wt::strategy {

enum class Kind : std::uint8_t { default_strategy, one_device, mirrored, central_storage };

// A device as a program hands it over: by name, as it writes it, or as list_logical_devices gave it.
class GivenDevice {
 public:
  GivenDevice(const char* name) : name_(name) {}
  GivenDevice(std::string name) : name_(std::move(name)) {}
  GivenDevice(const device::LogicalDevice& device) : name_(print(device.name)) {}
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

std::vector<GivenDevice> given(const std::vector<device::LogicalDevice>& devices);

// The arguments of a strategy's constructor. Those that are absent the strategy chooses itself.
struct Choice {
  Kind kind = Kind::default_strategy;
  std::vector<GivenDevice> devices{};             // one_device: exactly one
  std::optional<GivenDevice> parameter_device{};  // central_storage
};

// Throws ValueError, in TensorFlow's words, for a device that is named twice.
void require_different(const std::vector<device::Name>& names);

// Full names. Throws RuntimeError for the default strategy, as TensorFlow does. Central storage takes a device twice, and has
// two replicas on it then.
std::vector<device::Name> worker_devices(const Choice& choice, device::Context& context);
std::vector<device::Name> parameter_devices(const Choice& choice, device::Context& context);

// The device that TensorFlow's placer takes: GPUs before the CPU, the lowest index first, and no TPU unless
// the program asks for it.
device::LogicalDevice best_device(device::Context& context);

// Which reduction MirroredStrategy takes where the program names none.
struct Chosen {
  CrossDeviceOps ops{};
  std::string why{};  // of select_cross_device_ops: the warning that TensorFlow logs, or nothing
};
Chosen choose_cross_device_ops(std::span<const device::Name> devices, device::Context& context);

// The same in TensorFlow 2.0, there called choose_the_best (cross_device_ops.py).
Chosen select_cross_device_ops(std::span<const device::Name> devices, device::Context& context);

}  // namespace wt::strategy
