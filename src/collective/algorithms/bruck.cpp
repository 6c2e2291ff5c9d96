// Bruck's algorithms take log2 n rounds, rounded up, for any number n of ranks, because messages wrap around
// the last rank (Bruck, Ho, Kipnis, Upfal and Weathersby, "Efficient algorithms for all-to-all communications
// in multiport message-passing systems", 1997).
#include <algorithm>

#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

// Before round i, rank r has the chunks of ranks r to r + 2^i - 1, modulo n.
Rule bruck_all_gather(int n) {
  return {doublings_to(n), [n](int round, Round& moves) {
            const int distance = 1 << round;
            for (int r = 0; r < n; ++r)
              moves.copy(r, modulo(r - distance, n), Chunks::around(r, std::min(distance, n - distance), n));
          }};
}

Schedule bruck(const Request& request) {
  const Rule gather = bruck_all_gather(request.ranks);
  return schedule_of(Operation::all_reduce, request, request.ranks,
                     then(reversed(gather, Effect::reduce), gather));
}

Schedule bruck_all_gather(const Request& request) {
  return schedule_of(Operation::all_gather, request, request.ranks, bruck_all_gather(request.ranks));
}

Schedule bruck_reduce_scatter(const Request& request) {
  return schedule_of(Operation::reduce_scatter, request, request.ranks,
                     reversed(bruck_all_gather(request.ranks), Effect::reduce));
}

// A chunk whose target is `way` ranks ahead moves by the bits of `way`, the lowest bit first.
Schedule bruck_all_to_all(const Request& request) {
  const int n = request.ranks;
  return all_to_all_of(request, {doublings_to(n), [n](int round, Round& moves) {
                                   const int distance = 1 << round;
                                   for (int r = 0; r < n; ++r) {
                                     std::vector<int> chunks;
                                     for (int way = 1; way < n; ++way) {
                                       if ((way & distance) == 0) continue;
                                       const int source = modulo(r - way % distance, n);
                                       chunks.push_back(source * n + (source + way) % n);
                                     }
                                     moves.copy(r, (r + distance) % n, Chunks::of(std::move(chunks)));
                                   }
                                 }});
}

}  // namespace wt::collective
