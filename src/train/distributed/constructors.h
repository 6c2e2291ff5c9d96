#pragma once
// The constructors of tf.distribute for a program on one host, whose devices a device::Context lists: logical CPUs, or
// the logical GPUs that one GPU is cut into. Their refusals have TensorFlow's text. distribute/strategy.h has the same
// constructors for machines that are described, and says how long their steps take.
//
//   device::Context context;
//   context.set_logical_device_configuration(context.list_physical_devices()[0], {{}, {}});
//   const Strategy strategy(mirrored(context, {.devices = {"CPU:0", "CPU:1"}}));

#include "device/context.h"
#include "strategy/devices.h"
#include "train/strategy.h"

namespace wt::train {

// tf.distribute.NcclAllReduce and HierarchicalCopyAllReduce. Throws device::ValueError for a negative number of packs.
strategy::CrossDeviceOps nccl_all_reduce(std::int64_t num_packs = 1);
strategy::CrossDeviceOps hierarchical_copy_all_reduce(std::int64_t num_packs = 1);

struct MirroredArguments {
  std::vector<strategy::GivenDevice> devices{};  // none: all GPUs, or all CPUs if there are none
  std::optional<strategy::CrossDeviceOps> cross_device_ops{};
};
struct CentralStorageArguments {
  std::vector<strategy::GivenDevice> compute_devices{};
  std::optional<strategy::GivenDevice> parameter_device{};
};

// What a Strategy is made of. Devices that the context doesn't have are taken, as TensorFlow takes them: their operations
// and variables are placed on the host.
Strategy::Traits mirrored(device::Context& context, const MirroredArguments& arguments = {});
Strategy::Traits central_storage(device::Context& context, const CentralStorageArguments& arguments = {});
Strategy::Traits one_device(device::Context& context, const strategy::GivenDevice& device);

}  // namespace wt::train
