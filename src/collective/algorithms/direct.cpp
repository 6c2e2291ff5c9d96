// Every rank sends to every other in the same round. One-shot and two-shot are what TensorRT-LLM calls its
// all-reduce kernels of this form.
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

// Each rank begins with its next neighbour, so that not all send to rank 0 first.
Rule direct_all_gather(int n) {
  return {1, [n](int, Round& moves) {
            for (int away = 1; away < n; ++away)
              for (int r = 0; r < n; ++r) moves.copy(r, (r + away) % n, r);
          }};
}

// Each rank adds all vectors by itself. It does so in the order of ranks, so that all ranks get the same
// bits; therefore the sum is built in a scratch slot and then copied back.
Schedule one_shot(const Request& request) {
  const int n = request.ranks;
  const Rule gather{1, [n](int, Round& moves) {
                      for (int source = 0; source < n; ++source)
                        for (int r = 0; r < n; ++r)
                          source == 0 ? moves.copy(source, r, 0, +1) : moves.reduce(source, r, 0, +1);
                    }};
  const Rule put_back{1, [n](int, Round& moves) {
                        for (int r = 0; r < n; ++r) moves.copy(r, r, 1, -1);
                      }};
  Schedule schedule = schedule_of(Operation::all_reduce, request, 1, then(gather, put_back));
  schedule.contract.scratch = 1;
  return schedule;
}

Schedule two_shot(const Request& request) {
  const Rule gather = direct_all_gather(request.ranks);
  return schedule_of(Operation::all_reduce, request, request.ranks,
                     then(reversed(gather, Effect::reduce), gather));
}

Schedule direct_all_gather(const Request& request) {
  return schedule_of(Operation::all_gather, request, request.ranks, direct_all_gather(request.ranks));
}

Schedule direct_reduce_scatter(const Request& request) {
  return schedule_of(Operation::reduce_scatter, request, request.ranks,
                     reversed(direct_all_gather(request.ranks), Effect::reduce));
}

}  // namespace wt::collective
