// A ring for each rail: ring j leaves its machines by rank j or the one before it, and every second machine
// is passed backwards, so that a ring crosses between equal ranks and stays on its rail (where machines are
// an even number; else it changes once).
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

Schedule multi_rail(const Request& request) {
  const std::vector<int> shape = shape_of(request, 2);
  const int n = request.ranks, size = shape[0];
  const Rule ring = then(ring_reduce_scatter(n), ring_all_gather(n));
  std::vector<Rule> rails;
  for (int rail = 0; rail < size; ++rail) {
    std::vector<int> order;
    for (int place = 0; place < n; ++place) {
      const int machine = place / size, step = place % size;
      const int inside = machine % 2 == 0 ? rail + step : rail + size - 1 - step;
      order.push_back(machine * size + inside % size);
    }
    rails.push_back(on_chunks(rail * n, among(order, ring)));
  }
  return schedule_of(Operation::all_reduce, request, size * n, together(std::move(rails)));
}

}  // namespace wt::collective
