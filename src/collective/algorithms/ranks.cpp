// Lists of ranks, and powers of two.
#include "collective/algorithms/rules.h"

namespace wt::collective {

int power_of_two_in(int n) {
  int power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

int doublings_to(int n) {
  int count = 0;
  while ((1 << count) < n) ++count;
  return count;
}

std::vector<int> every(int first, int stride, int count) {
  std::vector<int> ranks;
  for (int i = 0; i < count; ++i) ranks.push_back(first + i * stride);
  return ranks;
}

std::vector<int> rotated(int n, int root) {
  std::vector<int> ranks;
  for (int i = 0; i < n; ++i) ranks.push_back((root + i) % n);
  return ranks;
}

Rule with_ranks_beyond(int n, const Chunks& whole, Rule rule) {
  const int power = power_of_two_in(n);
  if (power == n) return rule;
  const Rule give{1, [=](int, Round& moves) {
                    for (int r = power; r < n; ++r) moves.reduce(r, r - power, whole);
                  }};
  return then(give, then(std::move(rule), reversed(give, Effect::copy)));
}

}  // namespace wt::collective
