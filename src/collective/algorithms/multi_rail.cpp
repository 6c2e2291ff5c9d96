// A ring for each rail, which is the network that joins the NICs of equal ranks of all machines. Ring j
// enters and leaves machines by rank j or the rank before it. It passes every second machine backwards, so
// that it crosses between equal ranks of neighbouring machines and stays on its rail (with an odd number of
// machines it changes rails once). Where several ranks of a machine share a NIC, `lanes` is the number of rails. The
// caller may instead give the orders of rings that it found in a machine (communication/rings.cpp).
//
// A broadcast passes along each ring from the root on, as far as the rank before the root. Each ring carries its own part
// of the vector, in segments that follow each other. A reduction goes the other way. Where the root is inside of its
// machine's part of a ring, the chain ends in the root's machine, as NCCL's does (runRing in src/device/broadcast.h).
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/narrow.h"
#include "collective/algorithms/algorithms.h"
#include "collective/algorithms/rules.h"

namespace wt::collective {

namespace {

std::vector<int> order_of(int rail, int size, int n) {
  std::vector<int> order;
  for (int place = 0; place < n; ++place) {
    const int machine = place / size, step = place % size;
    const int inside = machine % 2 == 0 ? rail + step : rail + size - 1 - step;
    order.push_back(machine * size + inside % size);
  }
  return order;
}

std::vector<std::vector<int>> orders_of(const Request& request) {
  if (!request.orders.empty()) return request.orders;
  const int size = shape_of(request, 2)[0];
  const int lanes = request.options.lanes == 0 ? size : request.options.lanes;
  if (lanes > size)
    throw InputError(fmt::format("{} lanes are more than the {} ranks of a machine", lanes, size),
                     fmt::format("give lanes from 1 to {}", size));
  std::vector<std::vector<int>> orders;
  for (int lane = 0; lane < lanes; ++lane) {
    const auto rail = static_cast<int>(std::int64_t{lane} * size / lanes);
    orders.push_back(order_of(rail, size, request.ranks));
  }
  return orders;
}

// An all-gather around the ring of this order, of the lane's share of each rank's part. Which rank owns a
// part doesn't depend on the order.
Rule lane_gather(std::vector<int> order, int lane, int lanes) {
  const int n = narrow<int>(order.size());
  return alike(n - 1, [=, order = std::move(order)](int round, Round& moves) {
    const auto rank = [&](int place) { return order[static_cast<std::size_t>(modulo(place, n))]; };
    for (int place = 0; place < n; ++place)
      moves.copy(rank(place), rank(place + 1), rank(place - round) * lanes + lane);
  });
}

Schedule gathered(Operation operation, const Request& request) {
  const std::vector<std::vector<int>> orders = orders_of(request);
  const int lanes = narrow<int>(orders.size());
  std::vector<Rule> rails;
  for (int lane = 0; lane < lanes; ++lane)
    rails.push_back(lane_gather(orders[static_cast<std::size_t>(lane)], lane, lanes));
  return schedule_of(operation, request, std::int64_t{request.ranks} * lanes, together(std::move(rails)));
}

// The broadcast along the ring of this order, from the root on.
Rule lane_broadcast(std::vector<int> order, int root) {
  std::rotate(order.begin(), std::ranges::find(order, root), order.end());
  const int n = narrow<int>(order.size());
  return among(std::move(order), tree_broadcast(chain_parents(n), 0));
}

Schedule in_chains(Operation operation, const Request& request) {
  const int segments = request.options.segments;
  std::vector<Rule> rails;
  for (std::vector<int>& order : orders_of(request)) {
    Rule chain = lane_broadcast(std::move(order), request.root);
    if (operation == Operation::reduce) chain = reversed(std::move(chain), Effect::reduce);
    rails.push_back(on_chunks(segments * std::ssize(rails), pipelined(std::move(chain), segments)));
  }
  const std::int64_t chunks = segments * std::ssize(rails);
  return schedule_of(operation, request, chunks, together(std::move(rails)));
}

}  // namespace

Schedule multi_rail(const Request& request) {
  const int n = request.ranks;
  const Rule ring = then(ring_reduce_scatter(n), ring_all_gather(n));
  std::vector<Rule> rails;
  for (std::vector<int>& order : orders_of(request))
    rails.push_back(on_chunks(n * std::ssize(rails), among(std::move(order), ring)));
  const std::int64_t chunks = n * std::ssize(rails);
  return schedule_of(Operation::all_reduce, request, chunks, together(std::move(rails)));
}

Schedule multi_rail_all_gather(const Request& request) { return gathered(Operation::all_gather, request); }

Schedule multi_rail_reduce_scatter(const Request& request) {
  Schedule schedule = gathered(Operation::reduce_scatter, request);
  schedule.rule = reversed(std::move(schedule.rule), Effect::reduce);
  return schedule;
}

Schedule multi_rail_broadcast(const Request& request) { return in_chains(Operation::broadcast, request); }

Schedule multi_rail_reduce(const Request& request) { return in_chains(Operation::reduce, request); }

}  // namespace wt::collective
