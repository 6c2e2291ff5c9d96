#pragma once
// Slices of a TPU generation: which of them exist, how Google names them, which of their axes close to rings,
// and how their chips are distributed over hosts. The slice 2x4x4 of TPU v4 has 32 chips, so Google counts 64
// cores and names it v4-64; its hosts have 2x2x1 chips each, and no axis closes, because not every extent is
// a multiple of 4. The rules are data of the generation's file (platforms/tpu_v4.json), which names Google's
// pages as sources.

#include <optional>
#include <string>
#include <vector>

#include "platform/description.h"

namespace wt::platform {

struct Slice {
  std::string name{};  // as requested: "v4-32", "4x4x8_twisted"
  Shape shape{};
  std::vector<bool> wraps{};  // for each axis whether it closes to a ring
  bool twisted = false;
  Shape host{};  // the chips of one host
  std::int32_t chips = 0;
  std::int32_t cores = 0;
  std::int32_t hosts = 0;
  std::int32_t devices_per_host = 0;
  std::int32_t cores_per_device = 0;
  // The number of replicas that TensorFlow's TPUStrategy counts: one for each device.
  std::int32_t replicas() const { return hosts * devices_per_host; }
  std::int32_t devices_per_chip() const { return replicas() / chips; }
};

// The slice with this shape or name. If the generation has no such slice, the result is none, and a problem
// at `place` lists the nearest slices.
std::optional<Slice> find_slice(const Ici& ici, const std::string& text, const Place& place,
                                Problems& problems);

// The shapes of all slices of the generation, in the order of their numbers of chips.
std::vector<Shape> shapes_of(const Ici& ici);
std::string describe(const Ici& ici, const Shape& shape);  // "2x4x4 (v4-64, 32 chips)"

// The shape of the slice with a number of replicas. Of several, it is the listed one, else the one that is
// most like a cube. If there is none, `nearest` lists the nearest slices.
struct SliceOfReplicas {
  std::optional<Shape> shape{};
  std::string nearest{};
};
SliceOfReplicas slice_of_replicas(const Ici& ici, std::int64_t replicas);

}  // namespace wt::platform
