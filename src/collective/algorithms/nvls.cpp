// A switch that adds and multicasts (NVSwitch from the third generation on). Each rank asks it for the sum of
// its chunk, and gives the sum back for all to have: (n + 1) / n of the vector each way.
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

Rule to_switch(int n) {
  return {1, [n](int, Round& moves) {
            for (int r = 0; r < n; ++r) r == 0 ? moves.copy(r, n, {0, n}) : moves.reduce(r, n, {0, n});
          }};
}

}  // namespace

// What comes back passes through scratch slots: a rank's chunk waits in a register of its, and the switch
// keeps nothing.
Schedule nvls(const Request& request) {
  const int n = request.ranks;
  const Rule ask{1, [n](int, Round& moves) {
                   for (int r = 0; r < n; ++r) moves.copy(n, r, r, +n);
                 }};
  const Rule give{1, [n](int, Round& moves) {
                    for (int r = 0; r < n; ++r) moves.copy(r, n, n + r);
                  }};
  const Rule multicast{1, [n](int, Round& moves) {
                         for (int r = 0; r < n; ++r) moves.copy(n, r, {n, n}, -n);
                       }};
  Schedule schedule =
      schedule_of(Operation::all_reduce, request, n, then(to_switch(n), then(ask, then(give, multicast))));
  schedule.contract.helpers = 1;
  schedule.contract.scratch = n;
  return schedule;
}

Schedule nvls_reduce_scatter(const Request& request) {
  const int n = request.ranks;
  const Rule ask{1, [n](int, Round& moves) {
                   for (int r = 0; r < n; ++r) moves.copy(n, r, r);
                 }};
  Schedule schedule = schedule_of(Operation::reduce_scatter, request, n, then(to_switch(n), ask));
  schedule.contract.helpers = 1;
  return schedule;
}

Schedule nvls_all_gather(const Request& request) {
  const int n = request.ranks;
  const Rule give{1, [n](int, Round& moves) {
                    for (int r = 0; r < n; ++r) moves.copy(r, n, r);
                  }};
  const Rule multicast{1, [n](int, Round& moves) {
                         for (int r = 0; r < n; ++r)
                           for (int target = 0; target < n; ++target)
                             if (target != r) moves.copy(n, target, r);
                       }};
  Schedule schedule = schedule_of(Operation::all_gather, request, n, then(give, multicast));
  schedule.contract.helpers = 1;
  return schedule;
}

}  // namespace wt::collective
