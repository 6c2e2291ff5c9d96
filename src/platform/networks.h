#pragma once
// From the object "network" or "fabric" of a platform file to a Fabric: a tree of switches
// (platform/switches.h) or a grid (platform/torus.h). Keys that the type does not use, missing keys and wrong
// sizes become problems.

#include <memory>
#include <vector>

#include "platform/description.h"
#include "platform/fabric.h"

namespace wt::platform {

// The ports of equal machines, which follow each other.
struct EqualPorts {
  std::int32_t machines = 1;
  std::int32_t per_machine = 1;
  const Wire* usual = nullptr;  // the wire of a port whose object has no bandwidth: the NIC's; null: none
};

// The ports that a fabric joins, and how it names them and their links.
struct Ports {
  std::vector<EqualPorts> groups{};  // at least one
  std::string_view noun = "NIC";
  LinkKind port_kind = LinkKind::nic;
  LinkKind uplink_kind = LinkKind::network;
};

// Null if there was a problem. Links between switches that no route takes become warnings.
std::unique_ptr<const Fabric> make_fabric(const Network& network, const Ports& ports, Problems& problems,
                                          std::vector<Problem>& warnings);

// The wire of a network's port at a NIC: the network's own, else the NIC's with the network's latency if it has
// one. Among unlike machines the network's own wire is no faster than the NIC at its end.
Wire port_wire(const Network& network, const Wire& nic, bool is_among_unlike);

// The bandwidth that payload gets in one direction: links x bandwidth x efficiency.
BytesPerSecond payload(const Wire& wire);

}  // namespace wt::platform
