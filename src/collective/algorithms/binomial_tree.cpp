// Binomial trees, which take log2 n rounds: every rank that has the value sends it on, half as far as in the
// round before. MPICH uses them for short messages (Thakur, Rabenseifner and Gropp, "Optimization of
// collective communication operations in MPICH", 2005).
#include <algorithm>

#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

// The distance over which round i sends: from the largest power of two below n in round 0 down to 1.
int distance_in(int round, int rounds) { return 1 << (rounds - 1 - round); }

Rule broadcast_from(const Request& request) {
  return among(rotated(request.ranks, request.root), binomial_broadcast(request.ranks, 0));
}

// Rank i, counted from the root, sends to rank i + distance the chunks of that rank and of the ranks behind
// it.
Rule scatter_from(int root, int n) {
  const int rounds = doublings_to(n);
  return {rounds, [=](int round, Round& moves) {
            const int distance = distance_in(round, rounds);
            for (int i = 0; i + distance < n; i += 2 * distance) {
              const int count = std::min(distance, n - i - distance);
              moves.copy((root + i) % n, (root + i + distance) % n,
                         Chunks::around(root + i + distance, count, n));
            }
          }};
}

}  // namespace

Rule binomial_broadcast(int n, const Chunks& whole) {
  const int rounds = doublings_to(n);
  return {rounds, [=](int round, Round& moves) {
            const int distance = distance_in(round, rounds);
            for (int r = 0; r + distance < n; r += 2 * distance) moves.copy(r, r + distance, whole);
          }};
}

Schedule binomial_tree(const Request& request) {
  const Rule broadcast = broadcast_from(request);
  return schedule_of(Operation::all_reduce, request, 1, then(reversed(broadcast, Effect::reduce), broadcast));
}

Schedule binomial_broadcast(const Request& request) {
  return schedule_of(Operation::broadcast, request, 1, broadcast_from(request));
}

Schedule binomial_reduce(const Request& request) {
  return schedule_of(Operation::reduce, request, 1, reversed(broadcast_from(request), Effect::reduce));
}

Schedule binomial_scatter(const Request& request) {
  return schedule_of(Operation::scatter, request, request.ranks, scatter_from(request.root, request.ranks));
}

Schedule binomial_gather(const Request& request) {
  return schedule_of(Operation::gather, request, request.ranks,
                     reversed(scatter_from(request.root, request.ranks), Effect::copy));
}

}  // namespace wt::collective
