#pragma once

#include "collective/request.h"
#include "strategy/cross_device_ops.h"
#include "strategy/library.h"
#include "strategy/packing.h"
#include "strategy/replicas.h"

namespace wt::strategy {

struct MirroredOptions {
  CrossDeviceOps cross_device_ops = CrossDeviceOps::collective_nccl;
  Packing packing{};     // of the collective ones and a schedule
  Library nccl{};        // what NCCL runs, also for NcclAllReduce
  int num_packs = 1;     // of NcclAllReduce and HierarchicalCopyAllReduce; 0: each tensor on its own
  int subdivisions = 2;  // of TensorFlow's ring: the most per device
  bool faithful = true;  // HierarchicalCopyAllReduce leaves out the last of an odd number of devices
  std::optional<int> reduce_to{};  // ReductionToOneDevice: a replica's device; none: replica 0's
  bool reduce_on_host = false;     // or on its host
  StandFor stand_for{};
  std::string schedule{};  // text in the forms collective/import.h reads
};

// tf.distribute.MirroredStrategy: a copy of every variable on each device of one machine, kept equal by
// all-reduced gradients. Throws InputError if the strategy can't run on such places.
plan::Plan lower_mirrored(Steps steps, std::span<const Place> places, const MirroredOptions& options = {});

}  // namespace wt::strategy
