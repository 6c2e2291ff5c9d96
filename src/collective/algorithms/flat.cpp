// One rank exchanges messages with each of the others.
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

Rule flat_broadcast(int n, const Chunks& whole) {
  return {1, [n, whole](int, Round& moves) {
            for (int r = 1; r < n; ++r) moves.copy(0, r, whole);
          }};
}

namespace {

// The root sends to the others in the order of their numbers. So the reduction backwards adds in that order,
// as TensorFlow adds in replica order.
Rule flat_broadcast_from(int root, int n) {
  std::vector<int> ranks{root};
  for (int r = 0; r < n; ++r)
    if (r != root) ranks.push_back(r);
  return among(ranks, flat_broadcast(n, 0));
}

Rule flat_scatter(int root, int n) {
  return {1, [root, n](int, Round& moves) {
            for (int r = 0; r < n; ++r)
              if (r != root) moves.copy(root, r, r);
          }};
}

}  // namespace

// This is TensorFlow's ReductionToOneDevice.
Schedule reduce_to_one(const Request& request) {
  const Rule broadcast = flat_broadcast_from(request.root, request.ranks);
  return schedule_of(Operation::all_reduce, request, 1, then(reversed(broadcast, Effect::reduce), broadcast));
}

Schedule flat_broadcast(const Request& request) {
  return schedule_of(Operation::broadcast, request, 1, flat_broadcast_from(request.root, request.ranks));
}

Schedule flat_reduce(const Request& request) {
  return schedule_of(Operation::reduce, request, 1,
                     reversed(flat_broadcast_from(request.root, request.ranks), Effect::reduce));
}

Schedule flat_scatter(const Request& request) {
  return schedule_of(Operation::scatter, request, request.ranks, flat_scatter(request.root, request.ranks));
}

Schedule flat_gather(const Request& request) {
  return schedule_of(Operation::gather, request, request.ranks,
                     reversed(flat_scatter(request.root, request.ranks), Effect::copy));
}

// A scatter, then an all-gather around a ring that sends nothing back to the root (van de Geijn, "On global
// combine operations", 1994).
Schedule scatter_ring(const Request& request) {
  const int n = request.ranks, root = request.root;
  const Rule gather{n - 1, [=](int round, Round& moves) {
                      for (int r = 0; r < n; ++r)
                        if ((r + 1) % n != root) moves.copy(r, (r + 1) % n, modulo(r - round, n));
                    }};
  return schedule_of(Operation::broadcast, request, n, then(flat_scatter(root, n), gather));
}

}  // namespace wt::collective
