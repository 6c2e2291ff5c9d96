#include "strategy/mirrored.h"

#include <fmt/format.h>

#include <algorithm>

#include "strategy/collective_ops.h"
#include "strategy/data_parallel.h"

namespace wt::strategy {

namespace {

// MirroredStrategy over several workers existed in TensorFlow 1. TensorFlow 2 refuses it in eager programs.
void check(std::span<const Place> places, const MirroredOptions& options) {
  const auto is_elsewhere = [&](const Place& place) { return place.task != places[0].task; };
  const auto other = std::ranges::find_if(places, is_elsewhere);
  if (other != places.end())
    throw InputError(fmt::format("[mirrored] {} is in task {}, {} in task {}", places[0].device.name,
                                 places[0].task, other->device.name, other->task),
                     "take multi_worker_mirrored, or the devices of one machine");
  if (options.num_packs < 0)
    throw InputError(fmt::format("[mirrored] num_packs is {}", options.num_packs),
                     "write 0 for none, or how many packs there should be");
  if (options.reduce_to && (*options.reduce_to < 0 || *options.reduce_to >= std::ssize(places)))
    throw InputError(fmt::format("[mirrored] reduce_to is {}, and there are {} replicas", *options.reduce_to,
                                 places.size()),
                     fmt::format("write a replica from 0 to {}", places.size() - 1));
  if (options.reduce_on_host && !places[0].host)
    throw InputError("[mirrored] the replicas have no host to reduce on", "name a replica's device");
  if (options.cross_device_ops == CrossDeviceOps::schedule && options.schedule.empty())
    throw InputError("[mirrored] there is no schedule", "give the text of one, or name another reduction");
}

// The classes that have num_packs take gradients in the order of the program.
DataParallel in_order(const MirroredOptions& options) {
  DataParallel chosen{.sharing = options.num_packs == 0 ? Sharing::each : Sharing::in_order};
  chosen.communication.library = options.nccl;
  return chosen;
}

DataParallel nccl(const MirroredOptions& options) {
  DataParallel chosen = in_order(options);
  chosen.pieces = std::max(1, options.num_packs);
  chosen.communication.one_after_the_other = true;
  return chosen;
}

DataParallel hierarchical_copy(const MirroredOptions& options) {
  DataParallel chosen = in_order(options);
  chosen.communication.library = {.always = {.algorithm = "hierarchical_copy"}};
  chosen.communication.library.always.options.packs = std::max(1, options.num_packs);
  chosen.communication.library.always.options.faithful = options.faithful;
  return chosen;
}

// Eager programs and overlapping buckets start all-reduces one by one.
DataParallel collective(const MirroredOptions& options, Library library) {
  DataParallel chosen{.packing = options.packing};
  chosen.communication.library = std::move(library);
  chosen.communication.waits_for_backward = !options.packing.starts_early();
  chosen.communication.one_after_the_other = options.packing.eager || options.packing.starts_early();
  chosen.communication.gather = collective_op(CollectiveType::gather).algorithm;
  return chosen;
}

DataParallel collective_nccl(const MirroredOptions& options) {
  DataParallel chosen = collective(options, options.nccl);
  chosen.communication.one_after_the_other = true;
  return chosen;
}

DataParallel collective_ring(const MirroredOptions& options) {
  Library library{.always = {.algorithm = std::string(collective_op(CollectiveType::reduce).algorithm)}};
  library.always.options.subdivisions = options.subdivisions;
  return collective(options, library);
}

DataParallel on_one_device(std::span<const Place> places, const MirroredOptions& options) {
  DataParallel chosen{.sharing = Sharing::each};
  const auto replica = static_cast<std::size_t>(options.reduce_to.value_or(0));
  chosen.communication.one_device = options.reduce_on_host ? places[0].host : places[replica].device;
  return chosen;
}

DataParallel by_schedule(const MirroredOptions& options) {
  DataParallel chosen = collective(options, {});
  chosen.communication.schedule = options.schedule;
  return chosen;
}

DataParallel chosen(std::span<const Place> places, const MirroredOptions& options) {
  switch (options.cross_device_ops) {
    case CrossDeviceOps::collective_nccl:
      return collective_nccl(options);
    case CrossDeviceOps::collective_ring:
      return collective_ring(options);
    case CrossDeviceOps::reduction_to_one_device:
      return on_one_device(places, options);
    case CrossDeviceOps::nccl:
      return nccl(options);
    case CrossDeviceOps::hierarchical_copy:
      return hierarchical_copy(options);
    case CrossDeviceOps::schedule:
      break;
  }
  return by_schedule(options);
}

}  // namespace

plan::Plan lower_mirrored(Steps steps, std::span<const Place> places, const MirroredOptions& options) {
  check_replicas("mirrored", steps, places, options.stand_for);
  check(places, options);
  DataParallel way = chosen(places, options);
  way.stand_for = options.stand_for;
  way.communication.strategy = "mirrored";
  way.communication.integers_to_one_device = true;  // cross_device_ops.py sends int32 to ReductionToOneDevice
  return lower_data_parallel(steps, places, way);
}

}  // namespace wt::strategy
