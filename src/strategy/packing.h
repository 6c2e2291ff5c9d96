#pragma once
// Which gradients share one all-reduce, and in which order they lie in its buffer.

#include <cstdint>
#include <span>
#include <vector>

#include "base/quantity.h"

namespace wt::strategy {

// What a program may choose. The defaults are those of a step that TensorFlow compiles (tf.function): all
// gradients are in one buffer, in reverse order of variables.
struct Packing {
  Bytes bytes_per_pack{};  // CommunicationOptions.bytes_per_pack; 0: one pack
  bool eager = false;      // no tf.function: one all-reduce per gradient, in order
  // Not TensorFlow's, but PyTorch's DistributedDataParallel (Li et al., 2020): buckets in the order in which
  // gradients are ready are reduced while the backward pass goes on.
  bool overlap = false;
  Bytes bucket_cap{25 << 20};
  // All gradients are there before the first is reduced, as where a loop clips them by their common norm before it
  // hands them to the optimizer, or TensorFlow 2.3 asked under a loss scale whether all of them are finite.
  bool after_backward = false;

  // Packs are reduced as soon as their own gradients are there, while the backward pass goes on. In a tf.function
  // nothing makes a pack wait for other gradients: of six layers in two packs the first all-reduce depends on 5 of 11
  // products of the backward pass (graphs of TensorFlow 2.15.1 and 2.21.0).
  bool starts_early() const { return !after_backward && (overlap || (bytes_per_pack > Bytes(0) && !eager)); }
  bool operator==(const Packing&) const = default;
};

using Pack = std::vector<std::size_t>;  // numbers of tensors, in the order in which they lie

// A pack for each tensor, in order.
std::vector<Pack> unpacked(std::size_t tensors);

// Packs from the last tensor to the first. A pack is closed as soon as it holds more than the limit, so it
// exceeds the limit by one tensor at most (cross_device_utils.py, group_by_size). 0 stands for no limit.
std::vector<Pack> reversed_packs(std::span<const Bytes> tensors, Bytes bytes_per_pack);

// Packs in the order in which tensors are ready: by `ready`, and by number where that is equal. A pack is
// closed when it has reached the cap.
std::vector<Pack> buckets(std::span<const Bytes> tensors, std::span<const std::size_t> ready, Bytes cap);

}  // namespace wt::strategy
