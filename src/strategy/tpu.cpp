#include "strategy/tpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "collective/catalog.h"
#include "strategy/data_parallel.h"

namespace wt::strategy {

namespace {

void check_logical_devices(std::span<const Place> places, const TpuOptions& options) {
  const std::size_t count = places[0].further.size() + 1;
  for (std::size_t i = 1; i < places.size(); ++i)
    if (places[i].further.size() + 1 != count)
      throw InputError(fmt::format("[tpu] replica 0 has {} cores, and replica {} has {}", count, i,
                                   places[i].further.size() + 1),
                       "give every replica as many");
  for (const auto& [layer, logical] : options.assigned)
    if (logical >= count)
      throw InputError(fmt::format("[tpu] {} is assigned to logical device {}, and a replica has {}", layer,
                                   logical, count),
                       fmt::format("take one from 0 to {}, or more cores per replica", count - 1));
}

void check(std::span<const Place> places, const TpuOptions& options) {
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].kind != device::Kind::tpu)
      throw InputError(fmt::format("[tpu] {} of replica {} is a {}", places[i].device.name, i,
                                   device::name(places[i].kind)),
                       "take mirrored, or multi_worker_mirrored where there are several machines");
  check_logical_devices(places, options);
  const auto replicas = static_cast<long long>(options.stand_for.value_or(places.size()));
  const auto chips = std::accumulate(options.slice.begin(), options.slice.end(), 1LL, std::multiplies<>());
  const bool is_positive = std::ranges::all_of(options.slice, [](int extent) { return extent > 0; });
  if (!options.slice.empty() && (!is_positive || chips * options.cores != replicas))
    throw InputError(
        fmt::format("[tpu] a slice of {} has no {} replicas", fmt::join(options.slice, "x"), replicas),
        "take as many replicas as the slice has cores");
}

// All directions of all axes at once. XLA's algorithm isn't published, and its measured times fit this one.
LibraryChoice algorithm_for(const TpuOptions& options) {
  LibraryChoice choice{.algorithm = "bidirectional_ring"};
  collective::Options torus;
  const std::vector<bool> all(options.slice.size(), true);
  collective::set_torus(torus, options.slice, options.wraps.empty() ? all : options.wraps, options.cores);
  const std::size_t axes = torus.shape.size();
  if (axes == 2) choice.algorithm = "torus_2d_bucket";
  if (axes == 3) choice.algorithm = "torus_3d_bucket";
  if (!options.algorithm.empty()) choice.algorithm = options.algorithm;
  if (axes < 2) return choice;
  choice.options = torus;
  const auto& algorithm = collective::algorithm_named(collective::Operation::all_reduce, choice.algorithm);
  if (options.cores > 1 && !collective::reads(algorithm, "cores"))  // to others they are a level like any
    choice.options.shape.insert(choice.options.shape.begin(), options.cores);
  return choice;
}

}  // namespace

plan::Plan lower_tpu(Steps steps, std::span<const Place> places, const TpuOptions& options) {
  check_replicas("tpu", steps, places, options.stand_for);
  check(places, options);
  DataParallel way;
  way.stand_for = options.stand_for;
  way.assigned = options.assigned;
  way.communication.strategy = "tpu";
  way.communication.library.always = algorithm_for(options);
  way.communication.mean = Scaling::multiply;  // tpu_ops.cross_replica_sum of values times 1 / N
  way.communication.one_after_the_other = true;
  way.communication.gather = "ring";
  return lower_data_parallel(steps, places, way);
}

}  // namespace wt::strategy
