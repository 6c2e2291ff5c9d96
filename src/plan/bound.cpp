#include "plan/bound.h"

#include <algorithm>

namespace wt::plan {

namespace {

// Bytes that cross the border of a group, as shares of the vector.
struct Passing {
  double out = 0;
  double in = 0;
};

bool contains(const Side& group, int rank) {
  return std::ranges::find(group.ranks, rank) != group.ranks.end();
}

// The ranks of a group whose next rank isn't in it, of which there are as many as ranks whose previous one isn't.
double ends_of(const Side& group, int ranks) {
  return static_cast<double>(
      std::ranges::count_if(group.ranks, [&](int rank) { return !contains(group, (rank + 1) % ranks); }));
}

// The least that a group of ranks must send and receive.
Passing least(const collective::Contract& contract, const Side& group) {
  using enum collective::Operation;
  const double r = static_cast<double>(group.ranks.size()), n = contract.ranks;
  const double own = r / n, foreign = (n - r) / n;
  const bool has_root = contains(group, contract.root);
  switch (contract.operation) {
    case all_reduce:
      return {1, 1};
    case reduce_scatter:
      return {foreign, own};
    case all_gather:
      return {own, foreign};
    case broadcast:
      return has_root ? Passing{1, 0} : Passing{0, 1};
    case reduce:
      return has_root ? Passing{0, 1} : Passing{1, 0};
    case gather:
      return has_root ? Passing{0, foreign} : Passing{own, 0};
    case scatter:
      return has_root ? Passing{foreign, 0} : Passing{0, own};
    case all_to_all:
      return {r * foreign, r * foreign};
    case sendrecv:
      return {ends_of(group, contract.ranks), ends_of(group, contract.ranks)};
  }
  return {};
}

// The least that k groups must send together, as a share of the vector. It is 0 where the sum over least()
// says as much.
double least_together(collective::Operation operation, double k) {
  using enum collective::Operation;
  if (operation == all_reduce) return 2 * (k - 1);
  return operation == broadcast || operation == reduce ? k - 1 : 0;
}

}  // namespace

Seconds bound(const collective::Contract& contract, Bytes bytes, std::span<const Side> groups) {
  if (!contract.left_out.empty() || groups.size() < 2) return Seconds(0);
  double most = 0, out = 0, in = 0;
  for (const Side& group : groups) {
    const Passing share = least(contract, group);
    most = std::max({most, share.out / group.out.count(), share.in / group.in.count()});
    out += group.out.count();
    in += group.in.count();
  }
  if (contract.helpers == 0)
    most = std::max(
        most, least_together(contract.operation, static_cast<double>(groups.size())) / std::min(out, in));
  return Seconds(most * static_cast<double>(bytes.count()));
}

}  // namespace wt::plan
