// Every rank sends its vector to the next one at once, as stages of a pipeline do and as sendrecv_perf of nccl-tests
// measures it. Chunk r is the vector that rank r sends.
#include "collective/algorithms/algorithms.h"

namespace wt::collective {

Schedule direct_sendrecv(const Request& request) {
  const int n = request.ranks;
  Schedule schedule = schedule_of(Operation::sendrecv, request, n, {n > 1 ? 1 : 0, [n](int, Round& moves) {
                                                                      for (int r = 0; r < n; ++r)
                                                                        moves.copy(r, (r + 1) % n, r);
                                                                    }});
  schedule.contract.cut.elements = n * request.elements;
  schedule.contract.cut.rows = n;
  return schedule;
}

}  // namespace wt::collective
