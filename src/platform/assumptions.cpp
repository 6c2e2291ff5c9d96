#include "platform/assumptions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/installation.h"
#include "base/utf8.h"

namespace wt::platform {

namespace {

struct NamedWire {
  std::string_view key{};
  const Wire* wire = nullptr;
};

template <class Part>
void add(std::vector<NamedWire>& wires, std::string_view key, const std::optional<Part>& part) {
  if constexpr (std::is_same_v<Part, Wire>) {
    if (part) wires.push_back({key, &*part});
  } else {
    if (part) wires.push_back({key, &part->wire});
  }
}

std::vector<NamedWire> wires_of(const MachineDescription& machine) {
  std::vector<NamedWire> wires;
  add(wires, "hosts.link", machine.hosts.link);
  add(wires, "pcie", machine.pcie);
  if (machine.pcie) add(wires, "pcie.uplink", machine.pcie->uplink);
  add(wires, "c2c", machine.c2c);
  add(wires, "nvlink", machine.nvlink);
  add(wires, "xgmi", machine.xgmi);
  add(wires, "nics", machine.nics);
  return wires;
}

std::vector<NamedWire> wires_of(const Description& description) {
  std::vector<NamedWire> wires;
  for (const MachineGroup& group : description.groups)
    for (const NamedWire& named : wires_of(group.machine)) wires.push_back(named);
  if (description.network) add(wires, "network.uplink", description.network->uplink);
  add(wires, "fabric", description.fabric);
  add(wires, "ici", description.ici);
  if (description.ici) add(wires, "ici.on_chip", description.ici->on_chip);
  return wires;
}

bool is_of_the_user(const Place& place) {
  const std::filesystem::path file = std::filesystem::weakly_canonical(place.file);
  return file.parent_path() != data_folder("platforms");
}

// A network may state the latency of the NICs' wires.
bool has_latency(const NamedWire& named, const Description& description) {
  const bool is_nics = named.key == "nics";
  const bool by_network = is_nics && description.network && description.network->wire.latency > Seconds(0);
  return named.wire->latency > Seconds(0) || by_network;
}

bool is_below(const std::vector<Switch>& switches, int nic) {
  return std::ranges::any_of(switches, [&](const Switch& one) {
    return std::ranges::find(one.nics, nic) != one.nics.end() || is_below(one.switches, nic);
  });
}

// The first NIC that is attached to a socket without anyone having said so.
std::optional<int> first_nic_at_a_socket(const MachineDescription& machine) {
  if (!machine.nics || !machine.pcie || machine.nics->attached) return std::nullopt;
  const Switches& switches = machine.pcie->switches.value;
  if (const auto* levels = std::get_if<std::vector<int>>(&switches))
    return levels->empty() ? std::optional(0) : std::nullopt;
  for (int nic = 0; nic < machine.nics->count; ++nic)
    if (!is_below(std::get<std::vector<Switch>>(switches), nic)) return nic;
  return std::nullopt;
}

}  // namespace

std::vector<Problem> assumptions(const Description& description) {
  std::vector<Problem> assumed;
  for (const NamedWire& named : wires_of(description))
    if (!has_latency(named, description) && is_of_the_user(named.wire->place))
      assumed.push_back({named.wire->place,
                         fmt::format("\"{}\" has no latency: a crossing is assumed to take no time beside "
                                     "what software adds",
                                     named.key),
                         R"(add "latency", as in "1 us")"});
  for (const MachineGroup& group : description.groups)
    if (const std::optional<int> nic = first_nic_at_a_socket(group.machine);
        nic && is_of_the_user(group.machine.nics->wire.place))
      assumed.push_back({group.machine.nics->wire.place,
                         fmt::format("NIC {} is below no PCIe switch: it is assumed to be attached to a CPU "
                                     "socket, through which devices reach it",
                                     *nic),
                         R"(add "switches" to "pcie", or "attached": "hosts" to "nics")"});
  if (!description.network_file.empty())
    assumed.push_back({description.place,
                       fmt::format("the platform has no \"network\": that of {}, the first group that has "
                                   "one, is assumed to join the NICs of all groups",
                                   printable(description.network_file)),
                       R"(add "network", as in {"type": "switch"})"});
  return assumed;
}

}  // namespace wt::platform
