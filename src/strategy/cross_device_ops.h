#pragma once
// TensorFlow's ways to bring the replicas' values together
// (tensorflow/python/distribute/cross_device_ops.py).

#include <cstdint>
#include <string_view>

namespace wt::strategy {

enum class CrossDeviceOps : std::uint8_t {
  collective_nccl,          // CollectiveAllReduce with the hint NCCL: what MirroredStrategy takes for GPUs
  collective_ring,          // the same with the hint RING
  reduction_to_one_device,  // ReductionToOneDevice
  nccl,                     // the class NcclAllReduce
  hierarchical_copy,        // HierarchicalCopyAllReduce
  schedule                  // a schedule that the user wrote, as text
};
std::string_view name(CrossDeviceOps ops);  // "CollectiveAllReduce (NCCL)"

}  // namespace wt::strategy
