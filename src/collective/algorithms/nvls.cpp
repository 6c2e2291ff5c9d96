// NCCL's NVLS: a switch that adds and multicasts (NVSwitch from the third generation on). Each rank reads the
// sum of its chunk from the switch, and writes it back to the switch, which multicasts it to all ranks. So (n
// + 1) / n of the vector passes the port of a rank in each direction. That is done in loops over parts of the
// vector that follow each other.
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

Rule to_switch(int n) {
  return {1, [n](int, Round& moves) {
            for (int r = 0; r < n; ++r) r == 0 ? moves.copy(r, n, {0, n}) : moves.reduce(r, n, {0, n});
          }};
}

Schedule with_switch(Operation operation, const Request& request, Rule rule) {
  const std::int64_t chunks = std::int64_t{request.options.segments} * request.ranks;
  Schedule schedule = schedule_of(operation, request, chunks, std::move(rule));
  schedule.contract.helpers = 1;
  return schedule;
}

}  // namespace

// The sums that come back pass through scratch slots. In a rank these stand for registers; in the switch they
// keep the results apart from the values that are being added.
Schedule nvls(const Request& request) {
  const int n = request.ranks, loops = request.options.segments;
  const int scratch = count_of_chunks(request, std::int64_t{n} * loops);
  const Rule ask{1, [=](int, Round& moves) {
                   for (int r = 0; r < n; ++r) moves.copy(n, r, r, +scratch);
                 }};
  const Rule give{1, [=](int, Round& moves) {
                    for (int r = 0; r < n; ++r) moves.copy(r, n, scratch + r);
                  }};
  const Rule multicast{1, [=](int, Round& moves) {
                         for (int r = 0; r < n; ++r) moves.copy(n, r, {scratch, n}, -scratch);
                       }};
  const Rule loop = then(to_switch(n), then(ask, then(give, multicast)));
  Schedule schedule = with_switch(Operation::all_reduce, request, looped(loop, loops, n));
  schedule.contract.scratch = schedule.contract.cut.chunks;
  return schedule;
}

// In reduce-scatter and all-gather each rank owns a chunk, and a loop works on a segment of every chunk.
Schedule nvls_reduce_scatter(const Request& request) {
  const int n = request.ranks;
  const Rule ask{1, [n](int, Round& moves) {
                   for (int r = 0; r < n; ++r) moves.copy(n, r, r);
                 }};
  return with_switch(Operation::reduce_scatter, request,
                     pipelined(then(to_switch(n), ask), request.options.segments));
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
  return with_switch(Operation::all_gather, request,
                     pipelined(then(give, multicast), request.options.segments));
}

}  // namespace wt::collective
