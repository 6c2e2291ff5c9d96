#pragma once

#include "strategy/library.h"
#include "strategy/replicas.h"

namespace wt::strategy {

struct TpuOptions {
  // Extents of the slice in chips, x first; none: a line of all replicas. Replicas stand in its order, the cores of
  // a chip first, then x.
  std::vector<int> slice{};
  std::vector<bool> wraps{};  // axis by axis; none: all do
  int cores = 1;              // of a chip, each a replica
  StandFor stand_for{};
  std::string algorithm{};  // of collective/catalog.h; none: by the slice
};

// tf.distribute.TPUStrategy: one replica per core, gradients added by XLA's cross-replica sum over the torus. Every
// place must be a TPU (Place::kind). Steps per run and compile times are not part of a step's plan.
plan::Plan lower_tpu(Steps steps, std::span<const Place> places, const TpuOptions& options = {});

}  // namespace wt::strategy
