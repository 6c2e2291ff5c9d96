#include "collective/nccl_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/id.h"

namespace wt::collective::nccl {

Communicator communicator_of(const Question& question) {
  const auto& [operation, fabric, spread, bytes] = question;
  Communicator found{.question = question, .generation = generation_of(fabric.capability)};
  found.scale = static_cast<std::size_t>(std::min(spread.nodes, 3) - 1);
  found.ring = ring_channels(fabric, spread);
  found.tree = tree_channels(fabric, spread, found.ring);
  found.nvls = nvls_channels(fabric, spread);
  found.channels = communicator_channels(fabric, spread, found.ring);
  found.nvls_channels = communicator_nvls_channels(fabric, spread);
  return found;
}

namespace {

// The entry of a table of rates for this communicator, in GB/s.
double cap(const std::array<Scales, 4>& table, const Communicator& communicator) {
  return table[index(communicator.generation)][communicator.scale];
}

// The highest rate of LL. Between nodes NCCL takes the table's row by the host processor.
double ll_limit(const Communicator& communicator) {
  const bool amd = communicator.question.fabric.host == Host::amd;
  const Generation row = !communicator.across() ? communicator.generation
                         : amd                  ? Generation::ampere
                                                : Generation::volta;
  return ll_cap[index(row)][communicator.scale];
}

// The rate of all channels together. NCCL counts the rate between nodes only for more than two nodes.
double carried(const Communicator& communicator, const Channels& channels) {
  return channels.count * (communicator.question.spread.nodes <= 2 ? channels.inside : channels.across);
}

// ---- Rates, as the bus bandwidth of nccl-tests ----

double ring_rate(const Communicator& communicator, Protocol protocol) {
  const double all = carried(communicator, communicator.ring);
  switch (protocol) {
    case Protocol::ll:
      return std::min(ll_limit(communicator), 0.5 * all);
    case Protocol::ll128:
      return std::min(0.92 * all, communicator.ring.count * cap(ring_ll128_cap, communicator));
    case Protocol::simple:
      return all;
  }
  return 0;
}

// On Hopper and later, with a NIC for each GPU, NCCL's trees send all traffic of a node through one GPU (its
// pattern TREE), which counts for 0.85.
double tree_rate(const Communicator& communicator, Protocol protocol) {
  const int count = communicator.tree.count;
  double rate =
      std::min(0.92 * carried(communicator, communicator.tree), count * cap(tree_cap, communicator));
  if (protocol == Protocol::ll) rate = std::min(rate / 3.8, ll_limit(communicator));
  if (protocol == Protocol::ll128)
    rate = std::min(rate * (communicator.across() ? 120. / 128 : 7. / 9),
                    count * cap(tree_ll128_cap, communicator));
  return communicator.across() && communicator.generation >= Generation::hopper ? 0.85 * rate : rate;
}

// The rate of one NVLS channel within a node.
double nvls_inside(const Communicator& communicator) {
  const auto& [count, inside, across] = communicator.nvls;
  const double gpus = communicator.question.spread.per_node();
  const bool both_ways = communicator.question.operation == Operation::all_reduce;
  return inside * nvls_efficiency[index(communicator.generation)] * (count - 1) / count *
         (both_ways ? 2 : (gpus - 1) / gpus);
}

// On more than two nodes NVLSTree counts for 0.85 of the rings: when it was forced on four nodes of H200, 310
// GB/s were measured, and 365 GB/s for rings.
double nvls_tree_rate(const Communicator& communicator) {
  if (communicator.question.spread.nodes > 2) return 0.85 * ring_rate(communicator, Protocol::simple);
  const auto& [count, inside, across] = communicator.nvls;
  return count * std::min({nvls_inside(communicator), 2 * across, cap(nvls_tree_cap, communicator)});
}

double bus_rate(const Communicator& communicator, Pattern pattern, Protocol protocol) {
  switch (pattern) {
    case Pattern::tree:
      return tree_rate(communicator, protocol);
    case Pattern::ring:
      return ring_rate(communicator, protocol);
    case Pattern::nvls:
      return communicator.nvls.count * nvls_inside(communicator);
    case Pattern::nvls_tree:
      return nvls_tree_rate(communicator);
    case Pattern::pat:
      return pat_efficiency * carried(communicator, communicator.tree);
  }
  return 0;
}

int ring_steps(const Question& question) {
  const int ranks = question.spread.ranks;
  switch (question.operation) {
    case Operation::all_reduce:
      return 2 * (ranks - 1);
    case Operation::reduce_scatter:
    case Operation::all_gather:
      return ranks - 1;
    default:
      return ranks;
  }
}

// The factor from bus bandwidth to the rate at which the vector is worked through.
double of_vector(const Question& question, Pattern pattern) {
  const bool halves =
      question.operation == Operation::reduce_scatter || question.operation == Operation::all_gather;
  if (pattern != Pattern::ring && halves) return 1;
  if (pattern == Pattern::tree) return 0.5;
  return static_cast<double>(question.spread.ranks) / ring_steps(question);
}

// NCCL's correction of the rate by the size of the vector (tree_correction).
double correction(const Communicator& communicator, Pattern pattern, Protocol protocol) {
  const auto size = static_cast<std::uint64_t>(communicator.question.bytes) / 64;
  if (size == 0) return 1;
  const auto i = static_cast<std::size_t>(std::bit_width(size) - 1);
  const Fabric& fabric = communicator.question.fabric;
  const bool x86 = fabric.host == Host::intel || fabric.host == Host::amd;
  const bool tree = pattern == Pattern::tree && i < 23;
  const bool nvls_tree = pattern == Pattern::nvls_tree && i < 24 && fabric.capability >= 100 && x86;
  return tree || nvls_tree ? tree_correction[index(protocol)][i] : 1;
}

// ---- Latencies ----

double step_inside(const Communicator& communicator, Pattern pattern, Protocol protocol) {
  const Wire wire = linked_by_nvlink(communicator.question.fabric.inside) ? Wire::nvlink : Wire::pci;
  return step_latency[index(wire)][index(pattern)][index(protocol)];
}

double step_across(const Communicator& communicator, Pattern pattern, Protocol protocol) {
  const bool alone = communicator.question.spread.nodes == communicator.question.spread.ranks;
  return step_latency[index(Wire::net)][index(alone ? Pattern::tree : pattern)][index(protocol)];
}

// The latency of a broadcast or reduce. NCCL counts a single step if all channels take the same path
// (sameChannels), as they do behind switches; otherwise one step for each rank.
double one_way_latency(const Communicator& communicator, Protocol protocol) {
  const bool same = communicator.question.fabric.inside != Inside::nvlink_mesh;
  const Pattern pattern = !same && protocol == Protocol::simple ? Pattern::tree : Pattern::ring;
  const double step = communicator.across() ? step_latency[index(Wire::net)][index(pattern)][index(protocol)]
                                            : step_inside(communicator, pattern, protocol);
  return same ? step : ring_steps(communicator.question) * step;
}

double ring_latency(const Communicator& communicator, Protocol protocol) {
  const auto& [operation, fabric, spread, bytes] = communicator.question;
  if (operation == Operation::broadcast || operation == Operation::reduce)
    return one_way_latency(communicator, protocol);
  const double posted = (fabric.host == Host::amd ? 2 : 1) * (protocol == Protocol::simple ? 3 : 1);
  const double inside =
      std::max(step_inside(communicator, Pattern::ring, protocol), communicator.across() ? posted : 0);
  const int steps = ring_steps(communicator.question);
  const int crossings = (spread.nodes - 1) * (operation == Operation::all_reduce ? 2 : 1);
  return (steps - crossings) * inside + crossings * step_across(communicator, Pattern::ring, protocol);
}

double latency(const Communicator& communicator, Pattern pattern, Protocol protocol) {
  const Spread& spread = communicator.question.spread;
  const double inside = step_inside(communicator, pattern, protocol);
  const double across = step_across(communicator, pattern, protocol);
  const int doublings = std::bit_width(static_cast<unsigned>(spread.nodes)) - 1;
  const int others = spread.ranks / spread.nodes - 1;  // ranks of a node besides the first
  switch (pattern) {
    case Pattern::tree:
      return 2 * (others * inside + doublings * across);
    case Pattern::ring:
      return ring_latency(communicator, protocol);
    case Pattern::nvls:
      return inside;
    case Pattern::nvls_tree:
      return inside + 2 * doublings * across;
    case Pattern::pat:
      return doublings * across / 3.5 + 2.8 * spread.ranks;
  }
  return 0;
}

// NCCL's "plateau" of rings over several nodes: from 64 bytes per rank and channel on, it raises the latency.
double plateau(const Communicator& communicator, Pattern pattern, Protocol protocol) {
  const auto& [operation, fabric, spread, bytes] = communicator.question;
  const bool reaches = pattern == Pattern::ring && protocol == Protocol::simple && communicator.across() &&
                       operation == Operation::all_reduce &&
                       std::floor(bytes / (communicator.channels * spread.ranks)) >= 64;
  if (!reaches) return 1;
  return communicator.generation < Generation::ampere ? 1.9 : 1.4;
}

}  // namespace

Cost cost_of(const Communicator& communicator, Pattern pattern, Protocol protocol) {
  const double start =
      base_latency[index(pattern)][index(protocol)] + latency(communicator, pattern, protocol);
  return {start * plateau(communicator, pattern, protocol), bus_rate(communicator, pattern, protocol) *
                                                                of_vector(communicator.question, pattern) *
                                                                correction(communicator, pattern, protocol)};
}

}  // namespace wt::collective::nccl
