// How a machine's description becomes parts, links and routes.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "platform/networks.h"
#include "platform/wiring.h"

namespace wt::platform {

namespace {

constexpr std::int32_t none = -1;

// Where number `index` of `count` goes when they are dealt evenly, in order, to `places`.
std::int32_t dealt(std::int32_t index, std::int32_t count, std::int32_t places) {
  return static_cast<std::int32_t>(std::int64_t{index} * places / count);
}

}  // namespace

class WiringBuilder {
 public:
  using Path = std::vector<std::int32_t>;  // of edges

  WiringBuilder(Wiring& wiring, const Machine& machine, const Wiring::Options& options, Problems& problems)
      : wiring_(wiring), machine_(machine), options_(options), problems_(problems) {}

  void build() {
    add_points();
    add_sockets();
    add_tree();
    add_devices();
    add_nics();
    if (!everything_is_reached()) return;
    collect_neighbours();
    add_nvlink();
    find_near_nics();
    store_routes();
  }

 private:
  static constexpr std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

  // ---- Parts and links

  std::int32_t add_part(Part part, std::int32_t index, std::int32_t host = none) {
    wiring_.parts_.push_back({part, index, host});
    return static_cast<std::int32_t>(wiring_.parts_.size()) - 1;
  }

  std::int32_t connect(std::int32_t from, std::int32_t to, const Link& link, const Place& origin) {
    const auto edge = static_cast<std::int32_t>(wiring_.edges_.size());
    wiring_.edges_.push_back({from, to, link, origin});
    wiring_.edges_.push_back({to, from, link, origin});
    return edge;
  }
  std::int32_t connect(std::int32_t from, std::int32_t to, LinkKind kind, const Wire& wire) {
    return connect(from, to, {kind, payload(wire), wire.latency}, wire.place);
  }

  // A vertex has the number of its point where it is one, so points come first.
  void add_points() {
    wiring_.devices_ = machine_.devices.count;
    wiring_.hosts_ = machine_.hosts.count;
    wiring_.nics_ = machine_.nics ? machine_.nics->count : 0;
    wiring_.cores_per_chip_ = options_.cores_per_chip;
    wiring_.chips_ = options_.on_chip ? machine_.devices.count / options_.cores_per_chip : 0;
    wiring_.has_fabric_ = options_.has_fabric;
    const device::Kind kind = machine_.devices.type.value.kind;
    wiring_.device_noun_ = kind == device::Kind::cpu ? "cpu" : kind == device::Kind::gpu ? "gpu" : "tpu";
    wiring_.nvlink_switch_noun_ = machine_.xgmi ? "xgmi switch" : "nvswitch";
    for (int index = 0; index < wiring_.devices_; ++index) add_part(Part::device, index);
    for (int index = 0; index < wiring_.hosts_; ++index) add_part(Part::host, index, index);
    for (int index = 0; index < wiring_.nics_; ++index) add_part(Part::nic, index);
    for (int index = 0; index < wiring_.chips_; ++index) add_part(Part::chip, index);
  }

  std::int32_t host(std::int32_t socket) const { return static_cast<std::int32_t>(wiring_.host(socket)); }

  void add_sockets() {
    const Hosts& hosts = machine_.hosts;
    const BytesPerSecond memory = hosts.memory_bandwidth.value_or(hosts.type.value.memory_bandwidth);
    first_socket_ = static_cast<std::int32_t>(wiring_.parts_.size());
    for (int socket = 0; socket < hosts.count; ++socket) {
      add_part(Part::socket, socket, socket);
      connect(first_socket_ + socket, host(socket), {LinkKind::host_memory, memory, Seconds(0)}, hosts.place);
    }
    if (hosts.count > 1 && !hosts.link) {
      problems_.add(hosts.place, fmt::format("nothing joins the {} hosts of a machine", hosts.count),
                    "add \"link\": {\"bandwidth\": ...}, the wire between each two sockets");
    }
    if (hosts.count == 1 && hosts.link) {
      wiring_.idle_.push_back(
          {hosts.link->place, "nothing uses the link between hosts: a machine has one", "leave it out"});
    }
    if (!hosts.link) return;
    for (int first = 0; first < hosts.count; ++first)
      for (int second = first + 1; second < hosts.count; ++second)
        connect(first_socket_ + first, first_socket_ + second, LinkKind::socket, *hosts.link);
  }

  // ---- The PCIe tree

  std::int32_t add_switch(std::int32_t above, std::int32_t socket) {
    const std::int32_t part = add_part(Part::pcie_switch, switches_++, socket);
    connect(part, above, LinkKind::pcie,
            machine_.pcie->uplink ? *machine_.pcie->uplink : machine_.pcie->wire);
    return part;
  }

  void add_tree() {
    above_device_.assign(at(wiring_.ports()), none);
    above_nic_.assign(at(wiring_.nics_), none);
    if (!machine_.pcie) return;
    const Switches& switches = machine_.pcie->switches.value;
    if (const auto* levels = std::get_if<std::vector<int>>(&switches)) {
      deal(*levels);
    } else {
      for (const Switch& top : std::get<std::vector<Switch>>(switches)) add_named(top, none, top.host);
      for (int port = 0; port < wiring_.ports(); ++port) {
        if (above_device_[at(port)] == none)
          problems_.add(machine_.pcie->switches.place, fmt::format("device {} hangs below no switch", port),
                        "name it in the \"devices\" of one");
      }
    }
  }

  std::int32_t places_for_ports() const { return std::max(wiring_.ports(), machine_.devices.dealt_as); }

  // Levels of equal switches, everything below them in order.
  void deal(const std::vector<int>& levels) {
    std::vector<std::int32_t> above;
    for (int socket = 0; socket < wiring_.hosts_; ++socket) above.push_back(first_socket_ + socket);
    for (const int count : levels) {
      std::vector<std::int32_t> level;
      for (int index = 0; index < count; ++index) {
        const std::int32_t parent = above[at(dealt(index, count, static_cast<int>(above.size())))];
        level.push_back(add_switch(parent, wiring_.parts_[at(parent)].host));
      }
      above = std::move(level);
    }
    const auto places = static_cast<std::int32_t>(above.size());
    for (int port = 0; port < wiring_.ports(); ++port)
      above_device_[at(port)] = above[at(dealt(port, places_for_ports(), places))];
    const bool on_switches = !levels.empty() && machine_.nics &&
                             machine_.nics->attached.value_or(Attached::switches) == Attached::switches;
    for (int nic = 0; on_switches && nic < wiring_.nics_; ++nic)
      above_nic_[at(nic)] = above[at(dealt(nic, wiring_.nics_, places))];
  }

  void add_named(const Switch& content, std::int32_t above, std::int32_t socket) {
    if (above == none && socket >= wiring_.hosts_) {
      problems_.add(content.place,
                    fmt::format("there is no host {}: a machine has {}", socket, wiring_.hosts_),
                    "count hosts from 0");
      socket = 0;  // what hangs below it is no second fault
    }
    const std::int32_t part = add_switch(above == none ? first_socket_ + socket : above, socket);
    name_below(content, content.devices, "device", part, above_device_);
    name_below(content, content.nics, "nic", part, above_nic_);
    for (const Switch& below : content.switches) add_named(below, part, socket);
  }

  void name_below(const Switch& content, const std::vector<int>& named, std::string_view noun,
                  std::int32_t part, std::vector<std::int32_t>& above) {
    for (const int index : named) {
      if (index >= static_cast<int>(above.size())) {
        problems_.add(content.place,
                      fmt::format("there is no {} {}: a machine has {}", noun, index, above.size()),
                      "count from 0");
      } else if (above[at(index)] != none) {
        problems_.add(content.place, fmt::format("{} {} hangs below two switches", noun, index),
                      "name it once");
      } else {
        above[at(index)] = part;
      }
    }
  }

  // ---- Devices and NICs on it

  void add_devices() {
    const bool is_cpu = machine_.devices.type.value.kind == device::Kind::cpu;
    for (int port = 0; port < wiring_.ports(); ++port) {
      const auto part = static_cast<std::int32_t>(wiring_.port(port));
      const std::int32_t above = above_device_[at(port)];
      const std::int32_t socket =
          above != none ? wiring_.parts_[at(above)].host : dealt(port, places_for_ports(), wiring_.hosts_);
      wiring_.parts_[at(part)].host = socket;
      if (is_cpu) {
        const Hosts& hosts = machine_.hosts;
        const BytesPerSecond memory = hosts.memory_bandwidth.value_or(hosts.type.value.memory_bandwidth);
        connect(part, host(socket), {LinkKind::host_memory, memory, Seconds(0)}, machine_.devices.place);
      } else if (machine_.c2c) {
        connect(part, first_socket_ + socket, LinkKind::nvlink, *machine_.c2c);
      } else if (machine_.pcie) {
        connect(part, above != none ? above : first_socket_ + socket, LinkKind::pcie, machine_.pcie->wire);
      }
    }
    if (wiring_.chips_ > 0) add_cores();
  }

  void add_cores() {
    for (int core = 0; core < wiring_.devices_; ++core) {
      const auto chip = static_cast<std::int32_t>(wiring_.port(wiring_.port_of(Point(core))));
      wiring_.parts_[at(core)].host = wiring_.parts_[at(chip)].host;
      connect(core, chip, LinkKind::on_chip, *options_.on_chip);
    }
  }

  void add_nics() {
    if (wiring_.nics_ > 0 && !machine_.pcie) {
      problems_.add(machine_.nics->wire.place, "there is no PCIe that the NICs could hang on",
                    "add \"pcie\" to the machine");
      return;
    }
    for (int nic = 0; nic < wiring_.nics_; ++nic) {
      const auto part = static_cast<std::int32_t>(wiring_.nic(nic));
      std::int32_t above = above_nic_[at(nic)];
      if (above == none) above = first_socket_ + dealt(nic, wiring_.nics_, wiring_.hosts_);
      wiring_.parts_[at(part)].host = wiring_.parts_[at(above)].host;
      connect(part, above, LinkKind::pcie, machine_.pcie->wire);
    }
  }

  // ---- Ways through the tree: the fewest links

  void collect_neighbours() {
    leaving_.assign(wiring_.parts_.size(), {});
    for (std::size_t edge = 0; edge < wiring_.edges_.size(); ++edge)
      leaving_[at(wiring_.edges_[edge].from)].push_back(static_cast<std::int32_t>(edge));
  }

  // The edge by which each part is reached from `start`.
  std::vector<std::int32_t> arrivals(std::int32_t start) const {
    std::vector<std::int32_t> by(wiring_.parts_.size(), none);
    std::vector<std::int32_t> reached{start};
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (const std::int32_t edge : leaving_[at(reached[next])]) {
        const std::int32_t to = wiring_.edges_[at(edge)].to;
        if (to == start || by[at(to)] != none) continue;
        by[at(to)] = edge;
        reached.push_back(to);
      }
    }
    return by;
  }

  Path path(const std::vector<std::int32_t>& by, std::int32_t to) const {
    Path links;
    for (; by[at(to)] != none; to = wiring_.edges_[at(by[at(to)])].from) links.push_back(by[at(to)]);
    std::reverse(links.begin(), links.end());
    return links;
  }

  static Path reversed(const Path& forward) {
    Path links;
    for (auto edge = forward.rbegin(); edge != forward.rend(); ++edge) links.push_back(*edge ^ 1);
    return links;
  }

  static Path joined(Path first, const Path& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

  bool everything_is_reached() {
    collect_neighbours();
    const std::vector<std::int32_t> by = arrivals(host(0));
    for (std::int32_t part = 0; part < static_cast<std::int32_t>(wiring_.parts_.size()); ++part) {
      if (part == host(0) || by[at(part)] != none) continue;
      if (any_problem()) return false;  // it is why
      problems_.add(machine_.place,
                    fmt::format("nothing leads from {} to host 0", wiring_.name(wiring_.parts_[at(part)])),
                    "add \"pcie\" or \"c2c\" to the machine");
      return false;
    }
    return !any_problem();
  }

  bool any_problem() const { return problems_.found().size() > problems_before_; }

  // How far a path over the tree reaches: it passes one chip, switches only, one socket, several.
  Reach reach_of(const Path& path) const {
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
          wiring_.idle_.push_back({nvlink->wire.place,
                                   "nothing uses these links: the fabric joins the devices",
                                   "leave them out, or the fabric"});
      }
      return;
    }
    direct_.assign(at(wiring_.devices_), std::vector<std::int32_t>(at(wiring_.devices_), none));
    if (machine_.nvlink) add_nvlink(*machine_.nvlink, LinkKind::nvlink);
    if (machine_.xgmi) add_nvlink(*machine_.xgmi, LinkKind::xgmi);
  }

  void join(std::int32_t first, std::int32_t second, LinkKind kind, const Wire& wire) {
    const std::int32_t edge = connect(first, second, kind, wire);
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
      const std::int32_t part = add_part(Part::nvlink_switch, 0);
      for (std::int32_t device = 0; device < wiring_.devices_; ++device)
        to_switch_.push_back(connect(device, part, kind, nvlink.wire));
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
    } else if (direct_[at(pair.first)][at(pair.second)] != none) {
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

  // Direct, by the switch, or through the one device that has the best bottleneck; empty where there is no such way.
  Path nvlink_path(std::int32_t from, std::int32_t to) const {
    if (direct_[at(from)][at(to)] != none) return {direct_[at(from)][at(to)]};
    if (!to_switch_.empty()) return {to_switch_[at(from)], to_switch_[at(to)] + 1};
    Path best;
    BytesPerSecond best_bottleneck{};
    for (std::int32_t middle = 0; middle < wiring_.devices_; ++middle) {
      const std::int32_t first = direct_[at(from)][at(middle)];
      const std::int32_t second = direct_[at(middle)][at(to)];
      if (first == none || second == none) continue;
      const BytesPerSecond bottleneck = std::min(bandwidth(first), bandwidth(second));
      if (!best.empty() && !(best_bottleneck < bottleneck)) continue;
      best = {first, second};
      best_bottleneck = bottleneck;
    }
    return best;
  }

  // ---- Which NIC is whose

  // The NICs that the fewest links away, by the tree.
  std::vector<std::int32_t> nearest_nics(std::int32_t part) const {
    std::vector<std::int32_t> nearest;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    const std::vector<std::int32_t> by = arrivals(part);
    for (std::int32_t nic = 0; nic < wiring_.nics_; ++nic) {
      const std::size_t length = path(by, static_cast<std::int32_t>(wiring_.nic(nic))).size();
      if (length < least) nearest.clear();
      least = std::min(least, length);
      if (length == least) nearest.push_back(nic);
    }
    return nearest;
  }

  void find_near_nics() {
    wiring_.near_nic_.assign(at(wiring_.devices_ + wiring_.hosts_), 0);
    wiring_.near_device_.assign(at(wiring_.nics_), none);
    if (wiring_.nics_ == 0) return;
    std::vector<std::vector<std::int32_t>> nearest;
    for (std::int32_t device = 0; device < wiring_.devices_; ++device)
      nearest.push_back(nearest_nics(device));
    for (std::int32_t device = 0; device < wiring_.devices_; ++device) {
      const auto& own = nearest[at(device)];
      const auto sharing = static_cast<std::int32_t>(std::count(nearest.begin(), nearest.end(), own));
      const auto before =
          static_cast<std::int32_t>(std::count(nearest.begin(), nearest.begin() + device, own));
      const std::int32_t nic = own[at(dealt(before, sharing, static_cast<std::int32_t>(own.size())))];
      wiring_.near_nic_[at(device)] = nic;
      if (wiring_.near_device_[at(nic)] == none) wiring_.near_device_[at(nic)] = device;
    }
    for (std::int32_t socket = 0; socket < wiring_.hosts_; ++socket)
      wiring_.near_nic_[at(host(socket))] = nearest_nics(host(socket)).front();
  }

  // ---- All routes

  void store_routes() {
    const std::int32_t devices = wiring_.devices_;
    const std::int32_t points = devices + wiring_.hosts_ + wiring_.nics_ + wiring_.chips_;
    const auto anchors = static_cast<std::size_t>(points - devices);
    const std::size_t pairs = options_.has_fabric ? 0 : at(devices) * at(devices);
    wiring_.stretches_.assign(pairs + 2 * at(devices) * anchors + anchors * anchors, {});
    for (std::int32_t anchor = devices; anchor < points; ++anchor) store_routes_of_anchor(anchor, points);
    for (std::int32_t device = 0; !options_.has_fabric && device < devices; ++device)
      store_routes_of_device(device);
  }

  void store_routes_of_anchor(std::int32_t anchor, std::int32_t points) {
    const std::vector<std::int32_t> by = arrivals(anchor);
    for (std::int32_t device = 0; device < wiring_.devices_; ++device) {
      Path to_device = path(by, device);
      const bool is_nic = wiring_.parts_[at(anchor)].part == Part::nic;
      if (is_nic && machine_.nics->gpu_direct < reach_of(to_device)) {
        const std::int32_t staged_at = host(wiring_.parts_[at(device)].host);
        to_device = joined(path(by, staged_at), path(arrivals(staged_at), device));
      }
      wiring_.store(Point(anchor), Point(device), to_device);
      wiring_.store(Point(device), Point(anchor), reversed(to_device));
    }
    for (std::int32_t other = wiring_.devices_; other < points; ++other)
      if (other != anchor) wiring_.store(Point(anchor), Point(other), path(by, other));
  }

  void store_routes_of_device(std::int32_t device) {
    const std::vector<std::int32_t> by = arrivals(device);
    for (std::int32_t other = 0; other < wiring_.devices_; ++other) {
      if (other == device) continue;
      Path links = nvlink_path(device, other);
      if (links.empty()) links = tree_path(device, by, other);
      wiring_.store(Point(device), Point(other), links);
    }
  }

  Path tree_path(std::int32_t device, const std::vector<std::int32_t>& by, std::int32_t other) const {
    const Path links = path(by, other);
    const Reach allowed = machine_.pcie ? machine_.pcie->peer_to_peer : Reach::none;
    if (reach_of(links) <= allowed) return links;
    const std::int32_t staged_at = host(wiring_.parts_[at(device)].host);
    return joined(path(by, staged_at), path(arrivals(staged_at), other));
  }

  Wiring& wiring_;
  const Machine& machine_;
  const Wiring::Options& options_;
  Problems& problems_;
  std::int32_t first_socket_ = 0;
  std::int32_t switches_ = 0;
  std::vector<std::int32_t> above_device_{};  // the switch above each device (or chip)
  std::vector<std::int32_t> above_nic_{};
  std::vector<std::vector<std::int32_t>> leaving_{};  // the tree's edges by part; NVLink is not in it
  std::vector<std::vector<std::int32_t>> direct_{};   // the edge between two devices
  std::vector<std::int32_t> to_switch_{};
  const std::size_t problems_before_ = problems_.found().size();
};

Wiring::Wiring(const Machine& machine, const Options& options, Problems& problems) {
  WiringBuilder(*this, machine, options, problems).build();
}

}  // namespace wt::platform
