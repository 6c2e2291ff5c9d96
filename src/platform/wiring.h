#pragma once
// One machine: its parts, the links between them, and the routes between its devices, hosts and NICs. The
// routes are found once, when the wiring is made, by the rules that platforms/README.md states. All machines
// of a platform share one wiring (platform/topology.h).
//
// A machine with two GPUs on the root ports of its CPU has 4 parts (gpu 0, gpu 1, host 0, socket 0) and 6
// links, two for each connection. A host is the memory of a socket, so data of GPU 0 reaches it by the links
// "gpu 0 -> socket 0" and "socket 0 -> host 0". Without peer-to-peer access, GPU 0 reaches GPU 1 through that
// memory, by four links.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/narrow.h"
#include "platform/description.h"
#include "platform/platform.h"

namespace wt::platform {

// A part at which routes begin or end. The numbers are: the devices, then the hosts, the NICs, and the chips
// (only if a device is one of several cores of a chip). A point has the same number as its part.
enum class Point : std::int32_t {};

enum class Part : std::uint8_t { device, host, nic, chip, socket, pcie_switch, nvlink_switch };

struct PartInfo {
  Part part{};
  std::int32_t index = 0;
  std::int32_t host = -1;  // the index of the socket to which the part belongs; -1: none
};

// A link as an edge of the graph of parts. Edges come in pairs: the edge in the opposite direction of `e` is
// `e ^ 1`.
struct Edge {
  std::int32_t from = 0;  // index of a part
  std::int32_t to = 0;    // index of a part
  Link link{};
  std::int32_t origin = 0;  // index of the place of its description, in Wiring::places_
};

class Wiring {
 public:
  struct Options {
    bool has_fabric = false;  // a fabric has the routes between devices, so the wiring has none
    int cores_per_chip = 1;
    std::optional<Wire> on_chip{};  // between a core and its chip; set if cores are devices
  };

  // Adds to `problems` what cannot be wired, and a part that no links join with host 0.
  Wiring(const MachineDescription& machine, const Options& options, Problems& problems);

  std::int32_t devices() const { return devices_; }
  std::int32_t hosts() const { return hosts_; }
  std::int32_t nics() const { return nics_; }
  std::int32_t links() const { return narrow<std::int32_t>(edges_.size()); }
  // The number of ports of a fabric: the chips if cores are devices, else the devices.
  std::int32_t ports() const { return chips_ > 0 ? chips_ : devices_; }

  Point device(std::int32_t index) const { return Point(index); }
  Point host(std::int32_t index) const { return Point(devices_ + index); }
  Point nic(std::int32_t index) const { return Point(devices_ + hosts_ + index); }
  bool is_device(Point point) const { return static_cast<std::int32_t>(point) < devices_; }
  std::int32_t port_of(Point device) const { return static_cast<std::int32_t>(device) / cores_per_chip_; }
  Point port(std::int32_t index) const {
    return chips_ > 0 ? Point(devices_ + hosts_ + nics_ + index) : Point(index);
  }

  std::int32_t host_of(Point device) const { return parts_[index(device)].host; }
  // For a device the device itself, for a host its first device, or device 0 if the host has none.
  Point device_of(Point point) const;
  // The NIC that is nearest to a device or host. Devices with the same nearest NICs are distributed evenly
  // over them. Requires: there are NICs.
  std::int32_t near_nic(Point point) const { return near_nic_[index(point)]; }
  // The first device whose near_nic this NIC is; -1: none.
  std::int32_t near_device(std::int32_t nic) const { return near_device_[static_cast<std::size_t>(nic)]; }
  // The link from a device to its machine's NVLink switch; -1: the machine has none. The link back has the
  // next number.
  std::int32_t up_to_switch(Point device) const {
    return to_switch_.empty() ? -1 : to_switch_[index(device)];
  }
  std::string nvlink_switch_name() const { return nvlink_switch_noun_; }
  // Whether the route between two devices consists of NVLink or xGMI links only.
  bool is_nvlink(Point from, Point to) const;

  // The links from one point to another, numbered from 0 in this machine. Empty from a point to itself.
  // Requires: there is no fabric, or the points are not both devices.
  std::span<const std::int32_t> route(Point from, Point to) const;

  const Link& link(std::int32_t link) const { return edges_[static_cast<std::size_t>(link)].link; }
  std::string name(std::int32_t link) const;  // "gpu 3 -> nvswitch"
  std::string name(Point point) const;        // "gpu 3", "host 1"

  // A warning for each connection that no route takes, at the place of its description.
  std::vector<Problem> idle() const;

 private:
  friend class WiringTree;
  friend class WiringRoutes;

  // A route: a range of pool_.
  struct Stretch {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
  };

  std::int32_t add_part(Part part, std::int32_t index, std::int32_t host = -1);
  std::int32_t connect(std::int32_t from, std::int32_t to, const Link& link, const Place& origin);
  std::int32_t connect(std::int32_t from, std::int32_t to, LinkKind kind, const Wire& wire);
  std::string name(const PartInfo& part) const;
  std::size_t slot(Point from, Point to) const;
  void store(Point from, Point to, std::span<const std::int32_t> links);

  std::int32_t devices_ = 0;
  std::int32_t hosts_ = 0;
  std::int32_t nics_ = 0;
  std::int32_t chips_ = 0;
  std::int32_t cores_per_chip_ = 1;
  std::string device_noun_{};
  std::string nvlink_switch_noun_{};
  bool has_fabric_ = false;
  std::vector<PartInfo> parts_{};
  std::vector<Edge> edges_{};
  std::vector<Place> places_{};            // where the links are described
  std::vector<Stretch> stretches_{};       // the routes, by slot()
  std::vector<std::int32_t> pool_{};       // the links of all routes, one route after the other
  std::vector<std::int32_t> to_switch_{};  // up_to_switch of each device, or empty
  std::vector<std::int32_t> near_nic_{};
  std::vector<std::int32_t> near_device_{};
  std::vector<Problem> idle_{};  // warnings for described connections that were not even built
};

}  // namespace wt::platform
