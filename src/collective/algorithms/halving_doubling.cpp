// Recursive halving and doubling: partners exchange halves of the part that they still work on, then gather
// in the opposite order (Rabenseifner, "Optimization of collective reduction operations", 2004; Thakur,
// Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005).
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

Schedule halving_doubling(const Request& request) {
  const int n = request.ranks, power = power_of_two_in(n);
  const Rule gather = doubling_all_gather(power);
  const Rule rule = then(reversed(gather, Effect::reduce), gather);
  return schedule_of(Operation::all_reduce, request, power, with_ranks_beyond(n, {0, power}, rule));
}

Schedule halving_reduce_scatter(const Request& request) {
  const Rule rule = reversed(doubling_all_gather(request.ranks), Effect::reduce);
  return schedule_of(Operation::reduce_scatter, request, request.ranks, rule);
}

}  // namespace wt::collective
