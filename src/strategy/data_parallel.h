#pragma once

#include "strategy/cross_replica.h"
#include "strategy/logical_devices.h"
#include "strategy/packing.h"
#include "strategy/replicas.h"

namespace wt::strategy {

// How gradients that are reduced together share buffers.
enum class Sharing : std::uint8_t {
  packed,    // as Packing says
  in_order,  // all in one buffer in the order of the program: NcclAllReduce, HierarchicalCopyAllReduce
  each       // none does: ReductionToOneDevice
};

// Strategies that mirror variables, with a copy on the device of each replica. They differ in how values are
// brought together.
struct DataParallel {
  Communication communication{};
  Packing packing{};
  Sharing sharing = Sharing::packed;
  int pieces = 1;  // of a buffer in order: the number of all-reduces that share it
  StandFor stand_for{};
  AssignedLayers assigned{};  // layers that are on further devices of their replica
};

plan::Plan lower_data_parallel(Steps steps, std::span<const Place> places, const DataParallel& options);

}  // namespace wt::strategy
