// NCCL's NVLSTree. The switch of each machine adds the vectors of its ranks, each rank reduces one part of
// the sum across the machines in a double binary tree, and the switches multicast the result. That is done in
// loops over parts of the vector that follow each other.
#include "base/error.h"
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

Schedule nvls_tree(const Request& request) {
  const std::vector<int> shape = shape_of(request, 2);
  const int n = request.ranks, size = shape[0], machines = n / size;
  if (size == 1 || machines == 1)
    throw InputError("nvls_tree is for two or more machines with two or more ranks each");
  // In each loop a rank has a part of two chunks, one for each tree.
  const int part = 2, chunks = size * part;
  const auto switch_of = [=](int r) { return n + r / size; };
  const Rule add{1, [=](int, Round& moves) {
                   for (int r = 0; r < n; ++r)
                     r % size == 0 ? moves.copy(r, switch_of(r), {0, chunks})
                                   : moves.reduce(r, switch_of(r), {0, chunks});
                 }};
  const Rule take{1, [=](int, Round& moves) {
                    for (int r = 0; r < n; ++r) moves.copy(switch_of(r), r, {r % size * part, part});
                  }};
  const Rule multicast{1, [=](int, Round& moves) {
                         for (int r = 0; r < n; ++r)
                           for (int head = 0; head < size; ++head)
                             if (head != r % size) moves.copy(switch_of(r), r, {head * part, part});
                       }};
  std::vector<Rule> across;
  for (int head = 0; head < size; ++head)
    across.push_back(on_chunks(head * part, among(every(head, size, machines), double_tree(machines, 1))));
  const Rule loop =
      then(add, then(take, then(together(across), then(reversed(take, Effect::copy), multicast))));
  const int loops = request.options.segments;
  Schedule schedule =
      schedule_of(Operation::all_reduce, request, std::int64_t{chunks} * loops, looped(loop, loops, chunks));
  schedule.contract.helpers = machines;
  return schedule;
}

}  // namespace wt::collective
