// NCCL's Tree. The ranks of a machine form a chain, and the heads of the chains form a double binary tree.
// There are several lanes, normally one for each NIC of a machine, and each lane has its own head in each
// machine and its own part of the vector. double_binary_tree.cpp names the source of the trees.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

// The broadcast of one lane. The head of a machine gets the value from the head of the machine above it, and
// sends it on along the chain of its machine, which wraps around the last rank. `parents` is the tree over
// machines.
Rule lane_broadcast(int head, int size, const std::vector<int>& parents) {
  const std::vector<int> depths = depths_of(parents);
  const int deepest = *std::max_element(depths.begin(), depths.end());
  return {deepest + size - 1, [=](int round, Round& moves) {
            for (std::size_t machine = 0; machine < parents.size(); ++machine) {
              const int place = round + 1 - depths[machine], first = static_cast<int>(machine) * size;
              if (place == 0)
                moves.copy(parents[machine] * size + head, first + head, 0);
              else if (place > 0 && place < size)
                moves.copy(first + (head + place - 1) % size, first + (head + place) % size, 0);
            }
          }};
}

}  // namespace

// Without a shape, all ranks are in one machine. A single machine has one chain for each lane instead of two
// trees.
Schedule tree(const Request& request) {
  const std::vector<int> shape = shape_of(request, 1);
  const int size = shape.empty() ? request.ranks : shape[0], machines = request.ranks / size;
  const int lanes = request.options.lanes == 0 ? size : request.options.lanes;
  if (lanes > size)
    throw InputError(fmt::format("{} lanes are more than the {} ranks of a machine", lanes, size),
                     fmt::format("give lanes from 1 to {}", size));
  const int trees = machines == 1 ? 1 : 2, segments = request.options.segments;
  std::vector<Rule> rules;
  for (int lane = 0; lane < lanes; ++lane)
    for (int which = 0; which < trees; ++which) {
      const auto head = static_cast<int>(std::int64_t{lane} * size / lanes);
      const Rule broadcast = lane_broadcast(head, size, double_tree_parents(machines, which));
      Rule rule = pipelined(then(reversed(broadcast, Effect::reduce), broadcast), segments);
      rules.push_back(on_chunks(segments * std::ssize(rules), std::move(rule)));
    }
  const auto chunks = std::int64_t{segments} * trees * lanes;
  return schedule_of(Operation::all_reduce, request, chunks, together(std::move(rules)));
}

}  // namespace wt::collective
