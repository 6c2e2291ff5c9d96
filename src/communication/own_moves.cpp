#include "communication/own_moves.h"

#include <algorithm>

#include "communication/constants.h"
#include "communication/fabric.h"

namespace wt::communication {

namespace {

using platform::Endpoint;

// A rank on another machine than the first rank, if there is one.
std::optional<Endpoint> rank_elsewhere(const Group& group) {
  const platform::Platform& platform = group.platform;
  const auto found = std::ranges::find_if(group.ranks, [&](Endpoint rank) {
    return platform.machine_of(rank) != platform.machine_of(group.ranks[0]);
  });
  return found == group.ranks.end() ? std::nullopt : std::optional(*found);
}

bool is_ideal(const Group& group) {
  return group.platform.is_device(group.ranks[0]) &&
         hardware_of(group).fabric.inside == collective::Inside::ideal;
}

// The time per byte of the copies from a device to its host and back. A rank on a host needs none.
Seconds copies(const Group& group) {
  const Endpoint device = group.ranks.front();
  if (!group.platform.is_device(device)) return {};
  const Endpoint host = group.platform.host_of(device);
  return Seconds(1 / group.platform.route(device, host).bottleneck.count() +
                 1 / group.platform.route(host, device).bottleneck.count());
}

}  // namespace

Call own_moves(const Group& group) {
  Call call{.basis = "wires alone"};
  const std::optional<Endpoint> other = rank_elsewhere(group);
  if (!other || group.platform.slice() != nullptr || is_ideal(group)) return call;
  const platform::Route route = group.platform.route(group.ranks[0], *other);
  const Transfer& software = constants().grpc.ring;
  // Software passes bytes on one after the other, also those of messages that are on their way at once: in the
  // measurements two halves of a large message, as TensorFlow sends them, took no less time than the whole. So
  // its time per byte occupies the wire.
  call.between = {.latency = route.latency + software.latency,
                  .wire = 1 + software.per_byte() / Seconds(1 / route.bottleneck.count()),
                  .per_byte = copies(group)};
  call.basis = basis_of_grpc;
  return call;
}

}  // namespace wt::communication
