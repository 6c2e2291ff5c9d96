#pragma once
// The constructors of tf.distribute for a program on one host, whose devices a device::Context lists: logical CPUs, or
// the logical GPUs that one GPU is cut into. Their refusals have TensorFlow's text. distribute/strategy.h has the same
// constructors for machines that are described, and says how long their steps take.
//
//   device::Context context;
//   context.set_logical_device_configuration(context.list_physical_devices()[0], {{}, {}});
//   const Strategy strategy(mirrored(context, {.devices = {"CPU:0", "CPU:1"}}));

#include "cluster/resolver.h"
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

struct MultiWorkerMirroredArguments {
  // With the program's task. Null, or one without a cluster: a program alone.
  const cluster::ClusterResolver* cluster_resolver = nullptr;
};

// What a Strategy is made of. Devices that the context doesn't have are taken, as TensorFlow takes them: their operations
// and variables are placed on the host.
Strategy::Traits mirrored(device::Context& context, const MirroredArguments& arguments = {});
Strategy::Traits central_storage(device::Context& context, const CentralStorageArguments& arguments = {});
Strategy::Traits one_device(device::Context& context, const strategy::GivenDevice& device);
// The replicas of all workers, each of which has devices such as this process has: its GPUs, or else its first CPU. For the
// cluster's evaluator these are its own alone. Throws what train::require_worker throws, and device::RuntimeError for a
// process of a cluster that has initialised its devices. A program alone may have done so, and TensorFlow warns
// (`collectives_after_start`).
Strategy::Traits multi_worker_mirrored(device::Context& context,
                                       const MultiWorkerMirroredArguments& arguments = {});
inline constexpr std::string_view collectives_after_start =
    "Collective ops is not configured at program startup. Some performance features may not be enabled.";

}  // namespace wt::train
