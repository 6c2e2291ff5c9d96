// Each rank receives from one neighbour and sends to the other (Patarasuk and Yuan, "Bandwidth optimal
// all-reduce algorithms for clusters of workstations", 2009).
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

// Chunk c starts at rank c + 1, adds the value of every rank on its way, and ends at rank c.
Rule ring_reduce_scatter(int n) {
  return alike(n - 1, [n](int round, Round& moves) {
    for (int r = 0; r < n; ++r) moves.reduce(r, (r + 1) % n, modulo(r - 1 - round, n));
  });
}

// Chunk c starts at rank c.
Rule ring_all_gather(int n) {
  return alike(n - 1, [n](int round, Round& moves) {
    for (int r = 0; r < n; ++r) moves.copy(r, (r + 1) % n, modulo(r - round, n));
  });
}

Schedule ring(const Request& request) {
  const int n = request.ranks;
  return schedule_of(Operation::all_reduce, request, n, then(ring_reduce_scatter(n), ring_all_gather(n)));
}

Schedule ring_reduce_scatter(const Request& request) {
  return schedule_of(Operation::reduce_scatter, request, request.ranks, ring_reduce_scatter(request.ranks));
}

Schedule ring_all_gather(const Request& request) {
  return schedule_of(Operation::all_gather, request, request.ranks, ring_all_gather(request.ranks));
}

}  // namespace wt::collective
