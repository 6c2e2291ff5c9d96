// platform/ describes machines: which devices they have, where the devices sit, and which links lie between
// any two of them. A platform is data, read from a JSON file. This one describes two DGX-1:
//
//   {
//     "machine": {
//       "devices": {"type": "v100_sxm2_16", "count": 8},
//       "hosts": {...}, "pcie": {...}, "nvlink": {...}, "nics": {...}
//     },
//     "machines": 2,
//     "network": {"type": "switch"}
//   }
//
// `route(from, to)` answers what every reader of a platform needs: the links that a transfer crosses, the sum
// of their latencies and the lowest of their bandwidths. Between GPU 0 of machine 0 and GPU 0 of machine 1
// these are the three links
//
//   machine 0/gpu 0 -> pcie switch 0,  machine 0/pcie switch 0 -> nic 0,  machine 0/nic 0 -> switch
//
// and their three counterparts in machine 1. Routes are static: they follow from the description by the rules
// that platforms/README.md states, and never depend on traffic.
//
// What must hold: a route joins every two devices and hosts (reading a file checks it), and each link is one
// direction of a physical connection. Nothing here depends on plans, collectives or time: simulate/ computes
// how concurrent transfers share links.
//
// Where NCCL has a rule (how far peer-to-peer access reaches, when a message goes through another GPU's NIC),
// this folder follows it (NVIDIA/nccl, src/graph/paths.cc). Rates are measured or from data sheets; each
// platform file names the source of every constant.
//
// Read next: platform/load.h (files), platform/topology.h (all machines), platform/wiring.h (inside a
// machine), platform/fabric.h (between machines), then simulate/simulate.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "device/type.h"
#include "platform/calibration.h"

namespace wt::platform {

// A place where data starts or arrives. The numbers of one platform are, without gaps:
//   1. the devices, machine by machine, in each machine by index;
//   2. the hosts (CPU sockets with their memory), in the same order;
//   3. the switches that add and multicast: first NVLink switches (one for each machine, or for each NVLink
//      domain of several machines), then the leaves and then the spines of an InfiniBand network of one or
//      two levels.
enum class Endpoint : std::int32_t {};

// One direction of a wire, of a switch's port or of a memory bus, numbered from 0 without gaps.
enum class LinkId : std::int32_t {};

enum class LinkKind : std::uint8_t { nvlink, xgmi, ici, pcie, socket, host_memory, nic, network, on_chip };
std::string_view name(LinkKind kind);  // "nvlink"

// The bandwidth is the payload rate: the line rate times the share of it that large messages get.
struct Link {
  LinkKind kind{};
  BytesPerSecond bandwidth{};
  Seconds latency{};
};

// The links that a transfer crosses, in order. The route from an endpoint to itself is empty.
struct Route {
  std::vector<LinkId> links{};
  Seconds latency{};            // the sum over the links
  BytesPerSecond bottleneck{};  // the lowest bandwidth of a link
};

struct Slice;    // a slice of a TPU pod; platform/slice.h
class Topology;  // machines and the networks between them; platform/topology.h

// The described machines. Copies are cheap: they share one topology, which never changes.
class Platform {
 public:
  // `written` is a text from which the machines follow, as in a file; empty: none is known.
  Platform(std::string name, std::shared_ptr<const Topology> topology, std::string written = {},
           const std::optional<Calibration>& calibration = {});

  // The same machines, with the bandwidth of every link multiplied by `times`. Latencies stay the same.
  // Requires: times > 0.
  Platform with_faster_links(double times) const;
  double link_speed() const { return link_speed_; }  // the product of all `times`; 1 as described

  // The same machines, in which some links carry fewer bytes per second, by these factors: a cable that was plugged in
  // badly, or a neighbour's traffic. Requires: factors of at least 1.
  Platform with_slower_links(std::map<LinkId, double> factors) const;

  // Whether both are known to be the same machines: copies of one platform, or read from equal texts.
  bool is_same(const Platform& other) const;

  // The same machines, whose predicted times are corrected by these measurements.
  Platform with_calibration(Calibration calibration) const;
  const Calibration* calibration() const {
    return calibration_.get();
  }  // null: the platform has no such section

  const std::string& name() const { return name_; }
  std::int32_t devices() const;
  std::int32_t machines() const;
  std::int32_t hosts() const;
  std::int32_t switches() const;  // only those that add and multicast, which are endpoints
  std::int32_t links() const;

  Endpoint device(std::int32_t index) const;     // Requires: 0 <= index < devices().
  Endpoint host(std::int32_t index) const;       // Requires: 0 <= index < hosts().
  Endpoint switch_at(std::int32_t index) const;  // Requires: 0 <= index < switches().
  bool is_device(Endpoint endpoint) const { return index(endpoint) < static_cast<std::size_t>(devices()); }
  bool is_switch(Endpoint endpoint) const;
  std::int32_t machine_of(Endpoint endpoint) const;  // -1: a switch between machines
  std::vector<Endpoint> devices_of(std::int32_t machine) const;
  std::vector<Endpoint> hosts_of(std::int32_t machine) const;
  // Machines of one group are equal copies; of unlike machines the groups are numbered from 0.
  std::int32_t group_of(std::int32_t machine) const;
  Endpoint host_of(Endpoint device) const;  // the CPU socket that the device is attached to
  // The NVLink switch that can add what this device and its neighbours send (NVLink SHARP). None if the
  // device has no NVLink switch, or one that cannot add.
  std::optional<Endpoint> adder_of(Endpoint device) const;

  // The product that a device is, or the CPU of a host. Requires: the endpoint is no switch.
  const device::DeviceType& type(Endpoint endpoint) const;
  std::string name(Endpoint endpoint) const;  // "machine 1/gpu 3", "machine 0/host 1"
  Link link(LinkId link) const;
  std::int32_t machine_of(LinkId link) const;  // -1: the link lies between machines
  std::string name(LinkId link) const;         // "machine 1/gpu 3 -> nvswitch"; composed at each call

  const Slice* slice() const;  // null if the devices are no TPUs

  // Throws InputError if no links join the two endpoints. Devices and hosts are joined with each other. A
  // switch that adds is joined with the devices at its ports, and a leaf with the spines above it. These
  // links also belong to the routes between devices, so transfers of both kinds share them.
  Route route(Endpoint from, Endpoint to) const;
  bool joins(Endpoint from, Endpoint to) const;  // whether route(from, to) exists

  const Topology& topology() const { return *topology_; }  // for the other files of this folder

 private:
  std::int32_t adder_number(Endpoint endpoint) const;
  Route find_route(Endpoint from, Endpoint to) const;
  double slowness_of(LinkId link) const;

  std::string name_;
  std::shared_ptr<const Topology> topology_;
  std::shared_ptr<const std::string> written_;
  std::shared_ptr<const Calibration> calibration_{};
  double link_speed_ = 1;
  std::shared_ptr<const std::map<LinkId, double>> slower_{};  // null: none
};

}  // namespace wt::platform
