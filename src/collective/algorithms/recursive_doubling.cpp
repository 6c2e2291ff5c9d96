// Recursive doubling: partners at distances 1, 2, 4, ... exchange all that they have (Thakur, Rabenseifner
// and Gropp, "Optimization of collective communication operations in MPICH", 2005).
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

Rule recursive_doubling(int n, const Chunks& whole) {
  return {doublings_to(n), [n, whole](int round, Round& moves) {
            for (int r = 0; r < n; ++r) moves.reduce(r, r ^ (1 << round), whole);
          }};
}

Rule doubling_all_gather(int n) {
  return {doublings_to(n), [n](int round, Round& moves) {
            const int distance = 1 << round;
            for (int r = 0; r < n; ++r) moves.copy(r, r ^ distance, {r & ~(distance - 1), distance});
          }};
}

Schedule recursive_doubling(const Request& request) {
  const int n = request.ranks;
  const Rule rule = recursive_doubling(power_of_two_in(n), 0);
  return schedule_of(Operation::all_reduce, request, 1, with_ranks_beyond(n, 0, rule));
}

Schedule doubling_all_gather(const Request& request) {
  return schedule_of(Operation::all_gather, request, request.ranks, doubling_all_gather(request.ranks));
}

}  // namespace wt::collective
