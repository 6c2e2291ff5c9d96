#pragma once
// Several logical devices in a replica, as a TPU's replica of several cores has them: which of them computes
// each part of a step, and where each value lives. Layers are assigned (tf.distribute.TPUStrategy's
// experimental_assign_to_logical_device); what belongs to none is on logical device 0.

#include <map>
#include <string>
#include <vector>

#include "cluster/machine.h"
#include "program/step_placement.h"

namespace wt::strategy {

using LogicalId = std::size_t;  // in its replica: 0, 1, ...
using AssignedLayers = cluster::AssignedLayers;

struct LogicalDevices {
  std::vector<std::vector<LogicalId>> nodes{};  // by node; of an optimizer's, one for each parameter
  std::vector<LogicalId> values{};              // by value: where it is made, or read from outside

  LogicalId of(std::size_t node, std::size_t parameter = 0) const {
    return nodes[node].size() == 1 ? nodes[node][0] : nodes[node].at(parameter);
  }
  LogicalId of(ValueId value) const { return values[index(value)]; }
};

// As TensorFlow's placer does it (program/step_placement.h): variables and their gradients with their layer,
// slots and updates with their variable. Reshapes and operations among replicas stay where their input is; an
// input of the step comes to the first device that reads it. Layers that the step doesn't have are ignored.
// Requires: every layer's device is less than `count`.
LogicalDevices assign_logical_devices(const Step& step, const AssignedLayers& layers, std::size_t count);

// tf.device scopes around all that belongs to the assigned layers. The names of a layer's weights begin with
// the name of the layer, and its nodes are in scopes that end with it, inside the scopes of models and
// "gradient". `devices` is indexed by logical device.
std::vector<DeviceScope> layer_scopes(const Step& step, const AssignedLayers& layers,
                                      const std::vector<device::Name>& devices);

}  // namespace wt::strategy
