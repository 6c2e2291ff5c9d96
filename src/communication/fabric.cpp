#include "communication/fabric.h"

#include <algorithm>
#include <map>
#include <span>

#include "platform/keys.h"
#include "platform/slice.h"
#include "platform/summary.h"

namespace wt::communication {

namespace {

using platform::Maker, platform::Summary;

collective::Inside inside_of(const Summary& summary) {
  switch (summary.inside) {
    case platform::Inside::nvswitch:
      return collective::Inside::nvswitch;
    case platform::Inside::nvlink_mesh:
      return collective::Inside::nvlink_mesh;
    case platform::Inside::pcie_peer:
      return collective::Inside::pcie_peer;
    case platform::Inside::host_staged:
      return collective::Inside::staged;
    case platform::Inside::alone:
      return collective::Inside::pcie_peer;
    case platform::Inside::ici:
    case platform::Inside::ideal:
      break;
  }
  return collective::Inside::ideal;
}

collective::Host host_of(Maker maker) {
  return maker == Maker::amd     ? collective::Host::amd
         : maker == Maker::intel ? collective::Host::intel
                                 : collective::Host::other;
}

int capability_of(const Summary& summary) {
  if (summary.maker != Maker::nvidia || summary.device == nullptr || !summary.device->compute_capability)
    return 0;
  return summary.device->compute_capability->major * 10 + summary.device->compute_capability->minor;
}

// The word for a type of network card in platform files.
std::string network_name(platform::NicType type) {
  for (const auto& [name, value] : platform::Words<platform::NicType>::rows)
    if (value == type) return std::string(name);
  return {};
}

bool is_gpu(const Summary& summary) {
  return summary.device != nullptr && summary.device->kind == device::Kind::gpu;
}

// Whether a single link joins each two of the first node's devices.
bool are_all_linked(const Group& group, int devices) {
  const auto ranks = std::span(group.ranks).first(static_cast<std::size_t>(devices));
  return std::ranges::all_of(ranks, [&](platform::Endpoint from) {
    return std::ranges::all_of(ranks, [&](platform::Endpoint to) {
      return from == to || group.platform.route(from, to).links.size() == 1;
    });
  });
}

const Network* network_of(const Hardware& machine) {
  const auto& networks = constants().networks;
  const auto found = networks.find(machine.network);
  return found == networks.end() ? nullptr : &found->second;
}

// Amazon's plug-in looks up the name of the machine type. A described machine has no such name, so its type follows from
// the class of its network cards, their rate, and the generation of its GPUs.
collective::Tuner tuner_of(const Hardware& machine) {
  constexpr BytesPerSecond cards_of_p5(12.5e9);
  const int capability = machine.fabric.capability;
  if (machine.network != "efa" || capability < 90) return collective::Tuner::none;
  if (capability >= 100) return collective::Tuner::aws_p6;
  return machine.fabric.nic_rate > cards_of_p5 ? collective::Tuner::aws_p5en : collective::Tuner::aws_p5;
}

// Unset unless the group consists of whole slices of several chips.
std::optional<collective::Torus> torus_of(const Summary& summary, const Group& group) {
  const int slices = whole_slices(group);
  const platform::Slice* slice = summary.slice;
  if (slices == 0 || slice->chips == 1) return std::nullopt;
  const int cores = slice->devices_per_chip();
  const auto neighbour = static_cast<std::size_t>(cores);
  const platform::Route hop = group.platform.route(group.ranks[0], group.ranks[neighbour]);
  return collective::Torus{slice->shape.extents,
                           slice->wraps,
                           cores,
                           hop.bottleneck,
                           hop.latency / static_cast<double>(hop.links.size()),
                           slices};
}

// What each device of the first node sends when all send to the next one at once, where they share links.
BytesPerSecond rate_at_once(const Group& group, int devices) {
  std::map<platform::LinkId, int> messages;
  for (int device = 0; device < devices; ++device) {
    const auto from = static_cast<std::size_t>(device), to = static_cast<std::size_t>((device + 1) % devices);
    for (const platform::LinkId link : group.platform.route(group.ranks[from], group.ranks[to]).links)
      ++messages[link];
  }
  BytesPerSecond least{};
  for (const auto& [link, count] : messages) {
    const BytesPerSecond rate = group.platform.link(link).bandwidth / static_cast<double>(count);
    if (least == BytesPerSecond{} || rate < least) least = rate;
  }
  return least;
}

}  // namespace

Hardware hardware_of(const Group& group) {
  const Summary summary = platform::summary_of(group.platform, group.ranks);
  const bool is_nvlink =
      summary.inside == platform::Inside::nvswitch || summary.inside == platform::Inside::nvlink_mesh;
  Hardware machine{.fabric = {.nodes = summary.nodes,
                              .ranks_per_node = summary.per_node,
                              .capability = capability_of(summary),
                              .inside = inside_of(summary),
                              .nvlinks = is_nvlink ? summary.links : 0,
                              .inside_rate = summary.slowest,
                              .nics = summary.nics,
                              .nic_rate = summary.nic,
                              .host = host_of(summary.host_maker),
                              .adds_in_switch = summary.adds_in_switch,
                              .is_amd = summary.maker == Maker::amd && is_gpu(summary),
                              .is_full_mesh = summary.inside == platform::Inside::nvlink_mesh &&
                                              summary.links == summary.per_node - 1 &&
                                              are_all_linked(group, summary.per_node),
                              .gpu_direct = summary.gpu_direct},
                   .generation = summary.device == nullptr ? "" : summary.device->generation,
                   .network = network_name(summary.nic_type),
                   .inside = summary.device_out,
                   .between = summary.network,
                   .link_speed = group.platform.link_speed(),
                   .is_joined = summary.machines > summary.nodes};
  const int devices = std::min(summary.per_node, group.size());
  if (summary.inside == platform::Inside::host_staged && devices > 1)
    machine.inside = rate_at_once(group, devices);
  if (const Network* network = network_of(machine); network != nullptr && summary.nodes > 1) {
    machine.fabric.has_ll = network->has_ll;
    machine.fabric.has_ll128 = network->has_ll128;
    machine.fabric.has_nvls_tree = network->has_nvls_tree;
    machine.fabric.tuner = tuner_of(machine);
  }
  if (group.size() > 1) {
    machine.fabric.latency = group.platform.route(group.ranks.front(), group.ranks.back()).latency;
    machine.fabric.torus = torus_of(summary, group);
  }
  return machine;
}

}  // namespace wt::communication
