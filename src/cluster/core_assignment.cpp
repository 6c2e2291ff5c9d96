#include "cluster/core_assignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "cluster/ring_order.h"
#include "device/error.h"

namespace wt::cluster {

namespace {

using device::ValueError;
using Axes = std::array<std::int64_t, mesh_rank>;

std::int64_t product(const Axes& axes) {
  std::int64_t result = 1;
  for (const std::int64_t extent : axes) result *= extent;
  return result;
}

void check_entries(const std::vector<int>& given, std::string_view what) {
  if (given.size() != mesh_rank)
    throw ValueError(fmt::format("{} must have shape [{}]; got ({},)", what, mesh_rank, given.size()));
  if (std::any_of(given.begin(), given.end(), [](int entry) { return entry < 1; }))
    throw ValueError(fmt::format("{0} must be positive; got {0}={1}", what, print_array(given)));
}

// A computation on a mesh, for each axis (x, y, z, core).
struct Layout {
  Axes shape{};      // cores of a replica
  Axes stride{};     // distance between them
  Axes footprint{};  // shape times stride
  Axes capacity{};   // replicas that fit
  std::int64_t replicas = 0;
};

std::string print_axes(const Axes& axes) {
  std::vector<std::int32_t> numbers;
  for (const std::int64_t number : axes) numbers.push_back(static_cast<std::int32_t>(number));
  return print_array(numbers);
}

// Throws ValueError if the computation does not fit the mesh.
Layout layout_of(const platform::Shape& mesh, const Computation& computation) {
  check_entries(computation.computation_shape, "computation_shape");
  check_entries(computation.computation_stride, "computation_stride");
  Layout layout{.replicas = computation.num_replicas};
  bool fits = true;
  for (std::size_t axis = 0; axis < mesh_rank; ++axis) {
    layout.shape[axis] = computation.computation_shape[axis];
    layout.stride[axis] = computation.computation_stride[axis];
    layout.footprint[axis] = layout.shape[axis] * layout.stride[axis];
    layout.capacity[axis] = mesh[axis] / layout.footprint[axis] * layout.stride[axis];
    fits = fits && layout.footprint[axis] <= mesh[axis];
  }
  if (!fits)
    throw ValueError(fmt::format("computation footprint {} does not fit in TPU topology shape {}",
                                 fmt::format("[{}]", fmt::join(layout.footprint, " ")),
                                 print_array(mesh.extents)));
  if (layout.replicas < 1)
    throw ValueError(fmt::format("num_replicas must be positive; got num_replicas={}", layout.replicas));
  if (layout.replicas > product(layout.capacity))
    throw ValueError(
        fmt::format("requested {} replicas but only {} replicas with shape {} and computation_stride "
                    "{} fit in a TPU mesh of shape {}",
                    layout.replicas, product(layout.capacity), print_axes(layout.shape),
                    print_axes(layout.stride), print_array(mesh.extents)));
  return layout;
}

// The smallest number whose power is at least `value`.
std::int64_t root_above(std::int64_t value, int power) {
  const auto reaches = [&](std::int64_t root) {
    std::int64_t reached = 1;
    for (int factor = 0; factor < power && reached < value; ++factor) reached *= root;
    return reached >= value;
  };
  std::int64_t root = 1;
  while (!reaches(root)) ++root;
  return root;
}

// The number of replicas along each axis, as close to a cube as possible. Axes with the lowest capacity are
// filled first; of equal ones the cores come first, then x, y, z.
Axes grid_of(const Layout& layout) {
  std::array<std::size_t, mesh_rank> order = {3, 0, 1, 2};
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return layout.capacity[left] < layout.capacity[right];
  });
  Axes grid{};
  std::int64_t remaining = layout.replicas;
  int axes = static_cast<int>(mesh_rank);
  for (const std::size_t axis : order) {
    const std::int64_t wanted = axes == 1 ? remaining : root_above(remaining, axes);
    grid[axis] = std::min(wanted, layout.capacity[axis]);
    remaining = (remaining + grid[axis] - 1) / grid[axis];
    --axes;
  }
  WT_EXPECT(remaining == 1, remaining);
  return grid;
}

// The cores of a computation in its own coordinates, the last axis fastest.
std::vector<Axes> cores_of(const Layout& layout) {
  std::vector<Axes> cores(static_cast<std::size_t>(product(layout.shape)));
  for (std::size_t number = 0; number < cores.size(); ++number) {
    auto rest = static_cast<std::int64_t>(number);
    for (std::size_t axis = mesh_rank; axis-- > 0; rest /= layout.shape[axis])
      cores[number][axis] = rest % layout.shape[axis] * layout.stride[axis];
  }
  return cores;
}

// Replicas in the order of the grid: the cores of a chip first, then x, y, z.
CoreAssignment on_grid(const Layout& layout, const Axes& grid) {
  const std::vector<Axes> cores = cores_of(layout);
  CoreAssignment assignment(static_cast<std::size_t>(layout.replicas));
  for (std::size_t replica = 0; replica < assignment.size(); ++replica) {
    auto rest = static_cast<std::int64_t>(replica);
    Axes start{};
    for (const std::size_t axis : {3, 0, 1, 2}) {
      const std::int64_t position = rest % grid[axis];
      rest /= grid[axis];
      start[axis] = position / layout.stride[axis] * layout.footprint[axis] + position % layout.stride[axis];
    }
    for (const Axes& core : cores) {
      Coordinates at{};
      for (std::size_t axis = 0; axis < mesh_rank; ++axis)
        at[axis] = static_cast<std::int32_t>(start[axis] + core[axis]);
      assignment[replica].push_back(at);
    }
  }
  return assignment;
}

// The ring over the chips of a grid, without the axis of cores.
RingOrder ring_over(const Axes& extents) {
  std::array<std::int32_t, 3> grid{};
  std::transform(extents.begin(), extents.begin() + 3, grid.begin(),
                 [](std::int64_t extent) { return static_cast<std::int32_t>(extent); });
  return ring_order(grid);
}

// The replicas form a ring, and the chips of each replica form a ring.
CoreAssignment in_rings(const Layout& layout, const Axes& grid, std::int32_t cores_per_chip,
                        std::vector<std::string>& log) {
  const RingOrder inner = ring_over(layout.shape);
  const RingOrder outer = ring_over(grid);
  for (const RingOrder* order : {&inner, &outer})
    if (!order->is_ring) log.push_back("Odd dimension");
  CoreAssignment assignment(static_cast<std::size_t>(layout.replicas));
  for (std::size_t replica = 0; replica < assignment.size(); ++replica) {
    for (const Place3& chip : inner.places) {
      for (std::int32_t core = 0; core < cores_per_chip; ++core) {
        Coordinates at{};
        for (std::size_t axis = 0; axis < chip.size(); ++axis)
          at[axis] = outer.places[replica][axis] * static_cast<std::int32_t>(layout.shape[axis]) + chip[axis];
        at.back() = core;
        assignment[replica].push_back(at);
      }
    }
  }
  return assignment;
}

// If TPUs are missing, TensorFlow assigns the present ones in order, task by task.
CoreAssignment task_by_task(const Topology& topology, const Layout& layout) {
  const std::int64_t cores = product(layout.shape);
  const std::int64_t present = std::int64_t{topology.num_tasks()} * topology.num_tpus_per_task();
  if (product(layout.stride) != 1)
    throw ValueError("computation_stride must be 1 on every axis if TPUs are missing");
  if (layout.replicas * cores > present)
    throw ValueError(fmt::format("requested {} replicas of {} cores but only {} TPUs are present",
                                 layout.replicas, cores, present));
  CoreAssignment assignment(static_cast<std::size_t>(layout.replicas));
  for (std::int64_t number = 0; number < layout.replicas * cores; ++number) {
    const auto task = static_cast<std::size_t>(number / topology.num_tpus_per_task());
    const auto device = static_cast<std::size_t>(number % topology.num_tpus_per_task());
    assignment[static_cast<std::size_t>(number / cores)].push_back(
        topology.device_coordinates()[task][device]);
  }
  return assignment;
}

// Whether to assign rings. Throws ValueError if a ring was requested and is impossible.
bool wants_rings(const platform::Shape& mesh, const Layout& layout, DeviceOrder order) {
  const bool can = layout.shape.back() == mesh[mesh_rank - 1] && product(layout.stride) == 1 &&
                   layout.replicas == product(layout.capacity);
  if (order == DeviceOrder::ring && !can)
    throw ValueError(
        "device_order_mode=DeviceOrderMode.RING is not compatible with the 3D tiling current topology.  "
        "Try setting device_order_mode=DeviceOrderMode.AUTO");
  return can && order != DeviceOrder::mesh;
}

}  // namespace

// TensorFlow's cases: task by task if TPUs are missing, else rings if they are possible and not excluded,
// else a grid.
AssignedCores assign_cores(const Topology& topology, const Computation& computation) {
  const platform::Shape& mesh = topology.mesh_shape();
  const Layout layout = layout_of(mesh, computation);
  if (!topology.is_complete()) return {.cores = task_by_task(topology, layout)};
  const Axes grid = grid_of(layout);
  if (!wants_rings(mesh, layout, computation.device_order_mode)) return {.cores = on_grid(layout, grid)};
  AssignedCores assigned;
  assigned.cores = in_rings(layout, grid, mesh[mesh_rank - 1], assigned.log);
  return assigned;
}

}  // namespace wt::cluster
