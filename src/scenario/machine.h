#pragma once

#include "cluster/machine.h"
#include "model/layer.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// Throws InputError with every problem of "platform", "devices", "cluster" and of the strategy's devices.
cluster::Machine build_machine(const Scenario& scenario);

// What experimental_assign_to_logical_device says of the model's layers: of a model among them, of all inside it that
// aren't named themselves. Throws InputError with every name that is no layer's and every core that there isn't.
strategy::AssignedLayers assigned_layers(const Scenario& scenario, const model::Layer& model);

}  // namespace wt::scenario
