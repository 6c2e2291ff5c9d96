#pragma once

#include "strategy/library.h"
#include "strategy/logical_devices.h"
#include "strategy/replicas.h"

namespace wt::strategy {

struct TpuOptions {
  // Extents of the slice in chips, x first; none: a line of all replicas. Replicas stand in its order, the cores of
  // a chip first, then x. Where a replica has several chips, they count as one.
  std::vector<int> slice{};
  std::vector<bool> wraps{};  // axis by axis; none: all do
  int cores = 1;              // of a chip, each a replica
  StandFor stand_for{};
  std::string algorithm{};    // of collective/catalog.h; none: by the slice
  AssignedLayers assigned{};  // experimental_assign_to_logical_device
};

// tf.distribute.TPUStrategy: a replica per core, or on several (Place::further), whose layers are assigned to them;
// gradients added by XLA's cross-replica sum over the torus, among the equal logical devices of all replicas. Every
// place must be a TPU (Place::kind). Steps per run and compile times are not part of a step's plan.
plan::Plan lower_tpu(Steps steps, std::span<const Place> places, const TpuOptions& options = {});

}  // namespace wt::strategy
