#include "platform/platform.h"

#include <fmt/format.h>

#include <array>

#include "platform/topology.h"

namespace wt::platform {

namespace {

constexpr std::array<std::string_view, 9> kind_names{"nvlink",      "xgmi", "ici",     "pcie",   "socket",
                                                     "host_memory", "nic",  "network", "on_chip"};

std::int32_t number_of(Endpoint endpoint) { return static_cast<std::int32_t>(endpoint); }

// The machine of a device or host, and its point there. Requires: the endpoint is no switch.
Topology::Spot spot_of(const Topology& topology, Endpoint endpoint) {
  const std::int32_t number = number_of(endpoint), devices = topology.devices();
  WT_EXPECT(number >= 0 && number < devices + topology.hosts(), "endpoint {}", number);
  return number < devices ? topology.spot_of_device(number) : topology.spot_of_host(number - devices);
}

std::vector<Endpoint> range(std::int32_t first, std::int32_t count) {
  std::vector<Endpoint> endpoints;
  for (std::int32_t i = 0; i < count; ++i) endpoints.push_back(Endpoint(first + i));
  return endpoints;
}

}  // namespace

std::string_view name(LinkKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

Platform::Platform(std::string name, std::shared_ptr<const Topology> topology, std::string written,
                   const std::optional<Calibration>& calibration)
    : name_(std::move(name)),
      topology_(std::move(topology)),
      written_(std::make_shared<const std::string>(std::move(written))),
      calibration_(calibration ? std::make_shared<const Calibration>(*calibration) : nullptr) {}

bool Platform::is_same(const Platform& other) const {
  const bool is_copy = topology_ == other.topology_ && calibration_ == other.calibration_;
  const bool has_equal_text = !written_->empty() && *written_ == *other.written_;
  return (is_copy || has_equal_text) && name_ == other.name_ && link_speed_ == other.link_speed_ &&
         (slower_ == other.slower_ || (slower_ && other.slower_ && *slower_ == *other.slower_));
}

Platform Platform::with_calibration(Calibration calibration) const {
  Platform calibrated = *this;
  calibrated.calibration_ = std::make_shared<const Calibration>(std::move(calibration));
  // The text doesn't describe the corrected machines.
  calibrated.written_ = std::make_shared<const std::string>();
  return calibrated;
}

Platform Platform::with_faster_links(double times) const {
  WT_EXPECT(times > 0, "links cannot be {} times as fast", times);
  Platform faster = *this;
  faster.link_speed_ *= times;
  return faster;
}

Platform Platform::with_slower_links(std::map<LinkId, double> factors) const {
  for (const auto& [link, factor] : factors)
    WT_EXPECT(factor >= 1, "a link cannot become {} times slower", factor);
  Platform slower = *this;
  slower.slower_ = std::make_shared<const std::map<LinkId, double>>(std::move(factors));
  return slower;
}

double Platform::slowness_of(LinkId link) const {
  const auto found = slower_->find(link);
  return found == slower_->end() ? 1 : found->second;
}

std::int32_t Platform::devices() const { return topology_->devices(); }
std::int32_t Platform::machines() const { return topology_->machines(); }
std::int32_t Platform::hosts() const { return topology_->hosts(); }
std::int32_t Platform::links() const { return topology_->links(); }

std::int32_t Platform::switches() const { return topology_->adders().count(); }

Endpoint Platform::device(std::int32_t index) const {
  WT_EXPECT(index >= 0 && index < devices(), "device {} of {}", index, devices());
  return Endpoint(index);
}

Endpoint Platform::host(std::int32_t index) const {
  WT_EXPECT(index >= 0 && index < hosts(), "host {} of {}", index, hosts());
  return Endpoint(devices() + index);
}

Endpoint Platform::switch_at(std::int32_t index) const {
  WT_EXPECT(index >= 0 && index < switches(), "switch {} of {}", index, switches());
  return Endpoint(devices() + hosts() + index);
}

bool Platform::is_switch(Endpoint endpoint) const { return number_of(endpoint) >= devices() + hosts(); }

std::int32_t Platform::machine_of(Endpoint endpoint) const {
  if (is_switch(endpoint)) return topology_->machine_of_adder(adder_number(endpoint));
  return spot_of(*topology_, endpoint).machine;
}

std::vector<Endpoint> Platform::devices_of(std::int32_t machine) const {
  return range(topology_->first_device_of(machine), topology_->wiring(machine).devices());
}

std::vector<Endpoint> Platform::hosts_of(std::int32_t machine) const {
  return range(devices() + topology_->first_host_of(machine), topology_->wiring(machine).hosts());
}

std::int32_t Platform::group_of(std::int32_t machine) const { return topology_->group_of(machine); }

std::optional<Endpoint> Platform::adder_of(Endpoint device) const {
  WT_EXPECT(is_device(device), "endpoint {} is not a device", number_of(device));
  const std::int32_t adder = topology_->nvlink_adder_of(machine_of(device));
  if (adder < 0) return std::nullopt;
  return switch_at(adder);
}

Endpoint Platform::host_of(Endpoint device) const {
  WT_EXPECT(is_device(device), "endpoint {} is a host", index(device));
  const Topology::Spot spot = spot_of(*topology_, device);
  return host(topology_->first_host_of(spot.machine) + topology_->wiring(spot.machine).host_of(spot.point));
}

const device::DeviceType& Platform::type(Endpoint endpoint) const {
  WT_EXPECT(!is_switch(endpoint), "endpoint {} is a switch", number_of(endpoint));
  const MachineTypes& types = topology_->types(machine_of(endpoint));
  return is_device(endpoint) ? types.device : types.host;
}

std::string Platform::name(Endpoint endpoint) const {
  if (is_switch(endpoint)) return topology_->name_of_adder(adder_number(endpoint));
  return topology_->name(spot_of(*topology_, endpoint));
}
Link Platform::link(LinkId link) const {
  Link found = topology_->link(link);
  found.bandwidth *= link_speed_;
  if (slower_) found.bandwidth *= 1 / slowness_of(link);
  return found;
}
std::int32_t Platform::machine_of(LinkId link) const { return topology_->machine_of(link); }
std::string Platform::name(LinkId link) const { return topology_->name(link); }

const Slice* Platform::slice() const { return topology_->slice() ? &*topology_->slice() : nullptr; }

std::int32_t Platform::adder_number(Endpoint endpoint) const {
  const std::int32_t number = number_of(endpoint) - devices() - hosts();
  WT_EXPECT(number < switches(), "endpoint {}", number_of(endpoint));
  return number;
}

Route Platform::find_route(Endpoint from, Endpoint to) const {
  if (is_switch(from) && is_switch(to))
    return topology_->route_between_adders(adder_number(from), adder_number(to));
  if (is_switch(to)) return topology_->route_to_adder(spot_of(*topology_, from), adder_number(to));
  if (is_switch(from)) return topology_->route_from_adder(adder_number(from), spot_of(*topology_, to));
  return topology_->route(spot_of(*topology_, from), spot_of(*topology_, to));
}

bool Platform::joins(Endpoint from, Endpoint to) const {
  return from == to || !find_route(from, to).links.empty();
}

Route Platform::route(Endpoint from, Endpoint to) const {
  Route route = find_route(from, to);
  if (route.links.empty() && from != to) {
    throw InputError(fmt::format("there is no route from {} to {}", name(from), name(to)),
                     "add a link that joins them to the platform's file");
  }
  route.bottleneck *= link_speed_;
  if (slower_)
    for (const LinkId crossed : route.links)
      route.bottleneck = std::min(route.bottleneck, link(crossed).bandwidth);
  return route;
}

}  // namespace wt::platform
