// TensorFlow's HierarchicalCopyAllReduce (tensorflow/python/distribute/cross_device_utils.py), made for the
// two quads of a DGX-1. Each half of the devices is added up on a main device, the two main devices add their
// sums, and each sends the total to its half. The vector is cut into packs, whose main devices differ.
#include "collective/algorithms/algorithms.h"

namespace wt::collective {

namespace {

// Devices first to end - 1 are added on main, which may lie outside of them.
struct Half {
  int main = 0, first = 0, end = 0;
  bool has(int rank) const { return first <= rank && rank < end; }
};

// TensorFlow rounds half of an odd number of devices down for both halves, so the last device belongs to
// neither. Unless `faithful`, the upper half takes it, and each main device belongs to its own half.
std::vector<Half> halves_of(int pack, int n, bool faithful) {
  const int half = n / 2, end = faithful ? 2 * half : n;
  const int main = pack % n;
  const bool low = main < half;
  const int other = faithful ? (main + half) % n : low ? main + half : (main - half) % half;
  const Half lower{low ? main : other, 0, half}, upper{low ? other : main, half, end};
  return low ? std::vector<Half>{lower, upper} : std::vector<Half>{upper, lower};
}

// A main device outside of its half has no part in the sum, which begins with the value of the half's first
// device.
void add_up(const Half& half, int pack, Round& moves) {
  for (int r = half.first; r < half.end; ++r) {
    if (r == half.main) continue;
    const bool starts = r == half.first && !half.has(half.main);
    starts ? moves.copy(r, half.main, pack) : moves.reduce(r, half.main, pack);
  }
}

void add_pack(int round, int pack, const std::vector<Half>& halves, int n, Round& moves) {
  const int main = halves[0].main, other = halves[1].main;
  if (round == 0)
    for (const Half& half : halves) add_up(half, pack, moves);
  if (round == 1) moves.reduce(other, main, pack);
  if (round == 2) moves.copy(main, other, pack);
  if (round == 3)
    for (int r = 0; r < n; ++r)
      if (r != main && r != other) moves.copy(halves[0].has(r) ? main : other, r, pack);
}

}  // namespace

Schedule hierarchical_copy(const Request& request) {
  const int n = request.ranks, packs = request.options.packs;
  const bool faithful = request.options.faithful;
  const Rule rule{4, [=](int round, Round& moves) {
                    for (int pack = 0; pack < packs; ++pack)
                      add_pack(round, pack, halves_of(pack, n, faithful), n, moves);
                  }};
  Schedule schedule = schedule_of(Operation::all_reduce, request, packs, rule);
  schedule.contract.cut.per_chunk = packs > 1 ? std::max<std::int64_t>(1, request.elements / packs) : 0;
  if (faithful && n % 2 == 1 && n > 1) schedule.contract.left_out = {n - 1};
  return schedule;
}

}  // namespace wt::collective
