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

double seconds_per_byte(BytesPerSecond rate) { return 1 / rate.count(); }

// The time per byte of the four copies. A rank on a host needs no copy to or from a device.
Seconds copies(const Group& group) {
  const Endpoint device = group.ranks.front();
  double sum = 2 * seconds_per_byte(constants().grpc.copy);
  if (!group.platform.is_device(device)) return Seconds(sum);
  const Endpoint host = group.platform.host_of(device);
  sum += seconds_per_byte(group.platform.route(device, host).bottleneck) +
         seconds_per_byte(group.platform.route(host, device).bottleneck);
  return Seconds(sum);
}

}  // namespace

Call own_moves(const Group& group) {
  Call call{.basis = "wires alone"};
  const std::optional<Endpoint> other = rank_elsewhere(group);
  if (!other || group.platform.slice() != nullptr || is_ideal(group)) return call;
  const BytesPerSecond wire = group.platform.route(group.ranks[0], *other).bottleneck;
  call.between = {.latency = constants().grpc.call,
                  .wire = std::max(1.0, wire / constants().grpc.connection),
                  .per_byte = copies(group)};
  call.basis = "a model of gRPC";
  return call;
}

}  // namespace wt::communication
