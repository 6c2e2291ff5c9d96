// Bruck's rounds the other way round: each chunk goes down a binomial tree from its owner, to the farthest
// rank first, so that long distances are travelled by little data, and all trees work at once (Jeaugey, "PAT:
// a new algorithm for all-gather and reduce-scatter operations at scale", 2025; NCCL since 2.23).
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

// In a chunk's tree, ranks are told by how far they stand behind its owner.
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
