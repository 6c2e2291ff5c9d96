#include "platform/wiring.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/narrow.h"
#include "platform/networks.h"
#include "platform/wiring_steps.h"

namespace wt::platform {

Wiring::Wiring(const MachineDescription& machine, const Options& options, Problems& problems) {
  if (wire_tree(*this, machine, options, problems)) find_routes(*this, machine, options, problems);
}

std::int32_t Wiring::add_part(Part part, std::int32_t index, std::int32_t host) {
  parts_.push_back({part, index, host});
  return narrow<std::int32_t>(parts_.size()) - 1;
}

// Adds a link in each direction and returns the first. Consecutive links of one description share its place.
std::int32_t Wiring::connect(std::int32_t from, std::int32_t to, const Link& link, const Place& origin) {
  const auto edge = narrow<std::int32_t>(edges_.size());
  const bool is_known = !places_.empty() && places_.back().file == origin.file &&
                        places_.back().line == origin.line && places_.back().column == origin.column;
  if (!is_known) places_.push_back(origin);
  const auto place = narrow<std::int32_t>(places_.size()) - 1;
  edges_.push_back({from, to, link, place});
  edges_.push_back({to, from, link, place});
  return edge;
}

std::int32_t Wiring::connect(std::int32_t from, std::int32_t to, LinkKind kind, const Wire& wire) {
  return connect(from, to, {kind, payload(wire), wire.latency}, wire.place);
}

bool Wiring::is_nvlink(Point from, Point to) const {
  const std::span<const std::int32_t> links = route(from, to);
  return !links.empty() && std::all_of(links.begin(), links.end(), [&](std::int32_t id) {
    return link(id).kind == LinkKind::nvlink || link(id).kind == LinkKind::xgmi;
  });
}

Point Wiring::device_of(Point point) const {
  if (is_device(point)) return point;
  for (std::int32_t number = 0; number < devices_; ++number)
    if (host_of(device(number)) == parts_[index(point)].host) return device(number);
  return device(0);
}

// The index of a route in stretches_. An anchor is a point that is no device. The table has four blocks:
// device to device, device to anchor, anchor to device, and anchor to anchor. With a fabric the first block
// is absent, so that thousands of devices behind an ideal switch need no table of pairs.
std::size_t Wiring::slot(Point from, Point to) const {
  const auto devices = static_cast<std::size_t>(devices_);
  const auto anchors =
      static_cast<std::size_t>(hosts_) + static_cast<std::size_t>(nics_) + static_cast<std::size_t>(chips_);
  const std::size_t pairs = has_fabric_ ? 0 : devices * devices;
  if (is_device(from) && is_device(to)) return index(from) * devices + index(to);
  if (is_device(from)) return pairs + index(from) * anchors + (index(to) - devices);
  const std::size_t row = index(from) - devices;
  if (is_device(to)) return pairs + devices * anchors + row * devices + index(to);
  return pairs + 2 * devices * anchors + row * anchors + (index(to) - devices);
}

std::span<const std::int32_t> Wiring::route(Point from, Point to) const {
  WT_EXPECT(!(has_fabric_ && is_device(from) && is_device(to)), "devices {} and {} are joined by the fabric",
            index(from), index(to));
  const Stretch stretch = stretches_[slot(from, to)];
  return {pool_.data() + stretch.begin, stretch.length};
}

void Wiring::store(Point from, Point to, std::span<const std::int32_t> links) {
  stretches_[slot(from, to)] = {static_cast<std::uint32_t>(pool_.size()),
                                static_cast<std::uint32_t>(links.size())};
  pool_.insert(pool_.end(), links.begin(), links.end());
}

std::string Wiring::name(const PartInfo& part) const {
  switch (part.part) {
    case Part::device:
      return fmt::format("{} {}", device_noun_, part.index);
    case Part::host:
      return fmt::format("host {}", part.index);
    case Part::nic:
      return fmt::format("nic {}", part.index);
    case Part::chip:
      return fmt::format("chip {}", part.index);
    case Part::socket:
      return fmt::format("socket {}", part.index);
    case Part::pcie_switch:
      return fmt::format("pcie switch {}", part.index);
    case Part::nvlink_switch:
      return nvlink_switch_noun_;
  }
  WT_EXPECT(false, static_cast<int>(part.part));
  return {};
}

std::string Wiring::name(Point point) const { return name(parts_[index(point)]); }

std::string Wiring::name(std::int32_t link) const {
  const Edge& edge = edges_[static_cast<std::size_t>(link)];
  return name(parts_[static_cast<std::size_t>(edge.from)]) + " -> " +
         name(parts_[static_cast<std::size_t>(edge.to)]);
}

std::vector<Problem> Wiring::idle() const {
  std::vector<bool> used(edges_.size(), false);
  for (const std::int32_t link : pool_) used[static_cast<std::size_t>(link)] = true;
  std::vector<Problem> warnings = idle_;
  for (std::size_t edge = 0; edge < edges_.size(); edge += 2) {
    if (used[edge] || used[edge + 1]) continue;
    warnings.push_back({places_[at(edges_[edge].origin)],
                        fmt::format("the link {} is unused", name(static_cast<std::int32_t>(edge))),
                        "no route between devices, hosts and NICs takes it"});
  }
  return warnings;
}

}  // namespace wt::platform
