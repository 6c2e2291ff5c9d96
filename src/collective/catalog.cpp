#include "collective/catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/id.h"
#include "base/suggest.h"
#include "collective/algorithms/algorithms.h"

namespace wt::collective {

std::span<const Algorithm> algorithms() {
  using enum Operation;
  using enum Allows;
  static const std::vector<Algorithm> rows{
      {"ring", all_reduce, "reduce-scatter, then all-gather around one ring", any, {}, ring},
      {"bidirectional_ring",
       all_reduce,
       "half of the vector around the ring in each direction",
       any,
       {},
       bidirectional_ring},
      {"chain", all_reduce, "along a chain and back, pipelined", any, {"segments"}, chain},
      {"reduce_to_one",
       all_reduce,
       "to one rank and back (TensorFlow's ReductionToOneDevice)",
       any,
       {},
       reduce_to_one},
      {"binomial_tree", all_reduce, "up and down a binomial tree", any, {}, binomial_tree},
      {"double_binary_tree",
       all_reduce,
       "two trees with half of the vector each, pipelined",
       any,
       {"segments"},
       double_binary_tree},
      {"tree",
       all_reduce,
       "chains in machines, two trees across them for each lane, pipelined (NCCL's Tree)",
       any,
       {"shape", "segments", "lanes"},
       tree,
       true},
      {"recursive_doubling",
       all_reduce,
       "whole vectors between partners at distances 1, 2, 4, ...",
       any,
       {},
       recursive_doubling},
      {"halving_doubling",
       all_reduce,
       "halves between partners, then gathered (Rabenseifner)",
       any,
       {},
       halving_doubling},
      {"bruck", all_reduce, "log n rounds each way for any n", any, {}, bruck},
      {"swing", all_reduce, "recursive doubling between near partners of a torus", even, {}, swing},
      {"one_shot", all_reduce, "every rank sends its vector to all others; each adds all", any, {}, one_shot},
      {"two_shot",
       all_reduce,
       "every rank adds one chunk of all vectors, then sends the sum to all others",
       any,
       {},
       two_shot},
      {"hierarchical",
       all_reduce,
       "rings in groups, then across the groups",
       two_factors,
       {"shape"},
       hierarchical},
      {"leader",
       all_reduce,
       "a tree to the leader of each group, then a ring of the leaders",
       two_factors,
       {"shape"},
       leader},
      {"hierarchical_copy",
       all_reduce,
       "two halves with a main device each (TensorFlow's, for DGX-1)",
       any,
       {"packs", "faithful"},
       hierarchical_copy},
      {"torus_2d",
       all_reduce,
       "rings along one axis, then along the other",
       two_factors,
       {"shape", "lines", "cores", "slices"},
       torus_2d},
      {"torus_3d",
       all_reduce,
       "rings along three axes in turn",
       three_factors,
       {"shape", "lines", "cores", "slices"},
       torus_3d},
      {"torus_2d_bucket",
       all_reduce,
       "all four directions at once, each part along both axes",
       two_factors,
       {"shape", "lines", "cores", "slices"},
       torus_2d_bucket},
      {"torus_3d_bucket",
       all_reduce,
       "all six directions at once, each part along three axes",
       three_factors,
       {"shape", "lines", "cores", "slices"},
       torus_3d_bucket},
      {"blueconnect", all_reduce, "rings on every level of a network", any, {"shape"}, blueconnect},
      {"multi_rail",
       all_reduce,
       "a ring for each network card of a machine, or in each order that is given",
       two_factors,
       {"shape", "lanes"},
       multi_rail,
       true},
      {"nvls", all_reduce, "a switch adds and multicasts, in loops (NVSwitch)", any, {"segments"}, nvls},
      {"nvls_tree",
       all_reduce,
       "switches within machines, double trees across, in loops",
       two_factors,
       {"shape", "segments"},
       nvls_tree},
      {"sharp",
       all_reduce,
       "a tree of switches adds and multicasts for each network card (InfiniBand)",
       any,
       {"shape", "segments", "lanes"},
       sharp},
      {"parameter_server",
       all_reduce,
       "push to servers that add, pull from them",
       any,
       {"servers"},
       parameter_server},
      {"sharded_parameter_server", all_reduce, "every rank is the server of its chunk", any, {}, two_shot},
      {"tensorflow_ring",
       all_reduce,
       "TensorFlow's rings, with its chunks and orders",
       any,
       {"shape", "subdivisions"},
       tensorflow_ring},

      {"ring", reduce_scatter, "around one ring", any, {}, ring_reduce_scatter},
      {"direct", reduce_scatter, "every rank to every other, at once", any, {}, direct_reduce_scatter},
      {"halving", reduce_scatter, "halves between partners", power_of_two, {}, halving_reduce_scatter},
      {"bruck", reduce_scatter, "log n rounds for any n", any, {}, bruck_reduce_scatter},
      {"pat", reduce_scatter, "log n rounds, the far ranks last (NCCL's PAT)", any, {}, pat_reduce_scatter},
      {"multi_rail",
       reduce_scatter,
       "a ring for each network card of a machine, or in each order that is given",
       two_factors,
       {"shape", "lanes"},
       multi_rail_reduce_scatter,
       true},
      {"nvls", reduce_scatter, "a switch adds, in loops", any, {"segments"}, nvls_reduce_scatter},

      {"ring", all_gather, "around one ring", any, {}, ring_all_gather},
      {"direct", all_gather, "every rank to every other, at once", any, {}, direct_all_gather},
      {"doubling",
       all_gather,
       "partners exchange all that they have gathered",
       power_of_two,
       {},
       doubling_all_gather},
      {"bruck", all_gather, "log n rounds for any n", any, {}, bruck_all_gather},
      {"pat", all_gather, "log n rounds, the far ranks first (NCCL's PAT)", any, {}, pat_all_gather},
      {"multi_rail",
       all_gather,
       "a ring for each network card of a machine, or in each order that is given",
       two_factors,
       {"shape", "lanes"},
       multi_rail_all_gather,
       true},
      {"nvls", all_gather, "a switch multicasts, in loops", any, {"segments"}, nvls_all_gather},

      {"flat", broadcast, "from the root to each rank", any, {}, flat_broadcast},
      {"binomial_tree", broadcast, "down a binomial tree", any, {}, binomial_broadcast},
      {"chain", broadcast, "along a chain, pipelined", any, {"segments"}, chain_broadcast},
      {"multi_rail",
       broadcast,
       "a chain for each network card of a machine, or in each order that is given, pipelined",
       two_factors,
       {"shape", "segments", "lanes"},
       multi_rail_broadcast,
       true},
      {"scatter_ring", broadcast, "scatter, then all-gather around a ring", any, {}, scatter_ring},
      {"tensorflow_tree",
       broadcast,
       "TensorFlow's trees across and within tasks",
       any,
       {"shape"},
       tensorflow_broadcast},

      {"flat", reduce, "each rank to the root", any, {}, flat_reduce},
      {"binomial_tree", reduce, "up a binomial tree", any, {}, binomial_reduce},
      {"chain", reduce, "along a chain, pipelined", any, {"segments"}, chain_reduce},
      {"multi_rail",
       reduce,
       "a chain for each network card of a machine, or in each order that is given, pipelined",
       two_factors,
       {"shape", "segments", "lanes"},
       multi_rail_reduce,
       true},

      {"flat", gather, "each rank to the root", any, {}, flat_gather},
      {"binomial_tree", gather, "up a binomial tree", any, {}, binomial_gather},

      {"flat", scatter, "from the root to each rank", any, {}, flat_scatter},
      {"binomial_tree", scatter, "down a binomial tree", any, {}, binomial_scatter},

      {"direct", all_to_all, "every rank to every other, at once", any, {}, direct_all_to_all},
      {"pairwise", all_to_all, "one partner at a time", any, {}, pairwise_all_to_all},
      {"bruck", all_to_all, "log n rounds, through other ranks", any, {}, bruck_all_to_all},
      {"ring", all_to_all, "through neighbours", any, {}, ring_all_to_all},

      {"direct", sendrecv, "every rank to the next, at once", any, {}, direct_sendrecv},
  };
  return rows;
}

std::vector<const Algorithm*> algorithms_of(Operation operation) {
  std::vector<const Algorithm*> found;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.operation == operation) found.push_back(&algorithm);
  return found;
}

const Algorithm& algorithm_named(Operation operation, std::string_view wanted) {
  std::vector<std::string_view> names;
  for (const Algorithm* algorithm : algorithms_of(operation)) {
    if (algorithm->name == wanted) return *algorithm;
    names.push_back(algorithm->name);
  }
  throw InputError(fmt::format("\"{}\" is not an algorithm for {}", wanted, name(operation)),
                   did_you_mean(wanted, names));
}

bool allows(const Algorithm& algorithm, int ranks) {
  if (ranks == 1) return true;
  switch (algorithm.allows) {
    case Allows::any:
      return true;
    case Allows::even:
      return ranks % 2 == 0;
    case Allows::power_of_two:
      return (ranks & (ranks - 1)) == 0;
    case Allows::two_factors:
      return !equal_factors(ranks, 2).empty();
    case Allows::three_factors:
      return !equal_factors(ranks, 3).empty();
  }
  return false;
}

std::string_view print(Allows allows) {
  static constexpr std::array<std::string_view, 5> texts{"any number of ranks", "an even number of ranks",
                                                         "a power of two", "a product of two numbers above 1",
                                                         "a product of three numbers above 1"};
  return texts[index(allows)];
}

bool reads(const Algorithm& algorithm, std::string_view option) {
  return std::find(algorithm.options.begin(), algorithm.options.end(), option) != algorithm.options.end();
}

namespace {

bool is_order(const std::vector<int>& order, int ranks) {
  std::vector<bool> seen(static_cast<std::size_t>(ranks));
  for (const int rank : order) {
    if (rank < 0 || rank >= ranks || seen[static_cast<std::size_t>(rank)]) return false;
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return std::ssize(order) == ranks;
}

void check_orders(const Algorithm& algorithm, const Request& request) {
  if (request.orders.empty()) return;
  if (!algorithm.takes_orders)
    throw InputError(fmt::format("{} takes no ring orders", algorithm.name), "choose multi_rail");
  for (const std::vector<int>& order : request.orders)
    if (!is_order(order, request.ranks))
      throw InputError(fmt::format("the ring order {} does not name each of the {} ranks once",
                                   fmt::join(order, " "), request.ranks),
                       fmt::format("write the ranks from 0 to {} in some order", request.ranks - 1));
}

void check(const Algorithm& algorithm, const Request& request) {
  if (request.ranks < 1)
    throw InputError(fmt::format("a collective needs at least 1 rank, and there are {}", request.ranks));
  if (request.elements < 0)
    throw InputError(
        fmt::format("a vector has at least 0 elements, and {} were requested", request.elements));
  if (request.root < 0 || request.root >= request.ranks)
    throw InputError(fmt::format("rank {} can't be the root of {} ranks", request.root, request.ranks));
  check_orders(algorithm, request);
  const bool shaped = reads(algorithm, "shape") && !request.options.shape.empty();
  if (!shaped && request.orders.empty() && !allows(algorithm, request.ranks))
    throw InputError(
        fmt::format("{} is for {}, not for {}", algorithm.name, print(algorithm.allows), request.ranks));
}

// No chunk may get smaller by that.
void fill_chunks(Cut& cut) {
  const std::int64_t elements = cut.per_chunk * cut.chunks;
  if (cut.per_chunk != 0 && elements >= cut.elements) cut = {elements, cut.chunks, 0, cut.rows};
}

}  // namespace

Schedule make_schedule(const Algorithm& algorithm, const Request& request) {
  Schedule schedule;
  check(algorithm, request);
  if (request.ranks == 1)  // A single rank has its result from the start.
    schedule = schedule_of(algorithm.operation, request, 1, {0, [](int, Round&) {}});
  else
    schedule = algorithm.make(request);
  schedule.name = std::string(algorithm.name);
  if (request.fills_chunks) fill_chunks(schedule.contract.cut);
  return schedule;
}

}  // namespace wt::collective
