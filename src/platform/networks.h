#pragma once

#include <memory>

#include "platform/description.h"
#include "platform/fabric.h"

namespace wt::platform {

// What a description joins, and how it calls them.
struct Ports {
  std::int32_t machines = 1;
  std::int32_t per_machine = 1;
  std::string_view noun = "NIC";
  LinkKind port_kind = LinkKind::nic;
  LinkKind uplink_kind = LinkKind::network;
  const Wire* usual = nullptr;  // of a port, where the description has no bandwidth of its own
};

// Null where there was a problem. Links that nothing uses go to `warnings`.
std::unique_ptr<const Fabric> make_fabric(const Network& network, const Ports& ports, Problems& problems,
                                          std::vector<Problem>& warnings);

BytesPerSecond payload(const Wire& wire);

}  // namespace wt::platform
