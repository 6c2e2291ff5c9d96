// RCCL's choice, for AMD's GPUs: the algorithm and protocol that are fastest by latencies and ratios of its cost
// model for MI300X (tuning_model_5 in src/graph/tuning.cc of RCCL 2.22). On a node whose devices are all linked
// to each other, two_shot stands for RCCL's rings over all links: it loads every link equally, as these do.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/id.h"
#include "collective/rankings.h"

namespace wt::collective {

namespace rccl {

using Protocols = std::array<double, 3>;  // one value for each protocol: ll, ll128, simple

// Microseconds, once for each call; as NCCL's.
inline constexpr Protocols base{6.6, 14, 8.4};
// Microseconds of a step, by pattern.
inline constexpr Protocols ring_inside{0.8, 0.8, 2.1}, tree_inside{0.9, 0.9, 2.3};
inline constexpr Protocols ring_across{9.5, 9.5, 320}, tree_across{10.5, 10.5, 25};
// Shares of the links' rate. Inside a node they are those of the payload. Between nodes, those of simple are RCCL's,
// LL's are near its ratios (0.06 and 0.08), and those of LL128 make it choose as the sweep in ROCm/rocm-systems pull
// request 9406 (two nodes of MI350X) says: rings with LL128 at 32 MiB, trees with simple at 64 MiB, then rings.
inline constexpr Protocols inside_share{0.5, 0.92, 1};
inline constexpr Protocols ring_share{0.08, 0.55, 1}, tree_share{0.06, 0.4, 0.59};

struct Row {
  Operation operation{};
  std::string_view inside{}, meshed{},
      across{};  // algorithms of one node, of a full mesh, and of several nodes
};
inline constexpr std::array rows{Row{Operation::all_reduce, "ring", "two_shot", "multi_rail"},
                                 Row{Operation::all_reduce, "", "", "tree"},
                                 Row{Operation::reduce_scatter, "ring", "direct", "multi_rail"},
                                 Row{Operation::all_gather, "ring", "direct", "multi_rail"},
                                 Row{Operation::broadcast, "chain", "scatter_ring", "chain"},
                                 Row{Operation::reduce, "chain", "binomial_tree", "chain"},
                                 Row{Operation::gather, "flat", "flat", "flat"},
                                 Row{Operation::scatter, "flat", "flat", "flat"},
                                 Row{Operation::all_to_all, "direct", "direct", "direct"},
                                 Row{Operation::sendrecv, "direct", "direct", "direct"}};

// The rate at which the vector is worked through, in GB/s, if all links carry payload alone.
static double vector_rate(const Question& question) {
  const auto& [operation, fabric, spread, bytes] = question;
  const double links = fabric.inside_rate.count() * std::max(1, fabric.nvlinks);
  const double cards = fabric.nic_rate.count() * fabric.nics;
  double port = spread.nodes == spread.ranks ? cards : links;
  if (spread.nodes > 1) port = std::min(port, cards);
  const double passes = operation == Operation::all_reduce ? 2. * (spread.ranks - 1) / spread.ranks : 1;
  return std::max(port, 1.) / passes / 1e9;
}

// As many work on chunks of their own in a hop of a tree, by the 190 GB/s that trees of simple reach at 64 MiB there.
inline constexpr int channels = 8;

struct Candidate {
  std::string_view algorithm{};
  double start = 0;  // microseconds, without the base
  double share = 1;  // of the rate
};

static Candidate candidate(const Question& question, const Row& row, Protocol protocol) {
  const Spread& spread = question.spread;
  const std::size_t at = index(protocol);
  const double halves = question.operation == Operation::all_reduce ? 2 : 1;
  if (spread.nodes == 1) {
    const double start = halves * (spread.ranks - 1) * ring_inside[at];
    return {question.fabric.is_full_mesh ? row.meshed : row.inside, start, inside_share[at]};
  }
  const int doublings = std::bit_width(static_cast<unsigned>(spread.nodes)) - 1;
  if (row.across == "tree")
    return {row.across, 2 * ((spread.per_node() - 1) * tree_inside[at] + doublings * tree_across[at]),
            tree_share[at]};
  const double crossings = halves * (spread.nodes - 1), steps = halves * (spread.ranks - 1);
  const bool has_rails = question.fabric.nics > 1 && spread.even && spread.nodes < spread.ranks;
  const bool is_rail = row.across == "multi_rail";
  return {is_rail && !has_rails ? row.inside : row.across,
          (steps - crossings) * ring_inside[at] + crossings * ring_across[at], ring_share[at]};
}

}  // namespace rccl

std::vector<Choice> rank_by_rccl(const Question& question) {
  const double rate = rccl::vector_rate(question);
  std::vector<Choice> found;
  for (const rccl::Row& row : rccl::rows) {
    if (row.operation != question.operation || (question.spread.nodes == 1 && row.inside.empty())) continue;
    for (const ProtocolRow& each : protocols()) {
      // Sends and receives have no LL128 (src/enqueue.cc).
      if (each.protocol == Protocol::ll128 && is_point_to_point(question.operation)) continue;
      const auto [algorithm, steps, share] = rccl::candidate(question, row, each.protocol);
      const double start = rccl::base[index(each.protocol)] + steps;
      found.push_back(
          {.algorithm = algorithm,
           .protocol = each.protocol,
           .channels = rccl::channels,
           .predicted = Seconds(start * 1e-6 + question.bytes / (share * rate * 1e9)),
           .reason = fmt::format("RCCL's cost model: {:.1f} us, then {:.1f} GB/s", start, share * rate)});
    }
  }
  return found;
}

}  // namespace wt::collective
