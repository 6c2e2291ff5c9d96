// Recursive doubling whose partners stay near each other on a torus: at distances 1, 1, 3, 5, 11, 21, ...,
// alternately on both sides (De Sensi, Bonato, Saam and Hoefler, "Swing: short-cutting rings for higher
// bandwidth allreduce", 2024).
#include <algorithm>

#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

int partner(int rank, int step, int n) {
  int power = 1;  // (-2)^(step + 1)
  for (int i = 0; i <= step; ++i) power *= -2;
  const int distance = (1 - power) / 3;
  return modulo(rank % 2 == 0 ? rank + distance : rank - distance, n);
}

// The chunks, ascending, that a rank has gathered when the steps from the last one down to `step` are done.
std::vector<int> gathered(int rank, int step, int n) {
  std::vector<int> chunks{rank};
  for (int s = step; s < doublings_to(n); ++s)
    for (std::size_t i = 0, count = chunks.size(); i < count; ++i) chunks.push_back(partner(chunks[i], s, n));
  std::sort(chunks.begin(), chunks.end());
  chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
  return chunks;
}

}  // namespace

// Far partners exchange first. If n is no power of two, partners may have chunks in common, which are not
// sent again.
Rule swing_all_gather(int n) {
  const int steps = doublings_to(n);
  return {steps, [=](int round, Round& moves) {
            const int step = steps - 1 - round;
            for (int r = 0; r < n; ++r) {
              const int other = partner(r, step, n);
              const std::vector<int> own = gathered(r, step + 1, n), theirs = gathered(other, step + 1, n);
              std::vector<int> lacking;
              std::set_difference(own.begin(), own.end(), theirs.begin(), theirs.end(),
                                  std::back_inserter(lacking));
              if (!lacking.empty()) moves.copy(r, other, Chunks::of(std::move(lacking)));
            }
          }};
}

Schedule swing(const Request& request) {
  const Rule gather = swing_all_gather(request.ranks);
  return schedule_of(Operation::all_reduce, request, request.ranks,
                     then(reversed(gather, Effect::reduce), gather));
}

}  // namespace wt::collective
