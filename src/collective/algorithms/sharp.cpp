// SHARP: network switches that form a tree add on the way up and multicast on the way down (Graham and
// others, "Scalable hierarchical aggregation protocol (SHARP)", 2016). There are several lanes, normally one
// for each NIC of a machine, and each has a tree of its own. In each machine one rank, the head of the lane,
// adds the lane's part of the vector for all ranks of the machine and sends them the result (NCCL's CollNet).
#include <algorithm>

#include "base/error.h"
#include "base/narrow.h"
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

// Ranks of a machine, machines at a leaf switch, leaves.
struct Levels {
  int size = 1;
  int machines = 1;
  int leaves = 1;

  int switches() const { return leaves + (leaves > 1); }  // of each lane; a single leaf switch is the root
};

Levels levels_of(const Request& request) {
  std::vector<int> shape = request.ranks == 1 ? std::vector<int>{1} : shape_of(request, 3);
  if (shape.empty()) shape = {1, request.ranks};
  if (shape.size() > 3)
    throw InputError("sharp takes a shape of at most three levels: ranks, machines and leaf switches");
  shape.resize(3, 1);
  if (shape[1] * shape[2] == 1) return {1, shape[0], 1};  // In a single machine each rank is at the switch.
  return {shape[0], shape[1], shape[2]};
}

// The parents in the tree of a lane: first those of the ranks, then those of the switches of all lanes.
// Switches of other lanes have no parent and no children.
std::vector<int> parents_of(const Levels& levels, int lane, int lanes) {
  const auto [size, machines, leaves] = levels;
  const int n = size * machines * leaves, first = n + lane * levels.switches();
  const int root = leaves > 1 ? first + leaves : -1;
  std::vector<int> parents(static_cast<std::size_t>(n + lanes * levels.switches()), -1);
  for (int r = 0; r < n; ++r) {
    const int head = r - r % size + lane * size / lanes;
    parents[static_cast<std::size_t>(r)] = r == head ? first + r / (size * machines) : head;
  }
  for (int leaf = first; leaf < first + leaves; ++leaf) parents[static_cast<std::size_t>(leaf)] = root;
  return parents;
}

// Switches begin empty, so the first child of a switch copies its value to it, and the others add theirs.
Rule all_reduce_on(const std::vector<int>& parents, int n) {
  const Rule down = tree_broadcast(parents, 0);
  std::vector<int> first(parents.size(), -1);  // the first child of each switch
  for (int child = narrow<int>(parents.size()) - 1; child >= 0; --child)
    if (const int parent = parents[static_cast<std::size_t>(child)]; parent >= n)
      first[static_cast<std::size_t>(parent)] = child;
  const Rule up = changed(reversed(down, Effect::reduce), [=](Move& move) {
    if (first[static_cast<std::size_t>(move.target)] == move.source) move.effect = Effect::copy;
  });
  return then(up, down);
}

}  // namespace

Schedule sharp(const Request& request) {
  const Levels levels = levels_of(request);
  const int segments = request.options.segments;
  const int lanes = request.options.lanes > 0 ? std::min(request.options.lanes, levels.size) : levels.size;
  std::vector<Rule> rules;
  for (int lane = 0; lane < lanes; ++lane)
    rules.push_back(
        on_chunks(std::int64_t{lane} * segments,
                  pipelined(all_reduce_on(parents_of(levels, lane, lanes), request.ranks), segments)));
  Schedule schedule =
      schedule_of(Operation::all_reduce, request, std::int64_t{lanes} * segments, together(std::move(rules)));
  schedule.contract.helpers = lanes * levels.switches();
  return schedule;
}

}  // namespace wt::collective
