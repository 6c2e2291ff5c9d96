// NCCL's Tree. The ranks of a machine form a chain, and the heads of the chains form a double binary tree.
// There are several lanes, normally one for each NIC of a machine, and each lane has its own head in each
// machine and its own part of the vector. double_binary_tree.cpp names the source of the trees.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/narrow.h"
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

// The broadcast of one lane. `chains` has the ranks machine by machine, each machine's as a chain that begins with
// its head. The head of a machine gets the value from the head of the machine above it, and sends it on along the
// chain. `parents` is the tree over machines.
Rule lane_broadcast(std::vector<int> chains, int size, const std::vector<int>& parents) {
  const std::vector<int> depths = depths_of(parents);
  const int deepest = *std::max_element(depths.begin(), depths.end());
  return {deepest + size - 1, [=, chains = std::move(chains)](int round, Round& moves) {
            const auto rank = [&](int machine, int place) {
              const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(machine) * size + place;
              return chains[static_cast<std::size_t>(at)];
            };
            for (int machine = 0; machine < std::ssize(parents); ++machine) {
              const auto number = static_cast<std::size_t>(machine);
              const int place = round + 1 - depths[number];
              if (place == 0)
                moves.copy(rank(parents[number], 0), rank(machine, 0), 0);
              else if (place > 0 && place < size)
                moves.copy(rank(machine, place - 1), rank(machine, place), 0);
            }
          }};
}

// The chains of each lane: those that the caller found (communication/rings.cpp), or chains in the order of the ranks
// that wrap around the last rank of a machine, with heads that are spread evenly.
std::vector<std::vector<int>> chains_of(const Request& request, int size, int lanes) {
  if (!request.orders.empty()) return request.orders;
  std::vector<std::vector<int>> chains;
  for (int lane = 0; lane < lanes; ++lane) {
    const auto head = static_cast<int>(std::int64_t{lane} * size / lanes);
    std::vector<int>& chain = chains.emplace_back();
    for (int first = 0; first < request.ranks; first += size)
      for (int place = 0; place < size; ++place) chain.push_back(first + (head + place) % size);
  }
  return chains;
}

}  // namespace

// Without a shape, all ranks are in one machine. A single machine has one chain for each lane instead of two
// trees.
Schedule tree(const Request& request) {
  const std::vector<int> shape = shape_of(request, 1);
  const int size = shape.empty() ? request.ranks : shape[0], machines = request.ranks / size;
  const int wanted = request.options.lanes == 0 ? size : request.options.lanes;
  if (wanted > size)
    throw InputError(fmt::format("{} lanes are more than the {} ranks of a machine", wanted, size),
                     fmt::format("give lanes from 1 to {}", size));
  const int trees = machines == 1 ? 1 : 2, segments = request.options.segments;
  const std::vector<std::vector<int>> chains = chains_of(request, size, wanted);
  const int lanes = narrow<int>(chains.size());
  std::vector<Rule> rules;
  for (const std::vector<int>& chain : chains)
    for (int which = 0; which < trees; ++which) {
      const Rule broadcast = lane_broadcast(chain, size, double_tree_parents(machines, which));
      Rule rule = pipelined(then(reversed(broadcast, Effect::reduce), broadcast), segments);
      rules.push_back(on_chunks(segments * std::ssize(rules), std::move(rule)));
    }
  const auto chunks = std::int64_t{segments} * trees * lanes;
  return schedule_of(Operation::all_reduce, request, chunks, together(std::move(rules)));
}

}  // namespace wt::collective
