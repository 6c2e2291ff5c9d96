#include "platform/formats/export_dot.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/json_writer.h"

namespace wt::platform {

namespace {

constexpr std::int32_t most_links = 100'000;
constexpr std::int32_t most_routed_devices = 512;  // if links without ends have to be found from all routes
constexpr std::string_view arrow = " -> ";

// The bandwidths of a wire's two directions.
struct Wire {
  BytesPerSecond there{};
  BytesPerSecond back{};
};

// Most links have names like "machine 0/gpu 1 -> nvswitch", from which the writer takes their ends. SimGrid's
// links have names without ends; each becomes a node, which is joined with its neighbours on all routes.
class DotWriter {
 public:
  explicit DotWriter(const Platform& platform) : platform_(platform) {}

  std::string write() {
    for (std::int32_t device = 0; device < platform_.devices(); ++device)
      add_endpoint(platform_.device(device));
    for (std::int32_t host = 0; host < platform_.hosts(); ++host) add_endpoint(platform_.host(host));
    for (std::int32_t link = 0; link < platform_.links(); ++link) add_link(LinkId(link));
    if (has_nameless_) add_nameless();
    return text();
  }

 private:
  // The name of a part of a machine begins with the name of the machine and a slash.
  void add_endpoint(Endpoint endpoint) {
    const std::string name = platform_.name(endpoint);
    add_node(name, platform_.machine_of(endpoint));
    labels_[name] += "\n" + platform_.type(endpoint).id;
  }

  void add_node(const std::string& name, std::int32_t machine) {
    if (!labels_.try_emplace(name, machine < 0 ? name : name.substr(name.rfind('/') + 1)).second) return;
    nodes_[machine].push_back(name);
    if (machine >= 0) machines_.try_emplace(machine, name.substr(0, name.rfind('/')));
  }

  void add_link(LinkId id) {
    const std::string name = platform_.name(id);
    const std::size_t middle = name.find(arrow);
    if (middle == std::string::npos) {  // a link of SimGrid
      has_nameless_ = true;
      return;
    }
    const std::int32_t machine = platform_.machine_of(id);
    const std::string from = name.substr(0, middle);
    std::string to = name.substr(middle + arrow.size());
    if (machine >= 0) to = from.substr(0, from.find('/') + 1) + to;
    for (const std::string& end : {from, to}) add_node(end, machine);
    const Link& link = platform_.link(id);
    const auto other = wires_.find({to, from});
    if (other != wires_.end())
      other->second.back = link.bandwidth;
    else
      wires_[{from, to}] = {link.bandwidth, {}};
  }

  // Makes nodes of links without ends. Their neighbours are found from the routes between all devices.
  void add_nameless() {
    if (platform_.devices() > most_routed_devices)
      throw InputError(
          fmt::format("{} has {} devices, and the ends of its links are known only from their routes",
                      platform_.name(), platform_.devices()),
          fmt::format("draw at most {} devices", most_routed_devices));
    for (std::int32_t from = 0; from < platform_.devices(); ++from) {
      for (std::int32_t to = 0; to < platform_.devices(); ++to) {
        std::string before = platform_.name(platform_.device(from));
        if (from == to) continue;
        for (const LinkId link : platform_.route(platform_.device(from), platform_.device(to)).links) {
          add_step(before, "link " + platform_.name(link));
          labels_["link " + platform_.name(link)] =
              fmt::format("{}\n{}", platform_.name(link), rough_rate(platform_.link(link).bandwidth));
          before = "link " + platform_.name(link);
        }
        add_step(before, platform_.name(platform_.device(to)));
      }
    }
  }

  void add_step(const std::string& from, const std::string& to) {
    for (const std::string& end : {from, to})
      if (labels_.find(end) == labels_.end()) add_node(end, -1);
    if (steps_.count({to, from}) == 0) steps_.insert({from, to});
  }

  static std::string rough_rate(BytesPerSecond rate) {
    return fmt::format("{:.4g} GB/s", rate.count() / 1e9);
  }

  // Strings are quoted as in JSON, because DOT escapes the same two letters.
  std::string text() const {
    std::string out = fmt::format("graph {} {{\n  node [shape=box];\n", json::quote(platform_.name()));
    for (const auto& [machine, names] : nodes_) {
      const bool is_inside = machine >= 0;
      if (is_inside)
        out += fmt::format("  subgraph cluster_{} {{\n    label={};\n", machine,
                           json::quote(machines_.at(machine)));
      for (const std::string& name : names)
        out += fmt::format("  {}{} [label={}];\n", is_inside ? "  " : "", json::quote(name),
                           json::quote(labels_.at(name)));
      if (is_inside) out += "  }\n";
    }
    for (const auto& [ends, wire] : wires_) {
      const bool is_even = wire.there == wire.back;
      out += fmt::format("  {} -- {} [label={}];\n", json::quote(ends.first), json::quote(ends.second),
                         json::quote(is_even ? rough_rate(wire.there)
                                             : fmt::format("{} there, {} back", rough_rate(wire.there),
                                                           rough_rate(wire.back))));
    }
    for (const auto& [from, to] : steps_)
      out += fmt::format("  {} -- {};\n", json::quote(from), json::quote(to));
    return out + "}\n";
  }

  const Platform& platform_;
  std::map<std::int32_t, std::vector<std::string>> nodes_{};  // by machine; -1: between machines
  std::map<std::int32_t, std::string> machines_{};
  std::map<std::string, std::string> labels_{};
  std::map<std::pair<std::string, std::string>, Wire> wires_{};
  std::set<std::pair<std::string, std::string>> steps_{};
  bool has_nameless_ = false;
};

}  // namespace

std::string to_dot(const Platform& platform) {
  if (platform.links() > most_links)
    throw InputError(
        fmt::format("{} has {} links, too many for a drawing", platform.name(), platform.links()),
        fmt::format("draw at most {} links, as with --set machines=2", most_links));
  return DotWriter(platform).write();
}

}  // namespace wt::platform
