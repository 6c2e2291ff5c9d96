// TensorFlow's HierarchicalTreeBroadcast (tensorflow/core/common_runtime/hierarchical_tree_broadcaster.cc): a
// binary tree over one device of each task, then a binary tree within each task.
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

// The parents in a binary tree of heap order, -1 for the source. A source other than rank 0 is an additional
// node in front of all ranks, and keeps its own place with the children there as well.
std::vector<int> parents_of(int n, int source) {
  std::vector<int> parents;
  for (int r = 0; r < n; ++r) {
    const int up = source == 0 ? (r + 1) / 2 - 1 : r / 2 - 1;
    parents.push_back(r == source ? -1 : up < 0 ? source : up);
  }
  return parents;
}

}  // namespace

Schedule tensorflow_broadcast(const Request& request) {
  const int n = request.ranks, devices = request.options.shape.empty() ? n : shape_of(request, 2)[0];
  const int tasks = n / devices, source_task = request.root / devices;
  std::vector<int> first;  // the rank of each task that gets the value first
  std::vector<Rule> inside;
  for (int task = 0; task < tasks; ++task) {
    first.push_back(task == source_task ? request.root : task * devices);
    inside.push_back(among(every(task * devices, 1, devices),
                           tree_broadcast(parents_of(devices, first.back() - task * devices), 0)));
  }
  const Rule across = among(first, tree_broadcast(parents_of(tasks, source_task), 0));
  return schedule_of(Operation::broadcast, request, 1, then(across, together(inside)));
}

}  // namespace wt::collective
