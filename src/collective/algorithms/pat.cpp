// Parallel aggregated trees, which are Bruck's rounds in reverse order. Each chunk goes down a binomial tree
// from its owner, to the farthest rank first, so that few bytes travel over long distances. The trees of all
// chunks work at once (Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale",
// 2025; in NCCL since 2.23).
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

// In the tree of a chunk, a rank is identified by `behind`, its distance from the owner of the chunk.
Rule pat_all_gather(int n) {
  const int rounds = doublings_to(n);
  return {rounds, [=](int round, Round& moves) {
            const int distance = 1 << (rounds - 1 - round);
            for (int r = 0; r < n; ++r) {
              std::vector<int> chunks;
              for (int behind = 0; behind + distance < n; behind += 2 * distance)
                chunks.push_back(modulo(r - behind, n));
              moves.copy(r, (r + distance) % n, Chunks::of(std::move(chunks)));
            }
          }};
}

Schedule pat_all_gather(const Request& request) {
  return schedule_of(Operation::all_gather, request, request.ranks, pat_all_gather(request.ranks));
}

Schedule pat_reduce_scatter(const Request& request) {
  return schedule_of(Operation::reduce_scatter, request, request.ranks,
                     reversed(pat_all_gather(request.ranks), Effect::reduce));
}

}  // namespace wt::collective
