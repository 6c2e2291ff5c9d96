#include "platform/switches.h"

#include <fmt/format.h>

#include "base/random.h"

namespace wt::platform {

namespace {

std::int32_t rounded_up(std::int32_t count, std::int32_t by) { return (count + by - 1) / by; }

}  // namespace

SwitchFabric::SwitchFabric(std::int32_t ports, Levels levels) : ports_(ports), levels_(std::move(levels)) {
  WT_EXPECT(levels_.parents.size() + 1 == height() && levels_.uplinks.size() == levels_.parents.size(),
            "the numbers of levels differ, {} of children", height());
  std::int32_t below = ports;
  if (levels_.rails > 0) {
    const std::int32_t leaf = levels_.children[0];
    rail_length_ = rounded_up(rounded_up(ports, levels_.rails), leaf) * leaf;
    below = rail_length_ * levels_.rails;
  }
  std::int32_t width = 1;
  std::int32_t links = 2 * ports;
  for (std::size_t level = 0; level < height(); ++level) {
    below = rounded_up(below, levels_.children[level]);
    groups_.push_back(below);
    width_.push_back(width);
    first_uplink_.push_back(links);
    if (level + 1 == height()) break;
    links += 2 * below * width * levels_.parents[level];
    width *= levels_.parents[level];
  }
}

// The position of a port in the row of all leaves. With rails, the ports of rail 0 come first, and each rail
// begins with a leaf of its own.
std::int32_t SwitchFabric::position(std::int32_t port) const {
  if (levels_.rails == 0) return port;
  return (port % levels_.rails) * rail_length_ + port / levels_.rails;
}

// Switches of a level are numbered group by group; `parent` is the number of the uplink of one switch.
std::int32_t SwitchFabric::uplink(std::size_t level, std::int32_t group, std::int32_t index,
                                  std::int32_t parent) const {
  return first_uplink_[level] + 2 * ((group * width_[level] + index) * levels_.parents[level] + parent);
}

const Link& SwitchFabric::port(std::int32_t port) const {
  std::size_t stretch = 0;
  while (stretch + 1 < levels_.ports.size() && port >= levels_.ports[stretch].ports)
    port -= levels_.ports[stretch++].ports;
  return levels_.ports[stretch].link;
}

// The links of ports come first, then the uplinks level by level.
const Link& SwitchFabric::link(std::int32_t link) const {
  if (link < 2 * ports_) return port(link / 2);
  std::size_t level = 0;
  while (link >= first_uplink_[level + 1]) ++level;
  return levels_.uplinks[level];
}

// Whether both ports are below one top group. Rails without spines are not.
bool SwitchFabric::joins(std::int32_t from, std::int32_t to) const {
  std::int32_t above_from = position(from);
  std::int32_t above_to = position(to);
  for (const std::int32_t children : levels_.children) {
    above_from /= children;
    above_to /= children;
  }
  return above_from == above_to;
}

// The uplink that a flow takes at a level. By destination, flows to one port come down the same way from
// everywhere, and flows to neighbouring ports are distributed over the uplinks (the D-mod-k rule of Zahavi
// and others, "Optimized InfiniBand fat-tree routing for shift all-to-all communication patterns", 2010).
// ECMP is a seeded hash.
std::int32_t SwitchFabric::choose(std::size_t level, std::int32_t from, std::int32_t to) const {
  const std::int32_t parents = levels_.parents[level];
  if (levels_.choice == Choice::destination) return (position(to) / width_[level]) % parents;
  const auto word = [](auto value) { return static_cast<std::uint32_t>(value); };
  const PhiloxCounter flow{word(from), word(to), word(level), 0};
  return static_cast<std::int32_t>(philox(flow, {word(levels_.seed), 0})[0] % word(parents));
}

// Ascends from the leaf of `from` until one group of switches is above both ports. The switches on the way
// down have the same indices in their groups as those on the way up.
void SwitchFabric::route(std::int32_t from, std::int32_t to, LinkId first, Trail& trail) const {
  const auto add = [&](std::int32_t id, const Link& link) {
    trail.add(LinkId(static_cast<std::int32_t>(first) + id), link);
  };
  std::int32_t up = position(from) / levels_.children[0];
  std::int32_t down = position(to) / levels_.children[0];
  std::array<std::int32_t, 32> descent{};  // the links down, by level
  std::size_t level = 0;
  std::int32_t index = 0;
  add(2 * from, port(from));
  while (up != down) {
    WT_EXPECT(level + 1 < height(), "no switch is above both port {} and port {}", from, to);
    const std::int32_t parent = choose(level, from, to);
    add(uplink(level, up, index, parent), levels_.uplinks[level]);
    descent[level] = uplink(level, down, index, parent) + 1;
    index = index * levels_.parents[level] + parent;
    ++level;
    up /= levels_.children[level];
    down /= levels_.children[level];
  }
  while (level-- > 0) add(descent[level], levels_.uplinks[level]);
  add(2 * to + 1, port(to));
}

std::string SwitchFabric::switch_name(std::size_t level, std::int32_t group, std::int32_t index) const {
  if (height() == 1 && groups_[0] == 1) return levels_.noun;
  if (height() == 1) return fmt::format("{} {}", levels_.noun, group);
  if (level == 0) return fmt::format("leaf {}", group);
  if (level + 1 == height()) return fmt::format("spine {}", index);
  return fmt::format("level {} switch {}.{}", level + 1, group, index);
}

std::string SwitchFabric::name(std::int32_t link, const PortName& port) const {
  std::string below;
  std::string above;
  if (link < 2 * ports_) {
    below = port(link / 2);
    above = switch_name(0, position(link / 2) / levels_.children[0], 0);
  } else {
    std::size_t level = 0;
    while (link >= first_uplink_[level + 1]) ++level;
    const std::int32_t number = (link - first_uplink_[level]) / 2;
    const std::int32_t parent = number % levels_.parents[level];
    const std::int32_t index = number / levels_.parents[level] % width_[level];
    const std::int32_t group = number / levels_.parents[level] / width_[level];
    below = switch_name(level, group, index);
    above =
        switch_name(level + 1, group / levels_.children[level + 1], index * levels_.parents[level] + parent);
  }
  return link % 2 == 0 ? below + " -> " + above : above + " -> " + below;
}

}  // namespace wt::platform
