#pragma once
// Slices of a TPU generation: which exist, what Google calls them, which of their axes close to rings, and
// how their chips are spread over hosts. The rules are data of the generation's file.

#include <optional>
#include <string>
#include <vector>

#include "platform/description.h"

namespace wt::platform {

struct Slice {
  std::string name{};  // "v4-32", "4x4x8_twisted"
  Shape shape{};
  std::vector<bool> wraps{};
  bool twisted = false;
  Shape host{};  // chips of one host
  std::int32_t chips = 0;
  std::int32_t cores = 0;
  std::int32_t hosts = 0;  // of one slice
  std::int32_t devices_per_host = 0;
  std::int32_t cores_per_device = 0;
  // What TensorFlow's TPUStrategy counts: one per device.
  std::int32_t replicas() const { return hosts * devices_per_host; }
  std::int32_t devices_per_chip() const { return replicas() / chips; }
};

// By shape or by name. None, and a problem with the nearest slices, if the generation has no such slice.
std::optional<Slice> find_slice(const Ici& ici, const std::string& text, const Place& place,
                                Problems& problems);

// Every slice that the generation has, the smaller first: its shape, and "v4-32 = 2x4x4 (16 chips)".
std::vector<Shape> shapes_of(const Ici& ici);
std::string describe(const Ici& ici, const Shape& shape);

// The listed or most cube-like slice with so many replicas. None, and the nearest ones, where there is none.
struct SliceOfReplicas {
  std::optional<Shape> shape{};
  std::string nearest{};
};
SliceOfReplicas slice_of_replicas(const Ici& ici, std::int64_t replicas);

}  // namespace wt::platform
