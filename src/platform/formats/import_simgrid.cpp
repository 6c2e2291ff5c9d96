#include "platform/formats/import_simgrid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/suggest.h"
#include "base/utf8.h"
#include "platform/formats/simgrid_attributes.h"
#include "platform/formats/simgrid_hosts.h"
#include "platform/formats/simgrid_links.h"
#include "platform/formats/simgrid_members.h"
#include "platform/formats/simgrid_routes.h"
#include "platform/formats/simgrid_units.h"
#include "platform/formats/zones.h"

namespace wt::platform {

namespace {

using simgrid::Sharing;
using xml::Element;

constexpr std::size_t most_hosts = std::size_t{1} << 18;
constexpr std::size_t most_members_of_shortest = 2048;  // because the paths are a table of pairs

// Reads the tree of elements. A route may name members and links that stand after it in the file, so routes
// and host links are put into later_ and added when everything else has been read.
class SimgridReader {
 public:
  SimgridReader(const Parameters& parameters, Problems& problems)
      : problems_(problems),
        hosts_(parameters, problems),
        members_(zones_),
        links_(zones_),
        routes_(zones_, members_, links_, warnings_) {}

  Built read(Element root) {
    read_platform(root);
    for (const std::function<void()>& read : later_) read();
    if (zones_.hosts.empty() && !problems_.any()) root.problem("the file has no host", "add a <host>");
    if (problems_.any()) return {};
    check_shortest();
    if (problems_.any()) return {};
    return hosts_.build(std::move(zones_), std::move(warnings_));
  }

 private:
  using Read = void (SimgridReader::*)(Element&, std::int32_t zone);
  struct Row {
    std::string_view element{};
    Read read{};
  };

  void warn(const Element& element, std::string fact, std::string remedy) {
    warnings_.push_back({element.place(), std::move(fact), std::move(remedy)});
  }

  // ---- The tree

  // A platform has one outermost zone, and perhaps a <config> before it.
  void read_platform(Element& root) {
    const std::string version = root.required("version");
    if (root.has("version") && version != "4" && version != "4.0" && version != "4.1" && version != "4.2")
      root.problem("version",
                   fmt::format("version \"{}\" of the format is not supported", printable(version)),
                   "use version 4 or 4.1; simgrid_update_xml converts older files");
    root.finish();
    int zones = 0;
    for (Element& child : root.children()) {
      const bool is_zone = child.name() == "zone" || child.name() == "AS" || child.name() == "cluster";
      if (is_zone && ++zones > 1)
        child.problem("the file has a second outermost zone", "put both into one <zone>");
      if (!refuse_by_name(child)) read_outside(child);
    }
    if (zones == 0) root.problem("the file has no <zone>", "add one around the hosts");
  }

  void read_outside(Element& element) {
    if (element.name() == "zone" || element.name() == "AS")
      read_zone(element, -1);
    else if (element.name() == "cluster")
      read_cluster(element, -1);
    else if (element.name() == "config")
      read_config(element);
    else
      element.refuse();
  }

  // Settings of SimGrid other than those of the simulation here have no effect, which a warning states.
  void read_config(Element& config) {
    config.ignore({"id"});
    config.finish();
    for (Element& prop : config.children()) {
      if (prop.name() != "prop") {
        prop.refuse();
        continue;
      }
      const std::string id = prop.required("id");
      const std::string value = prop.required("value");
      prop.finish();
      // The settings with which the simulation runs in any case. Others would select other models of SimGrid.
      constexpr std::array own{std::pair{"network/model", "CM02"}, std::pair{"network/crosstraffic", "0"},
                               std::pair{"network/TCP-gamma", "0"}};
      const auto is_this = [&](const auto& row) { return row.first == id && row.second == value; };
      if (std::none_of(own.begin(), own.end(), is_this))
        warn(prop, fmt::format("SimGrid's setting {} is not used", printable(id)),
             "times are those of the model CM02 without cross traffic");
    }
  }

  void read_zone(Element& element, std::int32_t around) {
    constexpr std::array<std::pair<std::string_view, Zones::Rule>, 6> rules{
        {{"Full", Zones::Rule::stated},
         {"None", Zones::Rule::stated},
         {"Floyd", Zones::Rule::shortest},
         {"Dijkstra", Zones::Rule::shortest},
         {"DijkstraCache", Zones::Rule::shortest},
         {"Cluster", Zones::Rule::star}}};
    const std::string id = element.required("id");
    const std::string routing = element.required("routing");
    element.finish();
    const auto* row =
        std::find_if(rules.begin(), rules.end(), [&](const auto& rule) { return rule.first == routing; });
    if (row == rules.end() && element.has("routing")) {
      std::vector<std::string_view> known;
      for (const auto& rule : rules) known.push_back(rule.first);
      element.problem("routing", fmt::format("routing \"{}\" is not supported", printable(routing)),
                      did_you_mean(routing, known));
    }
    const std::int32_t zone =
        members_.add_zone(element, id, row == rules.end() ? Zones::Rule::stated : row->second, around);
    const SimgridHosts::Scope scope = hosts_.enter();
    std::vector<Element> children = element.children();
    for (Element& child : children)  // properties come first, because they apply to the whole zone
      if (child.name() == "prop") hosts_.read_property(child);
    for (Element& child : children)
      if (child.name() != "prop" && !read_of_zone(child, zone)) child.refuse();
  }

  // Reads an element inside a zone. False if its name is unknown.
  bool read_of_zone(Element& element, std::int32_t zone) {
    static constexpr Row rows[] = {{"zone", &SimgridReader::read_zone},
                                   {"AS", &SimgridReader::read_zone},
                                   {"cluster", &SimgridReader::read_cluster},
                                   {"host", &SimgridReader::read_host},
                                   {"router", &SimgridReader::read_router},
                                   {"link", &SimgridReader::read_link},
                                   {"backbone", &SimgridReader::read_backbone},
                                   {"host_link", &SimgridReader::read_host_link},
                                   {"cabinet", &SimgridReader::read_cabinet},
                                   {"route", &SimgridReader::read_route},
                                   {"zoneRoute", &SimgridReader::read_zone_route},
                                   {"ASroute", &SimgridReader::read_zone_route}};
    for (const Row& row : rows) {
      if (row.element != element.name()) continue;
      (this->*row.read)(element, zone);
      return true;
    }
    return refuse_by_name(element);
  }

  // Reports elements of SimGrid that are not supported, and warns about those that have no effect on routes.
  // False if the element is neither.
  bool refuse_by_name(const Element& element) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 9> refused{
        {{"trace", "describe the changes under \"faults\" in a scenario"},
         {"trace_connect", "describe the changes under \"faults\" in a scenario"},
         {"bypassRoute", "write the resulting <route>"},
         {"bypassZoneRoute", "write the resulting <zoneRoute>"},
         {"bypassASroute", "write the resulting <zoneRoute>"},
         {"peer", "write a <host> and its links"},
         {"include", "put the other file's elements here"},
         {"random", "write the value"},
         {"gpu", "write a <host> with a property windtunnel:type"}}};
    constexpr std::array<std::string_view, 5> without_meaning{"storage", "storage_type", "mount", "actor",
                                                              "process"};
    for (const auto& [name, remedy] : refused) {
      if (name != element.name()) continue;
      element.problem(fmt::format("<{}> is not supported", name), std::string(remedy));
      return true;
    }
    if (std::find(without_meaning.begin(), without_meaning.end(), element.name()) == without_meaning.end())
      return false;
    warn(element, fmt::format("<{}> is left out", element.name()), "it has no effect on routes");
    return true;
  }

  // ---- Hosts and routers

  std::int32_t add_host(const Element& element, std::string name, std::int32_t zone, FlopsPerSecond speed) {
    const std::int32_t member = members_.add_host(element, std::move(name), zone);
    hosts_.add(zones_.members[at(member)].name, speed, element);
    return member;
  }

  void read_host(Element& element, std::int32_t zone) {
    const std::string id = element.required("id");
    const FlopsPerSecond speed = simgrid::read_speed(element);
    for (const std::string_view profile : {"speed_file", "availability_file", "state_file"})
      simgrid::refuse_profile(element, profile);
    element.ignore({"coordinates"});
    element.finish();
    if (zones_.hosts.size() >= most_hosts) return refuse_more_hosts(element);
    const SimgridHosts::Scope scope = hosts_.enter();
    for (Element& child : element.children()) {
      if (child.name() == "prop")
        hosts_.read_property(child);
      else if (child.name() == "disk" || child.name() == "mount")
        warn(child, fmt::format("<{}> is left out", child.name()), "it has no effect on routes");
      else
        child.refuse();
    }
    add_host(element, id, zone, speed);
  }

  void refuse_more_hosts(const Element& element) {
    if (has_too_many_) return;
    has_too_many_ = true;
    element.problem(fmt::format("the file has more than {} hosts", most_hosts), "describe fewer");
  }

  void read_router(Element& element, std::int32_t zone) {
    const std::string id = element.required("id");
    element.ignore({"coordinates"});
    element.finish();
    members_.add(element, id, zone);
  }

  // ---- Links

  void read_link(Element& element, std::int32_t) {
    const std::string id = element.required("id");
    const Link link = simgrid::read_link(element, "bandwidth", "latency", false);
    const Sharing sharing = simgrid::read_sharing(element, "sharing_policy", "SHARED");
    for (const std::string_view profile : {"bandwidth_file", "latency_file", "state_file"})
      simgrid::refuse_profile(element, profile);
    element.finish();
    for (Element& child : element.children())
      if (child.name() != "prop") child.refuse();
    links_.add_named(element, id, link, sharing);
  }

  void read_backbone(Element& element, std::int32_t zone) {
    const std::string id = element.required("id");
    const Link link = simgrid::read_link(element, "bandwidth", "latency", true);
    element.finish();
    if (zones_.zones[at(zone)].rule != Zones::Rule::star)
      element.problem("a <backbone> belongs in a zone with routing Cluster", "write a <link>");
    if (!zones_.zones[at(zone)].centre.empty())
      element.problem("the zone has a second backbone", "write one");
    zones_.zones[at(zone)].centre = {links_.add_named(element, id, link, Sharing::shared).up};
  }

  // ---- Stars

  void read_host_link(Element& element, std::int32_t zone) {
    const std::string id = element.required("id");
    const std::string up = element.required("up");
    const std::string down = element.required("down");
    element.finish();
    if (zones_.zones[at(zone)].rule != Zones::Rule::star)
      element.problem("a <host_link> belongs in a zone with routing Cluster", "write a <route>");
    later_.push_back([=, this] {
      const std::int32_t member = members_.find(element, "id", id, zone);
      const Zones::Ray ray{{links_.find(element, "up", up, "NONE")},
                           {links_.find(element, "down", down, "NONE")}};
      if (member >= 0 && !zones_.zones[at(zone)].rays.try_emplace(member, ray).second)
        element.problem("id", fmt::format("\"{}\" has two host links", printable(id)), "write one");
    });
  }

  // Adds the hosts of a cluster or a cabinet, each with its link.
  void read_rows(Element& element, std::int32_t zone, Sharing sharing, const std::string& id) {
    const std::string prefix = element.required("prefix");
    const std::string suffix = element.required("suffix");
    const std::string text = element.required("radical");
    const FlopsPerSecond speed = simgrid::read_speed(element);
    const Link link = simgrid::read_link(element, "bw", "lat", true);
    const auto numbers = simgrid::radical(text, most_hosts);
    if (!numbers && element.has("radical"))
      element.problem("radical", fmt::format("\"{}\" is not a list of numbers", printable(text)),
                      fmt::format("write it as in \"0-9,12\", with at most {} hosts", most_hosts));
    if (!numbers) return;
    if (numbers->size() + zones_.hosts.size() > most_hosts) return refuse_more_hosts(element);
    for (const std::int64_t number : *numbers) {
      const std::int32_t host = add_host(element, fmt::format("{}{}{}", prefix, number, suffix), zone, speed);
      const SimgridLinks::Pair links =
          links_.add(element, fmt::format("{}_link_{}", id, number), link, sharing);
      zones_.zones[at(zone)].rays[host] = {{links.up}, {links.down}};
    }
  }

  void read_cabinet(Element& element, std::int32_t zone) {
    const std::string id = element.required("id");
    if (zones_.zones[at(zone)].rule != Zones::Rule::star)
      element.problem("a <cabinet> belongs in a zone with routing Cluster", "write <host>s");
    read_rows(element, zone, Sharing::split, id);
    element.finish();
  }

  // A <cluster> is a star of hosts with numbered names, each with a link of its own, and optionally a
  // backbone.
  void read_cluster(Element& element, std::int32_t around) {
    const std::string id = element.required("id");
    const std::int32_t zone = members_.add_zone(element, id, Zones::Rule::star, around);
    const Sharing sharing = simgrid::read_sharing(element, "sharing_policy", "SPLITDUPLEX");
    const Sharing shared_backbone = simgrid::read_sharing(element, "bb_sharing_policy", "SHARED");
    const std::string router = element.optional("router_id", "");
    if (const auto topology = element.maybe("topology"); topology && *topology != "FLAT")
      element.problem("topology",
                      fmt::format("a cluster with topology {} is not supported", printable(*topology)),
                      "write a platform file with \"type\": \"torus\" or \"fat_tree\" instead");
    if (const auto limiter = element.maybe("limiter_link"); limiter && !limiter->empty())
      element.problem("limiter_link", "a limiter link is not supported",
                      "write the smaller of the two bandwidths as bw");
    // A transfer from a host to itself takes no time in the simulation, so loopback attributes have no
    // effect.
    element.ignore({"topo_parameters", "loopback_bw", "loopback_lat"});
    if (!element.optional("bb_bw", "").empty()) {
      const Link link = simgrid::read_link(element, "bb_bw", "bb_lat", false);
      zones_.zones[at(zone)].centre = {links_.add_named(element, id + "_backbone", link, shared_backbone).up};
    } else {
      element.ignore({"bb_lat"});
    }
    const SimgridHosts::Scope scope = hosts_.enter();
    for (Element& child : element.children()) {
      if (child.name() == "prop")
        hosts_.read_property(child);
      else
        child.refuse();
    }
    read_rows(element, zone, sharing, id);
    const std::string prefix = element.optional("prefix", "");
    const std::string suffix = element.optional("suffix", "");
    members_.add(element, router.empty() ? fmt::format("{}{}_router{}", prefix, id, suffix) : router, zone);
    element.finish();
  }

  // ---- Routes, added when everything that they may name has been read

  void read_route(Element& element, std::int32_t zone) { read_passage(element, zone, false); }
  void read_zone_route(Element& element, std::int32_t zone) { read_passage(element, zone, true); }

  void read_passage(Element& element, std::int32_t zone, bool has_gateways) {
    const SimgridRoutes::Ends ends = SimgridRoutes::read_ends(element, has_gateways);
    if (zones_.zones[at(zone)].rule == Zones::Rule::star) {
      element.problem(fmt::format("<{}> in a zone with routing Cluster is not supported", element.name()),
                      "its hosts reach each other over their <host_link>s");
      return;
    }
    later_.push_back([=, this] { routes_.add(element, zone, ends); });
  }

  void check_shortest() {
    for (const Zones::Zone& zone : zones_.zones) {
      if (zone.rule == Zones::Rule::shortest && zone.members.size() > most_members_of_shortest)
        problems_.add(
            zone.place,
            fmt::format("a zone of {} members is too large for shortest paths", zone.members.size()),
            fmt::format("write at most {}, or nested zones", most_members_of_shortest));
    }
  }

  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

  Problems& problems_;
  std::vector<Problem> warnings_{};
  Zones zones_{};
  SimgridHosts hosts_;
  SimgridMembers members_;
  SimgridLinks links_;
  SimgridRoutes routes_;
  std::vector<std::function<void()>> later_{};
  bool has_too_many_ = false;
};

}  // namespace

Built build_simgrid(const xml::Document& document, const Parameters& parameters, Problems& problems) {
  return SimgridReader(parameters, problems).read(document.root(problems));
}

}  // namespace wt::platform
