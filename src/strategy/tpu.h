#pragma once

#include "strategy/library.h"
#include "strategy/logical_devices.h"
#include "strategy/replicas.h"

namespace wt::strategy {

struct TpuOptions {
  // Extents of the slice in chips, x first; empty: a line of all replicas. Replicas are ordered by core of
  // their chip, then by x, y and z. If a replica has several chips, they count as one.
  std::vector<int> slice{};
  std::vector<bool> wraps{};  // for each axis whether it closes to a ring; empty: all do
  int cores = 1;              // of a chip, each a replica
  StandFor stand_for{};
  std::string algorithm{};    // of collective/catalog.h; empty: by the axes of the slice
  AssignedLayers assigned{};  // experimental_assign_to_logical_device
};

// tf.distribute.TPUStrategy: a replica per core, or on several (Place::further), whose layers are assigned to
// them; gradients are added by XLA's cross-replica sum over the torus, among the logical devices of the same
// number of all replicas. Throws InputError unless every place is a TPU (Place::kind). Steps per execution
// and compile times are not part of the plan of a step.
plan::Plan lower_tpu(Steps steps, std::span<const Place> places, const TpuOptions& options = {});

}  // namespace wt::strategy
