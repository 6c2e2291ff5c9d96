// platform/: described machines. A platform says which devices there are, where they sit, and which links lie
// between any two of them; `route` is the one source of routes, for every reader. It refuses to know plans,
// collectives and time. Files come in through platform/load.h and platform/formats/import.h. Read on in
// platform/topology.h, platform/wiring.h (inside a machine) and platform/fabric.h (between machines), then
// simulate/simulate.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "device/type.h"

namespace wt::platform {

// Where bytes come from and go to: the devices, in the order of machines and then of their indices, then the
// hosts (a CPU socket with its memory), in the same order, then the switches that add and multicast: NVLink's of
// the third generation on (of each machine, or of each domain of several), then those of an InfiniBand network
// of one or two levels, the leaves first.
enum class Endpoint : std::int32_t {};

// One direction of a wire, a switch's port or a memory bus.
enum class LinkId : std::int32_t {};

enum class LinkKind : std::uint8_t { nvlink, xgmi, ici, pcie, socket, host_memory, nic, network, on_chip };
std::string_view name(LinkKind kind);

struct Link {
  LinkKind kind{};
  BytesPerSecond bandwidth{};
  Seconds latency{};
};

// Empty from an endpoint to itself.
struct Route {
  std::vector<LinkId> links{};
  Seconds latency{};
  BytesPerSecond bottleneck{};
};

struct Slice;    // of a TPU pod; platform/slice.h
class Topology;  // machines and the networks between them; platform/topology.h

// A value that is cheap to copy: what was built is shared and never changes.
class Platform {
 public:
  Platform(std::string name, std::shared_ptr<const Topology> topology);

  // The same machines with links that carry so many times as much; latencies stay. Requires: above 0.
  Platform with_faster_links(double times) const;
  double link_speed() const { return link_speed_; }  // over what is described

  const std::string& name() const { return name_; }
  std::int32_t devices() const;
  std::int32_t machines() const;
  std::int32_t hosts() const;
  std::int32_t switches() const;  // that add
  std::int32_t links() const;

  Endpoint device(std::int32_t index) const;     // Requires: below devices().
  Endpoint host(std::int32_t index) const;       // Requires: below hosts().
  Endpoint switch_at(std::int32_t index) const;  // Requires: below switches().
  bool is_device(Endpoint endpoint) const { return index(endpoint) < static_cast<std::size_t>(devices()); }
  bool is_switch(Endpoint endpoint) const;
  std::int32_t machine_of(Endpoint endpoint) const;  // -1: a switch between machines
  Endpoint host_of(Endpoint device) const;           // the socket a device hangs on
  // The NVLink switch that adds what this device and its neighbours send; none where it can't, or there is none.
  std::optional<Endpoint> adder_of(Endpoint device) const;

  const device::DeviceType& type(Endpoint endpoint) const;  // of a host: a CPU; switches have none
  std::string name(Endpoint endpoint) const;                // "machine 1/gpu 3", "machine 0/host 1"
  Link link(LinkId link) const;
  std::int32_t machine_of(LinkId link) const;  // -1: it is between machines
  std::string name(LinkId link) const;         // "machine 1/gpu 3 -> nvswitch"; made when asked for

  const Slice* slice() const;  // null: no TPUs

  // Throws InputError when nothing leads there; between devices and hosts of platforms from files something does.
  // A switch that adds is joined with the devices at its ports, and a leaf with the spines above it: these are
  // the links that routes between devices have, too.
  Route route(Endpoint from, Endpoint to) const;
  bool joins(Endpoint from, Endpoint to) const;  // something leads there

  const Topology& topology() const { return *topology_; }  // for this folder

 private:
  std::int32_t adder_number(Endpoint endpoint) const;
  Route find_route(Endpoint from, Endpoint to) const;

  std::string name_;
  std::shared_ptr<const Topology> topology_;
  double link_speed_ = 1;
};

}  // namespace wt::platform
