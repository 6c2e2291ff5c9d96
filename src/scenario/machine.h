#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/context.h"
#include "model/layer.h"
#include "platform/platform.h"
#include "scenario/scenario.h"
#include "strategy/logical_devices.h"
#include "strategy/replicas.h"

namespace wt::scenario {

// A replica of the training: the device it computes on, and the task whose host feeds it.
struct Replica {
  device::LogicalDevice device{};
  int task = 0;
  std::vector<device::LogicalDevice> further{};  // its logical devices 1, 2, ...: cores of TPUs

  std::vector<device::LogicalDevice> devices() const;  // all of them
};

// What a scenario's program runs on: the described machine, its devices as the program has configured them,
// and those that replicas compute on.
struct Machine {
  std::optional<platform::Platform> platform{};  // none: the machine at hand, which nothing times
  device::Context context{};                     // of the first process
  std::vector<Replica> replicas{};               // at least one
  int tasks = 1;                                 // that feed replicas
  // Where central storage keeps variables, or where mirrored reduces, if the scenario names it.
  std::optional<device::LogicalDevice> center{};
  // Every logical device of the tasks that take part, by its full name: the physical device that it is, or is
  // cut from. Empty without a platform.
  std::map<std::string, platform::Endpoint, std::less<>> endpoints{};
  std::vector<int> computation_shape{1, 1, 1, 1};  // of a TPU's replica, (x, y, z, core)
  strategy::AssignedLayers assigned{};             // to further devices of their replica
  std::vector<Problem> warnings{};

  const device::LogicalDevice& device() const { return replicas.front().device; }
  std::int64_t devices_of_each() const { return std::ssize(replicas.front().further) + 1; }  // replica

  // Requires: a platform. Of a replica's device, a host, or a switch that adds.
  platform::Endpoint endpoint(std::string_view device) const;
};

// Throws InputError with every problem of "platform", "devices", "cluster" and of the strategy's devices.
Machine build_machine(const Scenario& scenario);

// What experimental_assign_to_logical_device says of the model's layers: of a model among them, of all inside it that
// aren't named themselves. Throws InputError with every name that is no layer's and every core that there isn't.
strategy::AssignedLayers assigned_layers(const Scenario& scenario, const model::Layer& model);

// For a plan: of CPUs, that are their own hosts, there is no host to copy from.
plan::Device planned(const device::LogicalDevice& device);
std::vector<strategy::Place> places(const Machine& machine);

}  // namespace wt::scenario
