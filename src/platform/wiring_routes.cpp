// The routes of a machine, by the rules that platforms/README.md states. The tree of PCIe, sockets and
// memories is complete when this step begins. First the near NICs are determined and the tree's paths are
// found, then the route of each pair of points is either a path over the tree, a path over NVLinks, or two
// paths over the tree that meet in a host's memory.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/narrow.h"
#include "platform/wiring_steps.h"

namespace wt::platform {

class WiringRoutes {
 public:
  WiringRoutes(Wiring& wiring, const MachineDescription& machine, const Wiring::Options& options,
               Problems& problems)
      : wiring_(wiring),
        machine_(machine),
        options_(options),
        problems_(problems),
        ways_(wiring.parts_.size(), wiring.edges_) {}

  void build() {
    add_nvlink();
    find_near_nics();
    store_routes();
  }

 private:
  std::int32_t host(std::int32_t socket) const { return static_cast<std::int32_t>(wiring_.host(socket)); }

  // ---- Paths over the tree

  static Ways::Path reversed(const Ways::Path& forward) {
    Ways::Path links;
    for (auto edge = forward.rbegin(); edge != forward.rend(); ++edge) links.push_back(*edge ^ 1);
    return links;
  }

  // How far a path over the tree reaches: it passes neither a switch nor a socket, switches only, one socket,
  // or several sockets.
  Reach reach_of(const Ways::Path& path) const {
    int sockets = 0;
    int switches = 0;
    for (const std::int32_t edge : path) {
      const Part part = wiring_.parts_[at(wiring_.edges_[at(edge)].to)].part;
      sockets += part == Part::socket ? 1 : 0;
      switches += part == Part::pcie_switch ? 1 : 0;
    }
    if (sockets > 1) return Reach::machine;
    if (sockets == 1) return Reach::socket;
    return switches > 0 ? Reach::below_switch : Reach::none;
  }

  // ---- NVLink and xGMI

  void add_nvlink() {
    if (options_.has_fabric) {
      for (const auto& nvlink : {machine_.nvlink, machine_.xgmi}) {
        if (nvlink)
          wiring_.idle_.push_back({nvlink->wire.place, "these links are unused: the fabric joins the devices",
                                   "leave out these links or the fabric"});
      }
      return;
    }
    direct_.assign(at(wiring_.devices_), std::vector<std::int32_t>(at(wiring_.devices_), no_part));
    if (machine_.nvlink) add_nvlink(*machine_.nvlink, LinkKind::nvlink);
    if (machine_.xgmi) add_nvlink(*machine_.xgmi, LinkKind::xgmi);
    neighbours_.resize(at(wiring_.devices_));
    for (std::int32_t device = 0; device < wiring_.devices_; ++device)
      for (std::int32_t other = 0; other < wiring_.devices_; ++other)
        if (direct_[at(device)][at(other)] != no_part) neighbours_[at(device)].push_back(other);
  }

  // Adds a direct connection between two devices.
  void join(std::int32_t first, std::int32_t second, LinkKind kind, const Wire& wire) {
    const std::int32_t edge = wiring_.connect(first, second, kind, wire);
    direct_[at(first)][at(second)] = edge;
    direct_[at(second)][at(first)] = edge + 1;
  }

  void add_nvlink(const Nvlink& nvlink, LinkKind kind) {
    if (nvlink.pairs) {
      for (const Pair& pair : *nvlink.pairs) add_pair(nvlink, pair, kind);
    } else if (nvlink.layout == Layout::full_mesh) {
      for (std::int32_t first = 0; first < wiring_.devices_; ++first)
        for (std::int32_t second = first + 1; second < wiring_.devices_; ++second)
          join(first, second, kind, nvlink.wire);
    } else {
      const std::int32_t part = wiring_.add_part(Part::nvlink_switch, 0);
      for (std::int32_t device = 0; device < wiring_.devices_; ++device)
        wiring_.to_switch_.push_back(wiring_.connect(device, part, kind, nvlink.wire));
    }
  }

  void add_pair(const Nvlink& nvlink, const Pair& pair, LinkKind kind) {
    if (pair.first >= wiring_.devices_ || pair.second >= wiring_.devices_ || pair.first == pair.second) {
      problems_.add(pair.place,
                    pair.first == pair.second
                        ? fmt::format("device {} is joined to itself", pair.first)
                        : fmt::format("there is no device {}: a machine has {}",
                                      std::max(pair.first, pair.second), wiring_.devices_),
                    "count devices from 0");
    } else if (direct_[at(pair.first)][at(pair.second)] != no_part) {
      problems_.add(pair.place, fmt::format("devices {} and {} are joined twice", pair.first, pair.second),
                    "write the pair once, with the number of its links");
    } else {
      Wire wire = nvlink.wire;
      wire.links *= pair.links;
      wire.place = pair.place;
      join(pair.first, pair.second, kind, wire);
    }
  }

  BytesPerSecond bandwidth(std::int32_t edge) const { return wiring_.edges_[at(edge)].link.bandwidth; }

  // The direct link, else the two links by the NVLink switch, else the two links through the device with the
  // highest bottleneck, of equal ones the first. Empty if there is none of these.
  Ways::Path nvlink_path(std::int32_t from, std::int32_t to) const {
    if (direct_[at(from)][at(to)] != no_part) return {direct_[at(from)][at(to)]};
    if (!wiring_.to_switch_.empty()) return {wiring_.to_switch_[at(from)], wiring_.to_switch_[at(to)] + 1};
    Ways::Path best;
    BytesPerSecond best_bottleneck{};
    for (const std::int32_t middle : neighbours_[at(from)]) {
      const std::int32_t first = direct_[at(from)][at(middle)];
      const std::int32_t second = direct_[at(middle)][at(to)];
      if (second == no_part) continue;
      const BytesPerSecond bottleneck = std::min(bandwidth(first), bandwidth(second));
      if (!best.empty() && !(best_bottleneck < bottleneck)) continue;
      best = {first, second};
      best_bottleneck = bottleneck;
    }
    return best;
  }

  // ---- The near NICs of devices and hosts

  using Nearest = std::vector<std::int32_t>;  // indices of NICs

  // The NICs with the fewest links to a part. `from_nics` has the distances from each NIC.
  static Nearest nearest_nics(std::int32_t part, const std::vector<std::vector<std::int32_t>>& from_nics) {
    Nearest nearest;
    std::int32_t least = std::numeric_limits<std::int32_t>::max();
    for (std::size_t nic = 0; nic < from_nics.size(); ++nic) {
      const std::int32_t length = from_nics[nic][at(part)];
      if (length < least) nearest.clear();
      least = std::min(least, length);
      if (length == least) nearest.push_back(static_cast<std::int32_t>(nic));
    }
    return nearest;
  }

  // Devices with the same nearest NICs are distributed evenly over these, in order.
  void find_near_nics() {
    wiring_.near_nic_.assign(at(wiring_.devices_ + wiring_.hosts_), 0);
    wiring_.near_device_.assign(at(wiring_.nics_), no_part);
    if (wiring_.nics_ == 0) return;
    std::vector<std::vector<std::int32_t>> from_nics;
    for (std::int32_t nic = 0; nic < wiring_.nics_; ++nic)
      from_nics.push_back(ways_.distances(static_cast<std::int32_t>(wiring_.nic(nic))));
    std::map<Nearest, std::vector<std::int32_t>> sharing;  // devices by their nearest NICs
    for (std::int32_t device = 0; device < wiring_.devices_; ++device)
      sharing[nearest_nics(device, from_nics)].push_back(device);
    for (const auto& [nics, devices] : sharing) {
      const auto count = narrow<std::int32_t>(devices.size());
      for (std::int32_t turn = 0; turn < count; ++turn)
        wiring_.near_nic_[at(devices[at(turn)])] =
            nics[at(dealt(turn, count, narrow<std::int32_t>(nics.size())))];
    }
    for (std::int32_t device = wiring_.devices_; device-- > 0;)
      wiring_.near_device_[at(wiring_.near_nic_[at(device)])] = device;
    for (std::int32_t socket = 0; socket < wiring_.hosts_; ++socket)
      wiring_.near_nic_[at(host(socket))] = nearest_nics(host(socket), from_nics).front();
  }

  // ---- All routes

  void store_routes() {
    const std::int32_t devices = wiring_.devices_;
    const std::int32_t points = devices + wiring_.hosts_ + wiring_.nics_ + wiring_.chips_;
    const auto anchors = static_cast<std::size_t>(points - devices);
    const std::size_t pairs = options_.has_fabric ? 0 : at(devices) * at(devices);
    wiring_.stretches_.assign(pairs + 2 * at(devices) * anchors + anchors * anchors, {});
    for (std::int32_t socket = 0; socket < wiring_.hosts_; ++socket)
      from_host_.push_back(ways_.arrivals(host(socket)));
    for (std::int32_t anchor = devices; anchor < points; ++anchor) store_routes_of_anchor(anchor, points);
    for (std::int32_t device = 0; !options_.has_fabric && device < devices; ++device)
      store_routes_of_device(device);
  }

  // Between an anchor (a host, NIC or chip) and all devices, and to all other anchors. A NIC that does not
  // reach a device directly uses the memory of the device's host.
  void store_routes_of_anchor(std::int32_t anchor, std::int32_t points) {
    const std::vector<std::int32_t> by = ways_.arrivals(anchor);
    for (std::int32_t device = 0; device < wiring_.devices_; ++device) {
      Ways::Path to_device = ways_.path(by, device);
      const bool is_nic = wiring_.parts_[at(anchor)].part == Part::nic;
      if (is_nic && machine_.nics->gpu_direct < reach_of(to_device)) {
        to_device = staged(by, wiring_.parts_[at(device)].host, device);
      }
      wiring_.store(Point(anchor), Point(device), to_device);
      wiring_.store(Point(device), Point(anchor), reversed(to_device));
    }
    for (std::int32_t other = wiring_.devices_; other < points; ++other)
      if (other != anchor) wiring_.store(Point(anchor), Point(other), ways_.path(by, other));
  }

  // From a device to all other devices, without a fabric.
  void store_routes_of_device(std::int32_t device) {
    const std::vector<std::int32_t> by = ways_.arrivals(device);
    for (std::int32_t other = 0; other < wiring_.devices_; ++other) {
      if (other == device) continue;
      Ways::Path links = nvlink_path(device, other);
      if (links.empty()) links = tree_path(device, by, other);
      wiring_.store(Point(device), Point(other), links);
    }
  }

  // Over the tree as far as peer-to-peer reaches, else through the memory of the sender's host.
  Ways::Path tree_path(std::int32_t device, const std::vector<std::int32_t>& by, std::int32_t other) const {
    const Ways::Path links = ways_.path(by, other);
    const Reach allowed = machine_.pcie ? machine_.pcie->peer_to_peer : Reach::none;
    if (reach_of(links) <= allowed) return links;
    return staged(by, wiring_.parts_[at(device)].host, other);
  }

  // To the memory of a host, and from there to the destination. `by` are the arrivals of the start.
  Ways::Path staged(const std::vector<std::int32_t>& by, std::int32_t socket, std::int32_t to) const {
    Ways::Path links = ways_.path(by, host(socket));
    const Ways::Path onwards = ways_.path(from_host_[at(socket)], to);
    links.insert(links.end(), onwards.begin(), onwards.end());
    return links;
  }

  Wiring& wiring_;
  const MachineDescription& machine_;
  const Wiring::Options& options_;
  Problems& problems_;
  const Ways ways_;                                     // paths over the tree, without NVLinks
  std::vector<std::vector<std::int32_t>> from_host_{};  // Ways::arrivals of each host
  std::vector<std::vector<std::int32_t>> direct_{};  // the NVLink edge from one device to another, or no_part
  std::vector<std::vector<std::int32_t>> neighbours_{};  // the NVLink neighbours of each device, ascending
};

void find_routes(Wiring& wiring, const MachineDescription& machine, const Wiring::Options& options,
                 Problems& problems) {
  WiringRoutes(wiring, machine, options, problems).build();
}

}  // namespace wt::platform
