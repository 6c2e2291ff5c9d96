#include "platform/formats/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/error.h"
#include "base/rough.h"
#include "platform/topology.h"
#include "platform/torus.h"

namespace wt::platform {

namespace {

constexpr std::int32_t most_machines = 8;   // of which every part is drawn
constexpr std::int32_t most_places = 2048;  // of a torus
constexpr std::string_view arrow = " -> ";

// The rows of a drawing, from top to bottom, by the noun of a part's name.
struct Row {
  std::string_view noun{};
  std::string_view kind{};
  int level = 0;
  double y = 0;
};
constexpr std::array rows{
    Row{"core", "spine", 7, -3.5},
    Row{"spine", "spine", 6, -2.5},
    Row{"leaf", "leaf", 5, -1.5},
    Row{"rail", "leaf", 5, -1.5},
    Row{"switch", "switch", 5, -1.5},
    Row{"nic", "nic", 4, 0},
    Row{"host", "host", 3, 1},
    Row{"socket", "socket", 2, 2},
    Row{"pcie switch", "pcie_switch", 1, 3},
    Row{"chip", "chip", 0, 4.2},
    Row{"nvswitch", "nvswitch", 1, 6.5},
    Row{"xgmi switch", "nvswitch", 1, 6.5},
};
constexpr double devices_y = 4.2;

// "pcie switch 3" -> "pcie switch"
std::string noun_of(std::string_view label) {
  const std::size_t end = label.find_last_not_of("0123456789 .,()");
  return std::string(label.substr(0, end == std::string_view::npos ? label.size() : end + 1));
}

const Row& row_of(const std::string& noun) {
  const auto found = std::ranges::find_if(rows, [&](const Row& row) { return noun.starts_with(row.noun); });
  static constexpr Row other{"", "switch", 6, -2.5};
  return found == rows.end() ? other : *found;
}

class Drafter {
 public:
  explicit Drafter(const Platform& platform)
      : platform_(platform),
        topology_(platform.topology()),
        torus_(topology_.has_fabric() ? dynamic_cast<const TorusFabric*>(&topology_.fabric()) : nullptr) {}

  Drawing draw() && {
    drawn_machines_ = torus_ == nullptr
                          ? std::min(platform_.machines(), most_machines)
                          : std::clamp(most_places / std::max(1, platform_.devices() / platform_.machines()),
                                       1, platform_.machines());
    add_endpoints();
    for (std::int32_t link = 0; link < platform_.links(); ++link) add_link(LinkId(link));
    if (torus_ != nullptr)
      place_in_grid();
    else
      place_in_rows();
    say_what_it_is();
    return std::move(drawing_);
  }

 private:
  bool is_drawn(std::int32_t machine) const { return machine < drawn_machines_; }

  void add_endpoints() {
    for (std::int32_t i = 0; i < platform_.devices(); ++i) add_endpoint(platform_.device(i), "device");
    if (torus_ != nullptr) return;  // A grid shows what is in it, and no hosts.
    for (std::int32_t i = 0; i < platform_.hosts(); ++i) add_endpoint(platform_.host(i), "host");
  }

  void add_endpoint(Endpoint endpoint, std::string_view kind) {
    if (const std::int32_t machine = platform_.machine_of(endpoint); is_drawn(machine))
      drawing_.nodes[add_node(platform_.name(endpoint), machine)].kind = kind;
  }

  std::size_t add_node(const std::string& name, std::int32_t machine) {
    const auto [found, is_new] = numbers_.try_emplace(name, drawing_.nodes.size());
    if (!is_new) return found->second;
    DrawnNode& node = drawing_.nodes.emplace_back();
    node.name = name;
    node.label = machine < 0 ? name : name.substr(name.rfind('/') + 1);
    node.machine = machine;
    const Row& row = row_of(noun_of(node.label));
    node.kind = row.kind, node.level = row.level, node.y = row.y;
    return found->second;
  }

  // Names of links are "machine 0/gpu 1 -> nvswitch". Those of SimGrid's platforms have no ends, and aren't drawn.
  void add_link(LinkId id) {
    const std::int32_t machine = platform_.machine_of(id);
    if (machine >= 0 && !is_drawn(machine)) return;
    const std::string name = platform_.name(id);
    const std::size_t middle = name.find(arrow);
    if (middle == std::string::npos) {
      ++nameless_;
      return;
    }
    const std::string from = name.substr(0, middle);
    std::string to = name.substr(middle + arrow.size());
    if (machine >= 0) to = from.substr(0, from.find('/') + 1) + to;
    const auto first = node_of(from, machine), second = node_of(to, machine);
    if (!first || !second) return;
    const Link link = platform_.link(id);
    if (const auto other = wires_.find({*second, *first}); other != wires_.end()) {
      DrawnWire& wire = drawing_.wires[other->second];
      wire.back_name = name;
      wires_.erase(other);  // Two wires between the same ends are two wires.
      return;
    }
    wires_[{*first, *second}] = drawing_.wires.size();
    drawing_.wires.push_back(
        {.from = *first, .to = *second, .name = name, .kind = link.kind, .bandwidth = link.bandwidth});
  }

  // The end of a link, if it is drawn. What lies between machines gets a node when a link names it.
  std::optional<std::size_t> node_of(const std::string& name, std::int32_t machine) {
    if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
    const std::size_t slash = name.find('/');
    const bool is_of_machine = slash != std::string::npos;
    if (torus_ != nullptr && !(is_of_machine && noun_of(name.substr(slash + 1)) == "chip"))
      return std::nullopt;
    if (!is_of_machine) return add_node(name, -1);
    if (machine < 0) machine = machine_named(name.substr(0, slash));
    if (!is_drawn(machine)) return std::nullopt;
    return add_node(name, machine);
  }

  std::int32_t machine_named(const std::string& name) {
    if (machine_names_.empty())
      for (std::int32_t i = 0; i < platform_.devices(); ++i) {
        const std::string device = platform_.name(platform_.device(i));
        machine_names_.emplace(device.substr(0, device.rfind('/')),
                               platform_.machine_of(platform_.device(i)));
      }
    const auto found = machine_names_.find(name);
    return found == machine_names_.end() ? most_places : found->second;
  }

  // ---- A grid

  void place_in_grid() {
    const Wiring& wiring = topology_.wiring(0);  // machines that a torus joins are equal
    std::int32_t machines_of_copy = 0;
    while (machines_of_copy < platform_.machines() && topology_.copy_of(machines_of_copy) == 0)
      ++machines_of_copy;
    for (DrawnNode& node : drawing_.nodes) {
      const std::int32_t number = std::stoi(node.label.substr(node.label.find_last_of(' ') + 1));
      const bool is_core = node.kind == "device" && wiring.ports() < wiring.devices();
      const std::int32_t place = is_core ? wiring.port_of(wiring.device(number)) : number;
      place_at(node, node.machine % machines_of_copy * wiring.ports() + place,
               topology_.copy_of(node.machine));
      if (is_core) node.y += 0.25, node.x += number % 2 == 0 ? -0.25 : 0.25;
    }
    const Grid& grid = torus_->grid();
    drawing_.extents = grid.shape.extents;
    drawing_.wraps = grid.wraps;
    drawing_.twisted = grid.twisted;
    for (DrawnWire& wire : drawing_.wires) wire.wraps = closes_ring(wire);
  }

  // Layers of the third axis stand side by side, those of the fourth and further tori below each other.
  void place_at(DrawnNode& node, std::int32_t port, std::int32_t copy) {
    const Shape& shape = torus_->grid().shape;
    const Coordinates at = torus_->coordinates(port);
    node.coordinates.assign(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(shape.axes()));
    const auto extent = [&](std::size_t axis) { return axis < shape.axes() ? shape[axis] : 1; };
    node.x = at[0] + at[2] * (extent(0) + 1.0);
    node.y = at[1] + (at[3] + copy * extent(3)) * (extent(1) + 1.0);
    node.level = 0;
  }

  bool closes_ring(const DrawnWire& wire) const {
    const auto &from = drawing_.nodes[wire.from].coordinates, &to = drawing_.nodes[wire.to].coordinates;
    for (std::size_t axis = 0; axis < std::min(from.size(), to.size()); ++axis)
      if (std::abs(from[axis] - to[axis]) > 1) return true;
    return false;
  }

  // ---- Rows

  void place_in_rows() {
    fold_meshes();
    double left = 0;
    for (std::int32_t machine = 0; machine < drawn_machines_; ++machine) left = place_machine(machine, left);
    const double width = std::max(1.0, left - 1.5);
    std::map<double, std::vector<DrawnNode*>> between;
    for (DrawnNode& node : drawing_.nodes)
      if (node.machine < 0) between[node.y].push_back(&node);
    for (auto& [y, nodes] : between) spread(nodes, 0, width);
  }

  // GPUs that are joined in pairs stand in two rows, so that a cube mesh looks like one.
  void fold_meshes() {
    for (const DrawnWire& wire : drawing_.wires)
      if (is_device(wire.from) && is_device(wire.to)) ++meshed_;
    std::map<std::int32_t, std::vector<DrawnNode*>> devices;
    for (DrawnNode& node : drawing_.nodes)
      if (node.kind == "device") node.level = 0, node.y = devices_y, devices[node.machine].push_back(&node);
    if (meshed_ == 0) return;
    for (auto& [machine, of_machine] : devices)
      for (std::size_t i = (of_machine.size() + 1) / 2; i < of_machine.size(); ++i)
        of_machine[i]->y = devices_y + 1.3;
  }

  bool is_device(std::size_t node) const { return drawing_.nodes[node].kind == "device"; }

  double place_machine(std::int32_t machine, double left) {
    std::map<double, std::vector<DrawnNode*>> by_row;
    for (DrawnNode& node : drawing_.nodes)
      if (node.machine == machine) by_row[node.y].push_back(&node);
    std::size_t widest = 1;
    for (const auto& [y, nodes] : by_row) widest = std::max(widest, nodes.size());
    const double width = static_cast<double>(widest - 1);
    for (auto& [y, nodes] : by_row) spread(nodes, left, width);
    if (by_row.empty()) return left;
    const std::string& name = by_row.begin()->second.front()->name;
    drawing_.machines.push_back({.name = name.substr(0, name.rfind('/')),
                                 .left = left - 0.5,
                                 .top = by_row.begin()->first - 0.5,
                                 .right = left + width + 0.5,
                                 .bottom = by_row.rbegin()->first + 0.5});
    return left + width + 1.5;
  }

  static void spread(std::vector<DrawnNode*>& nodes, double left, double width) {
    const auto count = static_cast<double>(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      nodes[i]->x = left + width * (static_cast<double>(i) + 0.5) / count;
  }

  // ---- Words

  void say_what_it_is() {
    const std::int32_t machines = platform_.machines();
    drawing_.caption = machines_of_each_group();
    if (torus_ != nullptr) {
      say_which_grid();
    } else {
      drawing_.inside = inside();
      drawing_.layout = machines > 1 ? network() : drawing_.inside;
      drawing_.caption += fmt::format("; inside: {}", drawing_.inside);
      if (machines > 1) drawing_.caption += fmt::format("; between machines: {}", drawing_.layout);
    }
    if (machines > drawn_machines_)
      drawing_.left_out = fmt::format(
          "{} more machines{}", machines - drawn_machines_,
          platform_.group_of(drawn_machines_ - 1) == platform_.group_of(machines - 1) ? " like these" : "");
    if (nameless_ > 0)
      drawing_.left_out += fmt::format("{}{} whose ends are not known", drawing_.left_out.empty() ? "" : "; ",
                                       counted(nameless_, "link"));
  }

  // "8 machines of 8 NVIDIA Tesla P100-SXM2-16GB and 3 machines of 1 Intel Xeon Platinum 8168".
  std::string machines_of_each_group() const {
    std::string text;
    for (std::int32_t first = 0, next = 0; first < platform_.machines(); first = next) {
      while (next < platform_.machines() && platform_.group_of(next) == platform_.group_of(first)) ++next;
      const std::vector<Endpoint> devices = platform_.devices_of(first);
      text += fmt::format("{}{} of {} {}", first == 0 ? "" : " and ", counted(next - first, "machine"),
                          devices.size(), platform_.type(devices.front()).product);
    }
    return text;
  }

  void say_which_grid() {
    const Grid& grid = torus_->grid();
    const bool wraps = std::ranges::find(grid.wraps, true) != grid.wraps.end();
    const auto long_axes =
        std::ranges::count_if(grid.shape.extents, [](std::int32_t extent) { return extent > 1; });
    drawing_.layout = !wraps ? "mesh" : long_axes == 1 ? "ring" : "torus";
    drawing_.caption +=
        fmt::format("; a {}{} {}", grid.twisted ? "twisted " : "", drawing_.layout, print(grid.shape));
  }

  std::string inside() const {
    if (std::ranges::any_of(drawing_.nodes, [](const DrawnNode& node) { return node.kind == "nvswitch"; }))
      return "nvswitch";
    if (meshed_ == 0) return "pcie";
    std::size_t pairs = 0;
    for (std::int32_t machine = 0; machine < drawn_machines_; ++machine) {
      const std::size_t each = platform_.devices_of(machine).size();
      pairs += each * (each - 1) / 2;
    }
    const bool is_full = meshed_ == pairs;
    return is_full ? "full_mesh" : "cube_mesh";
  }

  std::string network() const {
    std::set<std::string> nouns;
    for (const DrawnNode& node : drawing_.nodes)
      if (node.machine < 0) nouns.insert(noun_of(node.label));
    for (const std::string& noun : nouns)
      if (noun.starts_with("spine") || noun.starts_with("leaf")) return "fat_tree";
    for (const std::string& noun : nouns)
      if (noun.starts_with("rail")) return "rails";
    return nouns.empty() ? "wires" : "switch";
  }

  const Platform& platform_;
  const Topology& topology_;
  const TorusFabric* torus_;
  Drawing drawing_{};
  std::map<std::string, std::size_t> numbers_{};  // of nodes, by name
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> wires_{};
  std::map<std::string, std::int32_t> machine_names_{};
  std::int32_t drawn_machines_ = 0;
  std::size_t meshed_ = 0;  // wires between devices
  std::int64_t nameless_ = 0;
};

}  // namespace

Drawing drawing_of(const Platform& platform) { return Drafter(platform).draw(); }

}  // namespace wt::platform
