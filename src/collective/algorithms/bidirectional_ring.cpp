// Two rings in opposite directions with half of the vector each, so that both directions of every link are
// used.
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

Schedule bidirectional_ring(const Request& request) {
  const int n = request.ranks;
  const Rule ring = then(ring_reduce_scatter(n), ring_all_gather(n));
  std::vector<int> backwards;
  for (int r = 0; r < n; ++r) backwards.push_back(n - 1 - r);
  return schedule_of(Operation::all_reduce, request, std::int64_t{2} * n,
                     together({ring, on_chunks(n, among(backwards, ring))}));
}

}  // namespace wt::collective
