// Pipelined chains: the vector passes from neighbour to neighbour in segments that follow each other.
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

Rule broadcast_from(const Request& request) {
  return among(rotated(request.ranks, request.root), tree_broadcast(chain_parents(request.ranks), 0));
}

Schedule in_segments(Operation operation, const Request& request, const Rule& rule) {
  const int segments = request.options.segments;
  return schedule_of(operation, request, segments, pipelined(rule, segments));
}

}  // namespace

Schedule chain(const Request& request) {
  const Rule broadcast = broadcast_from(request);
  return in_segments(Operation::all_reduce, request, then(reversed(broadcast, Effect::reduce), broadcast));
}

Schedule chain_broadcast(const Request& request) {
  return in_segments(Operation::broadcast, request, broadcast_from(request));
}

Schedule chain_reduce(const Request& request) {
  return in_segments(Operation::reduce, request, reversed(broadcast_from(request), Effect::reduce));
}

}  // namespace wt::collective
