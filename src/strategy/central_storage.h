#pragma once

#include "strategy/replicas.h"

namespace wt::strategy {

struct CentralStorageOptions {
  // Where variables live: a device of its own, or by its name a device of one of the places. Absent: the host
  // of the first place if there are several replicas (the place must have a host), else the device of the
  // first place.
  std::optional<plan::Device> parameter_device{};
};

// tf.distribute.experimental.CentralStorageStrategy: variables once, on the parameter device; each replica
// pulls them and pushes its gradients, which are added and applied where the variables are. Each replica has
// its own copy of on_read variables here, too.
plan::Plan lower_central_storage(Steps steps, std::span<const Place> places,
                                 const CentralStorageOptions& options = {});

}  // namespace wt::strategy
