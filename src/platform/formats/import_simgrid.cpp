#include "platform/formats/import_simgrid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <unordered_map>

#include "base/suggest.h"
#include "base/utf8.h"
#include "platform/formats/simgrid_hosts.h"
#include "platform/formats/simgrid_units.h"
#include "platform/formats/zones.h"

namespace wt::platform {

namespace {

using xml::Element;

constexpr std::size_t most_hosts = std::size_t{1} << 18;
constexpr std::size_t most_compared = 256;              // names, when one is to be suggested
constexpr std::size_t most_members_of_shortest = 2048;  // their ways are a table of pairs

// A link by its name: up and down are one where it is shared by both directions.
struct NamedLinks {
  std::int32_t up = -1;
  std::int32_t down = -1;
  bool is_split = false;
};

enum class Sharing : std::uint8_t { shared, split, fat, unknown };

Sharing sharing_named(std::string_view name) {
  if (name == "SHARED") return Sharing::shared;
  if (name == "SPLITDUPLEX" || name == "FULLDUPLEX") return Sharing::split;
  return name == "FATPIPE" ? Sharing::fat : Sharing::unknown;
}

class SimgridReader {
 public:
  SimgridReader(const Parameters& parameters, Problems& problems)
      : problems_(problems), hosts_(parameters, problems) {}

  Built read(Element root) {
    read_platform(root);
    for (const std::function<void()>& later : routes_) later();
    if (zones_.hosts.empty() && !problems_.any())
      root.problem("there is no host in this file", "add a <host>");
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

  void read_platform(Element& root) {
    const std::string version = root.required("version");
    if (root.has("version") && version != "4" && version != "4.0" && version != "4.1" && version != "4.2")
      root.problem("version", fmt::format("this is version \"{}\" of the format", printable(version)),
                   "4 and 4.1 are read; simgrid_update_xml turns older files into them");
    root.finish();
    int zones = 0;
    for (Element& child : root.children()) {
      const bool is_zone = child.name() == "zone" || child.name() == "AS" || child.name() == "cluster";
      if (is_zone && ++zones > 1)
        child.problem("this is a second outermost zone", "put both into one <zone>");
      if (!refuse_by_name(child)) read_outside(child);
    }
    if (zones == 0) root.problem("there is no <zone> in this file", "add one around the hosts");
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
      // What our clock is anyway; others are SimGrid's models of other networks.
      constexpr std::array own{std::pair{"network/model", "CM02"}, std::pair{"network/crosstraffic", "0"},
                               std::pair{"network/TCP-gamma", "0"}};
      const auto is_this = [&](const auto& row) { return row.first == id && row.second == value; };
      if (std::none_of(own.begin(), own.end(), is_this))
        warn(prop, fmt::format("SimGrid's setting {} is not used", printable(id)),
             "times are CM02's, without cross traffic");
    }
  }

  std::int32_t add_member(const Element& element, std::string name, std::int32_t zone) {
    const auto number = static_cast<std::int32_t>(zones_.members.size());
    if (!members_.try_emplace(name, number).second)
      element.problem("id", fmt::format("\"{}\" is here twice", printable(name)),
                      "give one of them another id");
    zones_.members.push_back({.name = std::move(name), .zone = zone, .place = element.place()});
    if (zone >= 0) zones_.zones[at(zone)].members.push_back(number);
    return number;
  }

  std::int32_t add_zone(const Element& element, std::string name, Zones::Rule rule, std::int32_t around) {
    const auto number = static_cast<std::int32_t>(zones_.zones.size());
    const std::int32_t member = add_member(element, std::move(name), around);
    zones_.members[at(member)].inside = number;
    zones_.zones.push_back({.rule = rule,
                            .member = member,
                            .depth = around < 0 ? 0 : zones_.zones[at(around)].depth + 1,
                            .place = element.place()});
    return number;
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
      element.problem("routing", fmt::format("routing \"{}\" is not read", printable(routing)),
                      did_you_mean(routing, known));
    }
    const std::int32_t zone =
        add_zone(element, id, row == rules.end() ? Zones::Rule::stated : row->second, around);
    const SimgridHosts::Scope scope = hosts_.enter();
    std::vector<Element> children = element.children();
    for (Element& child : children)  // they hold for the whole zone
      if (child.name() == "prop") hosts_.read_property(child);
    for (Element& child : children)
      if (child.name() != "prop" && !read_of_zone(child, zone)) child.refuse();
  }

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

  // Known elements that are not offered, or that say nothing about routes.
  bool refuse_by_name(const Element& element) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 9> refused{
        {{"trace", "write what changes under \"faults\" of a scenario"},
         {"trace_connect", "write what changes under \"faults\" of a scenario"},
         {"bypassRoute", "write the <route> that holds"},
         {"bypassZoneRoute", "write the <zoneRoute> that holds"},
         {"bypassASroute", "write the <zoneRoute> that holds"},
         {"peer", "write a <host> and its links"},
         {"include", "put the other file's elements here"},
         {"random", "write the value"},
         {"gpu", "write a <host> with a property windtunnel:type"}}};
    constexpr std::array<std::string_view, 5> without_meaning{"storage", "storage_type", "mount", "actor",
                                                              "process"};
    for (const auto& [name, remedy] : refused) {
      if (name != element.name()) continue;
      element.problem(fmt::format("<{}> is not offered", name), std::string(remedy));
      return true;
    }
    if (std::find(without_meaning.begin(), without_meaning.end(), element.name()) == without_meaning.end())
      return false;
    warn(element, fmt::format("<{}> is left out", element.name()), "nothing here stores on it or runs it");
    return true;
  }

  // ---- Hosts and routers

  std::int32_t add_host(const Element& element, std::string name, std::int32_t zone, FlopsPerSecond speed) {
    const std::int32_t member = add_member(element, std::move(name), zone);
    zones_.members[at(member)].port = static_cast<std::int32_t>(zones_.hosts.size());
    zones_.hosts.push_back(member);
    hosts_.add(zones_.members[at(member)].name, speed, element);
    return member;
  }

  void read_host(Element& element, std::int32_t zone) {
    const std::string id = element.required("id");
    const FlopsPerSecond speed = read_speed(element);
    for (const std::string_view profile : {"speed_file", "availability_file", "state_file"})
      refuse_profile(element, profile);
    element.ignore({"coordinates"});
    element.finish();
    if (zones_.hosts.size() >= most_hosts) return refuse_more_hosts(element);
    const SimgridHosts::Scope scope = hosts_.enter();
    for (Element& child : element.children()) {
      if (child.name() == "prop")
        hosts_.read_property(child);
      else if (child.name() == "disk" || child.name() == "mount")
        warn(child, fmt::format("<{}> is left out", child.name()), "nothing here stores on it or runs it");
      else
        child.refuse();
    }
    add_host(element, id, zone, speed);
  }

  void refuse_more_hosts(const Element& element) {
    if (has_too_many_) return;
    has_too_many_ = true;
    element.problem(fmt::format("these are more than {} hosts", most_hosts), "describe fewer");
  }

  void refuse_profile(Element& element, std::string_view attribute) {
    if (const auto file = element.maybe(attribute); file && !file->empty())
      element.problem(attribute, "a profile over time is not offered",
                      "write what changes under \"faults\" of a scenario");
  }

  // One of the speeds where there are several (power states), times the cores.
  FlopsPerSecond read_speed(Element& element) {
    const std::string text = element.required("speed");
    const std::string state = element.optional("pstate", "0");
    const int cores = std::max(1, read_count(element, "core", 1));
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(state.data(), state.data() + state.size(), index);
    const std::string_view rest(end, static_cast<std::size_t>(state.data() + state.size() - end));
    std::string_view speeds = text;
    for (std::size_t skipped = 0; skipped < index && !speeds.empty(); ++skipped)
      speeds = speeds.find(',') == std::string_view::npos ? "" : speeds.substr(speeds.find(',') + 1);
    speeds = speeds.substr(0, speeds.find(','));
    while (speeds.starts_with(' ')) speeds.remove_prefix(1);
    while (speeds.ends_with(' ')) speeds.remove_suffix(1);
    if (error != std::errc() || !(rest.empty() || rest == ".0") || (speeds.empty() && !text.empty())) {
      element.problem("pstate", fmt::format("there is no power state \"{}\"", printable(state)),
                      "count speeds from 0");
      return FlopsPerSecond(1);
    }
    const std::optional<FlopsPerSecond> speed = simgrid::speed(speeds);
    if (!speed && element.has("speed"))
      element.problem("speed", fmt::format("\"{}\" is no speed", printable(speeds)),
                      R"(write one as in "100Gf")");
    return speed.value_or(FlopsPerSecond(1)) * cores;
  }

  int read_count(Element& element, std::string_view attribute, int otherwise) {
    const std::optional<std::string> text = element.maybe(attribute);
    if (!text) return otherwise;
    int count = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), count);
    if (error == std::errc() && end == text->data() + text->size() && count > 0) return count;
    element.problem(attribute, fmt::format("\"{}\" is no count", printable(*text)), "write 1 or more");
    return otherwise;
  }

  void read_router(Element& element, std::int32_t zone) {
    const std::string id = element.required("id");
    element.ignore({"coordinates"});
    element.finish();
    add_member(element, id, zone);
  }

  // ---- Links

  BytesPerSecond read_bandwidth(Element& element, std::string_view attribute) {
    const std::string text = element.required(attribute);
    const std::optional<BytesPerSecond> found = simgrid::bandwidth(text);
    if (!found && element.has(attribute))
      element.problem(attribute, fmt::format("\"{}\" is no bandwidth", printable(text)),
                      R"(write one as in "125MBps" or "1Gbps")");
    return found.value_or(BytesPerSecond(1));
  }

  Seconds read_latency(Element& element, std::string_view attribute, bool is_required) {
    const std::string text = is_required ? element.required(attribute) : element.optional(attribute, "0");
    const std::optional<Seconds> found = simgrid::latency(text);
    if (!found && element.has(attribute))
      element.problem(attribute, fmt::format("\"{}\" is no latency", printable(text)),
                      R"(write one as in "50us")");
    return found.value_or(Seconds(0));
  }

  Sharing read_sharing(Element& element, std::string_view attribute, std::string_view otherwise) {
    const std::string name = element.optional(attribute, otherwise);
    const Sharing sharing = sharing_named(name);
    constexpr std::array<std::string_view, 3> known{"SHARED", "SPLITDUPLEX", "FATPIPE"};
    if (sharing == Sharing::unknown)
      element.problem(attribute, fmt::format("the sharing policy \"{}\" is not read", printable(name)),
                      did_you_mean(name, known));
    return sharing;
  }

  NamedLinks add_links(const Element& element, const std::string& name, const Link& link, Sharing sharing) {
    const auto add = [&](std::string called) {
      zones_.links.push_back({std::move(called), link, sharing != Sharing::fat, element.place()});
      return static_cast<std::int32_t>(zones_.links.size()) - 1;
    };
    NamedLinks links;
    links.is_split = sharing == Sharing::split;
    links.up = add(links.is_split ? name + "_UP" : name);
    links.down = links.is_split ? add(name + "_DOWN") : links.up;
    return links;
  }

  NamedLinks add_named_links(const Element& element, const std::string& name, const Link& link,
                             Sharing sharing) {
    const NamedLinks links = add_links(element, name, link, sharing);
    if (!links_.try_emplace(name, links).second)
      element.problem("id", fmt::format("the link \"{}\" is here twice", printable(name)),
                      "give one of them another id");
    return links;
  }

  void read_link(Element& element, std::int32_t) {
    const std::string id = element.required("id");
    const Link link{LinkKind::network, read_bandwidth(element, "bandwidth"),
                    read_latency(element, "latency", false)};
    const Sharing sharing = read_sharing(element, "sharing_policy", "SHARED");
    for (const std::string_view profile : {"bandwidth_file", "latency_file", "state_file"})
      refuse_profile(element, profile);
    element.finish();
    for (Element& child : element.children())
      if (child.name() != "prop") child.refuse();
    add_named_links(element, id, link, sharing);
  }

  void read_backbone(Element& element, std::int32_t zone) {
    const std::string id = element.required("id");
    const Link link{LinkKind::network, read_bandwidth(element, "bandwidth"),
                    read_latency(element, "latency", true)};
    element.finish();
    if (zones_.zones[at(zone)].rule != Zones::Rule::star)
      element.problem("a <backbone> belongs into a zone with routing Cluster", "write a <link>");
    if (!zones_.zones[at(zone)].centre.empty())
      element.problem("this is a second backbone of the zone", "write one");
    zones_.zones[at(zone)].centre = {add_named_links(element, id, link, Sharing::shared).up};
  }

  // The link that an id names in a direction: -1, and a problem, where there is none.
  std::int32_t find_link(const Element& element, std::string_view attribute, const std::string& id,
                         std::string_view direction) {
    std::string name = id;
    // SimGrid also takes the names of the two halves of a split link.
    for (const std::string_view half : {"UP", "DOWN"}) {
      const std::string ending = "_" + std::string(half);
      if (links_.find(name) != links_.end() || !name.ends_with(ending) || direction != "NONE") continue;
      const auto whole = links_.find(name.substr(0, name.size() - ending.size()));
      if (whole != links_.end() && whole->second.is_split)
        return half == "UP" ? whole->second.up : whole->second.down;
    }
    const auto found = links_.find(name);
    if (found == links_.end()) {
      std::vector<std::string_view> known;
      for (const auto& row : links_)
        if (links_.size() <= most_compared) known.push_back(row.first);
      std::sort(known.begin(), known.end());
      const std::string_view near = nearest(name, known);
      element.problem(attribute, fmt::format("there is no link \"{}\"", printable(name)),
                      near.empty() ? "add the <link>" : fmt::format("did you mean \"{}\"?", near));
      return -1;
    }
    if (found->second.is_split && direction == "NONE") {
      element.problem(
          attribute,
          fmt::format("nothing says which half of the SPLITDUPLEX link \"{}\" is meant", printable(name)),
          R"(add direction="UP" or direction="DOWN")");
      return -1;
    }
    return direction == "DOWN" ? found->second.down : found->second.up;
  }

  // ---- Stars

  void read_host_link(Element& element, std::int32_t zone) {
    const std::string id = element.required("id");
    const std::string up = element.required("up");
    const std::string down = element.required("down");
    element.finish();
    if (zones_.zones[at(zone)].rule != Zones::Rule::star)
      element.problem("a <host_link> belongs into a zone with routing Cluster", "write a <route>");
    routes_.push_back([=, this] {
      const std::int32_t member = find_member(element, "id", id, zone);
      const Zones::Ray ray{{find_link(element, "up", up, "NONE")},
                           {find_link(element, "down", down, "NONE")}};
      if (member >= 0 && !zones_.zones[at(zone)].rays.try_emplace(member, ray).second)
        element.problem("id", fmt::format("\"{}\" has two host links", printable(id)), "write one");
    });
  }

  // What a cluster or a cabinet has for each of its hosts.
  void read_rows(Element& element, std::int32_t zone, Sharing sharing, const std::string& id) {
    const std::string prefix = element.required("prefix");
    const std::string suffix = element.required("suffix");
    const std::string text = element.required("radical");
    const FlopsPerSecond speed = read_speed(element);
    const Link link{LinkKind::network, read_bandwidth(element, "bw"), read_latency(element, "lat", true)};
    const auto numbers = simgrid::radical(text, most_hosts);
    if (!numbers && element.has("radical"))
      element.problem("radical", fmt::format("\"{}\" is no list of numbers", printable(text)),
                      fmt::format("write one as in \"0-9,12\", of {} hosts at most", most_hosts));
    if (!numbers) return;
    if (numbers->size() + zones_.hosts.size() > most_hosts) return refuse_more_hosts(element);
    for (const std::int64_t number : *numbers) {
      const std::int32_t host = add_host(element, fmt::format("{}{}{}", prefix, number, suffix), zone, speed);
      const NamedLinks links = add_links(element, fmt::format("{}_link_{}", id, number), link, sharing);
      zones_.zones[at(zone)].rays[host] = {{links.up}, {links.down}};
    }
  }

  void read_cabinet(Element& element, std::int32_t zone) {
    const std::string id = element.required("id");
    if (zones_.zones[at(zone)].rule != Zones::Rule::star)
      element.problem("a <cabinet> belongs into a zone with routing Cluster", "write <host>s");
    read_rows(element, zone, Sharing::split, id);
    element.finish();
  }

  void read_cluster(Element& element, std::int32_t around) {
    const std::string id = element.required("id");
    const std::int32_t zone = add_zone(element, id, Zones::Rule::star, around);
    const Sharing sharing = read_sharing(element, "sharing_policy", "SPLITDUPLEX");
    const Sharing shared_backbone = read_sharing(element, "bb_sharing_policy", "SHARED");
    const std::string router = element.optional("router_id", "");
    if (const auto topology = element.maybe("topology"); topology && *topology != "FLAT")
      element.problem("topology", fmt::format("a cluster with topology {} is not read", printable(*topology)),
                      "write a platform of our own format: \"type\": \"torus\" or \"fat_tree\"");
    if (const auto limiter = element.maybe("limiter_link"); limiter && !limiter->empty())
      element.problem("limiter_link", "a limiter link is not offered", "write bw as the smaller of the two");
    element.ignore(
        {"topo_parameters", "loopback_bw", "loopback_lat"});  // a transfer to itself takes no time here
    if (!element.optional("bb_bw", "").empty()) {
      const Link link{LinkKind::network, read_bandwidth(element, "bb_bw"),
                      read_latency(element, "bb_lat", false)};
      zones_.zones[at(zone)].centre = {add_named_links(element, id + "_backbone", link, shared_backbone).up};
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
    add_member(element, router.empty() ? fmt::format("{}{}_router{}", prefix, id, suffix) : router, zone);
    element.finish();
  }

  // ---- Routes, read when everything else has been

  std::int32_t find_member(const Element& element, std::string_view attribute, const std::string& id,
                           std::int32_t zone) {
    const auto found = members_.find(id);
    if (found != members_.end() && zones_.members[at(found->second)].zone == zone) return found->second;
    if (found != members_.end()) {
      element.problem(attribute, fmt::format("\"{}\" is not in this zone", printable(id)),
                      "name a host, router or zone that is");
      return -1;
    }
    std::vector<std::string> names;
    for (const std::int32_t member : zones_.zones[at(zone)].members)
      if (names.size() < most_compared) names.push_back(zones_.members[at(member)].name);
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string_view near = nearest(id, known);
    element.problem(
        attribute, fmt::format("there is no \"{}\" in this zone", printable(id)),
        near.empty() ? "name a host, router or zone that is" : fmt::format("did you mean \"{}\"?", near));
    return -1;
  }

  void read_route(Element& element, std::int32_t zone) { read_passage(element, zone, false); }
  void read_zone_route(Element& element, std::int32_t zone) { read_passage(element, zone, true); }

  struct Ends {
    std::string src{}, dst{}, gw_src{}, gw_dst{};
    bool is_symmetrical = true;
  };

  void read_passage(Element& element, std::int32_t zone, bool has_gateways) {
    Ends ends{element.required("src"), element.required("dst")};
    if (has_gateways) {
      ends.gw_src = element.required("gw_src");
      ends.gw_dst = element.required("gw_dst");
    }
    const std::string symmetrical = element.optional("symmetrical", "YES");
    ends.is_symmetrical = symmetrical == "YES" || symmetrical == "yes";
    if (!ends.is_symmetrical && symmetrical != "NO" && symmetrical != "no")
      element.problem("symmetrical", fmt::format("\"{}\" is neither YES nor NO", printable(symmetrical)),
                      "write YES or NO");
    element.finish();
    if (zones_.zones[at(zone)].rule == Zones::Rule::star) {
      element.problem(fmt::format("<{}> in a zone with routing Cluster is not offered", element.name()),
                      "its hosts reach each other over their <host_link>s");
      return;
    }
    routes_.push_back([=, this] { add_passage(element, zone, ends); });
  }

  void add_passage(const Element& element, std::int32_t zone, const Ends& ends) {
    const std::int32_t from = find_member(element, "src", ends.src, zone);
    const std::int32_t to = find_member(element, "dst", ends.dst, zone);
    const std::int32_t leaves = find_gateway(element, "gw_src", ends.gw_src, from);
    const std::int32_t enters = find_gateway(element, "gw_dst", ends.gw_dst, to);
    Zones::Passage forward{{}, leaves, enters};
    Zones::Passage back{{}, enters, leaves};
    for (Element& child : element.children()) {
      if (child.name() != "link_ctn") {
        child.refuse();
        continue;
      }
      const std::string id = child.required("id");
      const std::string direction = child.optional("direction", "NONE");
      child.finish();
      if (direction != "UP" && direction != "DOWN" && direction != "NONE")
        child.problem("direction", fmt::format("\"{}\" is no direction", printable(direction)),
                      "write UP, DOWN or NONE");
      const std::string_view turned = direction == "UP" ? "DOWN" : direction == "DOWN" ? "UP" : "NONE";
      forward.links.push_back(find_link(child, "id", id, direction));
      if (forward.links.back() < 0) continue;
      const auto whole = links_.find(id);  // named halves have no way back
      back.links.insert(back.links.begin(),
                        whole == links_.end() ? other_half(id) : find_link(child, "id", id, turned));
    }
    if (from < 0 || to < 0) return;
    if (from == to) {
      warn(element, "the route from a host to itself is left out", "a transfer to itself takes no time here");
      return;
    }
    const bool is_new = store(element, zone, from, to, forward, ends);
    if (is_new && ends.is_symmetrical) store(element, zone, to, from, back, {ends.dst, ends.src});
  }

  std::int32_t other_half(const std::string& id) {
    const bool is_up = id.ends_with("_UP");
    const auto whole = links_.find(id.substr(0, id.rfind('_')));
    expect(whole != links_.end(), "\"{}\" was a half of a link", id);
    return is_up ? whole->second.down : whole->second.up;
  }

  bool store(const Element& element, std::int32_t zone, std::int32_t from, std::int32_t to,
             const Zones::Passage& passage, const Ends& ends) {
    if (zones_.zones[at(zone)].passages.try_emplace({from, to}, passage).second) return true;
    element.problem(fmt::format("the route from \"{}\" to \"{}\" is here twice", printable(ends.src),
                                printable(ends.dst)),
                    R"(leave one out; a route is also the way back unless it says symmetrical="NO")");
    return false;
  }

  // A zone is left and entered at a host or router somewhere in it.
  std::int32_t find_gateway(const Element& element, std::string_view attribute, const std::string& id,
                            std::int32_t member) {
    if (member < 0) return -1;
    const Zones::Member& content = zones_.members[at(member)];
    if (content.inside < 0 && (id.empty() || id == content.name)) return member;
    if (id.empty() && element.name() == "route") {
      element.problem(fmt::format("\"{}\" is a zone", printable(content.name)),
                      "write a <zoneRoute> with gateways");
      return -1;
    }
    if (id.empty() && !element.has(attribute)) return -1;  // told already
    const auto found = members_.find(id);
    std::int32_t outer =
        found == members_.end() || zones_.members[at(found->second)].inside >= 0 ? -1 : found->second;
    const std::int32_t gateway = outer;
    while (outer >= 0 && outer != member) {
      const std::int32_t zone = zones_.members[at(outer)].zone;
      outer = zone < 0 ? -1 : zones_.zones[at(zone)].member;
    }
    if (outer == member) return gateway;
    element.problem(
        attribute,
        fmt::format("there is no gateway \"{}\" in \"{}\"", printable(id), printable(content.name)),
        "name a host or router of that zone");
    return -1;
  }

  void check_shortest() {
    for (const Zones::Zone& zone : zones_.zones) {
      if (zone.rule == Zones::Rule::shortest && zone.members.size() > most_members_of_shortest)
        problems_.add(zone.place,
                      fmt::format("a zone of {} members is too large for shortest ways", zone.members.size()),
                      fmt::format("write {} at most, or zones in zones", most_members_of_shortest));
    }
  }

  static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

  Problems& problems_;
  std::vector<Problem> warnings_{};
  Zones zones_{};
  SimgridHosts hosts_;
  std::unordered_map<std::string, NamedLinks> links_{};
  std::unordered_map<std::string, std::int32_t> members_{};
  std::vector<std::function<void()>> routes_{};
  bool has_too_many_ = false;
};

}  // namespace

Built build_simgrid(const xml::Document& document, const Parameters& parameters, Problems& problems) {
  return SimgridReader(parameters, problems).read(document.root(problems));
}

}  // namespace wt::platform
