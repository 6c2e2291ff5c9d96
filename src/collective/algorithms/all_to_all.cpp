// All-to-alls by direct messages, in pairs, and around a ring. Chunk s * n + t goes from rank s to rank t.
// The pairwise exchange is described by Thakur, Rabenseifner and Gropp, "Optimization of collective
// communication operations in MPICH", 2005.
#include "collective/algorithms/algorithms.h"

namespace wt::collective {

Schedule all_to_all_of(const Request& request, Rule rule) {
  Schedule schedule = schedule_of(Operation::all_to_all, request, std::int64_t{request.ranks} * request.ranks,
                                  std::move(rule));
  schedule.contract.cut.elements = request.ranks * request.elements;
  schedule.contract.cut.rows = request.ranks;
  return schedule;
}

Schedule direct_all_to_all(const Request& request) {
  const int n = request.ranks;
  return all_to_all_of(request, {1, [n](int, Round& moves) {
                                   for (int away = 1; away < n; ++away)
                                     for (int r = 0; r < n; ++r) {
                                       const int target = (r + away) % n;
                                       moves.copy(r, target, r * n + target);
                                     }
                                 }});
}

// Each rank sends to one rank and receives from one rank at a time.
Schedule pairwise_all_to_all(const Request& request) {
  const int n = request.ranks;
  return all_to_all_of(request, {n - 1, [n](int round, Round& moves) {
                                   for (int r = 0; r < n; ++r) {
                                     const int target = (r + round + 1) % n;
                                     moves.copy(r, target, r * n + target);
                                   }
                                 }});
}

// Messages go between neighbours only: chunks that haven't reached their target move one rank on in each
// round.
Schedule ring_all_to_all(const Request& request) {
  const int n = request.ranks;
  return all_to_all_of(request, {n - 1, [n](int round, Round& moves) {
                                   for (int r = 0; r < n; ++r) {
                                     const int source = modulo(r - round, n);
                                     const Chunks targets =
                                         Chunks::around(source + round + 1, n - 1 - round, n);
                                     moves.copy(r, (r + 1) % n, targets.shifted(source * n));
                                   }
                                 }});
}

}  // namespace wt::collective
