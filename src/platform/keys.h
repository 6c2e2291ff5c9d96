#pragma once
// Every key of a platform file, listed once: its name, the member of platform/description.h that it fills,
// its bounds, and its meaning in one line. The member's type determines which values are legal, and its
// initial value is the default. Both readers of the lists are visitors: the parser (parse.cpp) and the writer
// of the JSON Schema (schema.cpp), so that the two cannot differ.
//
//   keys_of(visit, hosts) calls
//     visit(count_key("count", "how many CPU sockets a machine has", 1, 64), hosts.count) and so on.

#include <optional>
#include <string_view>

#include "base/json_reader.h"
#include "platform/description.h"

namespace wt::platform {

struct Key {
  std::string_view name{};
  // A noun phrase or a clause without full stop. Messages quote it after `add "name":`.
  std::string_view meaning{};
  bool required = false;
  std::optional<int> at_least{};
  std::optional<int> at_most{};
};

constexpr Key optional_key(std::string_view name, std::string_view meaning) {
  return {.name = name, .meaning = meaning};
}
constexpr Key required_key(std::string_view name, std::string_view meaning) {
  return {.name = name, .meaning = meaning, .required = true};
}
// A key with a whole number. The upper bound is far above any real machine and keeps products of counts in
// range.
constexpr Key count_key(std::string_view name, std::string_view meaning, int at_least = 1,
                        int at_most = 1 << 22) {
  return {.name = name, .meaning = meaning, .at_least = at_least, .at_most = at_most};
}
// Of a number without a unit. The largest is that of numbers without an upper bound of their own.
inline constexpr double smallest_ratio = 1e-6, largest_ratio = 1e6;
inline constexpr int most_parts = 1024;  // parts of one kind in one machine

// The words by which a file writes the values of an enumeration.
template <class T>
struct Words;
template <>
struct Words<Reach> {
  static constexpr json::Named<Reach> rows[] = {{"none", Reach::none},
                                                {"switch", Reach::below_switch},
                                                {"socket", Reach::socket},
                                                {"machine", Reach::machine}};
};
template <>
struct Words<Layout> {
  static constexpr json::Named<Layout> rows[] = {{"switch", Layout::nvswitch},
                                                 {"full_mesh", Layout::full_mesh}};
};
template <>
struct Words<Attached> {
  static constexpr json::Named<Attached> rows[] = {{"switches", Attached::switches},
                                                   {"hosts", Attached::hosts}};
};
template <>
struct Words<NicType> {
  static constexpr json::Named<NicType> rows[] = {
      {"unknown", NicType::unknown}, {"infiniband", NicType::infiniband}, {"roce", NicType::roce},
      {"efa", NicType::efa},         {"efa_v1", NicType::efa_v1},         {"tcpx", NicType::tcpx},
      {"tcpxo", NicType::tcpxo},     {"slingshot", NicType::slingshot},   {"ethernet", NicType::ethernet}};
};
template <>
struct Words<NetworkType> {
  static constexpr json::Named<NetworkType> rows[] = {
      {"switch", NetworkType::one_switch}, {"leaf_spine", NetworkType::leaf_spine},
      {"fat_tree", NetworkType::fat_tree}, {"rails", NetworkType::rails},
      {"ring", NetworkType::ring},         {"mesh", NetworkType::mesh},
      {"torus", NetworkType::torus}};
};
template <>
struct Words<FabricKind> {
  static constexpr json::Named<FabricKind> rows[] = {{"network", FabricKind::network},
                                                     {"nvlink", FabricKind::nvlink},
                                                     {"xgmi", FabricKind::xgmi},
                                                     {"ici", FabricKind::ici},
                                                     {"pcie", FabricKind::pcie}};
};
template <>
struct Words<Choice> {
  static constexpr json::Named<Choice> rows[] = {{"destination", Choice::destination},
                                                 {"ecmp", Choice::ecmp}};
};
template <>
struct Words<WrapRule> {
  static constexpr json::Named<WrapRule> rows[] = {{"never", WrapRule::never},
                                                   {"multiples_of_4", WrapRule::multiples_of_4},
                                                   {"axis_of_16", WrapRule::axis_of_16},
                                                   {"whole_pod", WrapRule::whole_pod}};
};
template <>
struct Words<Counts> {
  static constexpr json::Named<Counts> rows[] = {{"cores", Counts::cores}, {"chips", Counts::chips}};
};
template <>
struct Words<Unit> {
  static constexpr json::Named<Unit> rows[] = {{"chip", Unit::chip}, {"core", Unit::core}};
};

template <class Visit>
void wire_keys(Visit& visit, Wire& wire, bool needs_bandwidth = true) {
  visit(Key{.name = "bandwidth",
            .meaning = "the bandwidth of one link in one direction",
            .required = needs_bandwidth},
        wire.bandwidth);
  visit(count_key("links", "how many equal links are used as one", 1, most_parts), wire.links);
  visit(Key{.name = "efficiency", .meaning = "the share of the bandwidth that payload gets", .at_most = 1},
        wire.efficiency);
  visit(optional_key("latency", "the latency of one crossing, without software"), wire.latency);
}

template <class Visit>
void keys_of(Visit& visit, Wire& wire) {
  wire_keys(visit, wire);
}

template <class Visit>
void keys_of(Visit& visit, Devices& devices) {
  visit(required_key("type", "the device type: an id of devices.json, or an object with the keys of one"),
        devices.type);
  visit(count_key("count", "how many devices a machine has; with \"ici\" the slice determines it"),
        devices.count);
}

template <class Visit>
void keys_of(Visit& visit, Hosts& hosts) {
  visit(count_key("count", "how many CPU sockets a machine has", 1, 64), hosts.count);
  visit(required_key("type", "the CPU: an id of devices.json, or an object with the keys of one"),
        hosts.type);
  visit(optional_key("memory", "the memory of one socket, if it differs from the type's"), hosts.memory);
  visit(optional_key(
            "memory_bandwidth",
            "the memory bandwidth of one socket, if it differs from the type's; reads and writes are a "
            "link each"),
        hosts.memory_bandwidth);
  visit(optional_key("link", "the wire between each two sockets"), hosts.link);
}

template <class Visit>
void keys_of(Visit& visit, Switch& content) {
  visit(count_key("host", "the index of the socket above the switch; only for top switches", 0),
        content.host);
  visit(count_key("devices", "the indices of the devices below the switch", 0), content.devices);
  visit(count_key("nics", "the indices of the NICs below the switch", 0), content.nics);
  visit(optional_key("switches", "the switches below the switch"), content.switches);
}

template <class Visit>
void keys_of(Visit& visit, Pcie& pcie) {
  wire_keys(visit, pcie.wire);
  visit(optional_key(
            "switches",
            "the number of switches, or one number for each level, top level first; or the tree itself"),
        pcie.switches);
  visit(optional_key("uplink", "the wire above each switch, if it differs from the other wires of the tree"),
        pcie.uplink);
  visit(optional_key("peer_to_peer", "how far devices access each other's memory directly"),
        pcie.peer_to_peer);
}

template <class Visit>
void keys_of(Visit& visit, Nvlink& nvlink) {
  wire_keys(visit, nvlink.wire);
  visit(optional_key("layout", "whether each device is linked to one switch or to every other device"),
        nvlink.layout);
  visit(optional_key(
            "pairs",
            "the devices that are joined, and by how many links, instead of a layout: [[0, 1, 2], ...]"),
        nvlink.pairs);
}

template <class Visit>
void keys_of(Visit& visit, Nics& nics) {
  visit(optional_key("type", "the protocol family, which determines the latency that software adds"),
        nics.type);
  wire_keys(visit, nics.wire);
  visit(count_key("count", "how many NICs a machine has", 1, most_parts), nics.count);
  visit(optional_key("attached",
                     "whether NICs are attached to the lowest PCIe switches, as is the default if there are "
                     "any, or to the sockets"),
        nics.attached);
  visit(optional_key("gpu_direct", "how far NICs access the memory of devices directly"), nics.gpu_direct);
}

template <class Visit>
void keys_of(Visit& visit, MachineDescription& machine) {
  visit(required_key("devices", "the devices that compute"), machine.devices);
  visit(required_key("hosts", "the CPU sockets with their memory, which are the hosts of the devices"),
        machine.hosts);
  visit(optional_key("pcie", "the PCIe tree that joins devices and NICs with the hosts"), machine.pcie);
  visit(optional_key("c2c", "the wire between each device and its host, instead of PCIe"), machine.c2c);
  visit(optional_key("nvlink", "NVLinks between the devices"), machine.nvlink);
  visit(optional_key("xgmi", "xGMI links between the devices"), machine.xgmi);
  visit(optional_key("nics", "the ports to the network"), machine.nics);
}

// The keys that `network` and `fabric` have in common.
template <class Visit>
void network_keys(Visit& visit, Network& network) {
  visit(required_key("type", "the topology: how switches or ports are joined"), network.type);
  visit(count_key("machines_per_leaf", "for leaf_spine and rails: the number of machines on one leaf switch"),
        network.machines_per_leaf);
  visit(count_key("spines",
                  "for leaf_spine and rails: the number of spine switches; each leaf has one uplink to each",
                  1, most_parts),
        network.spines);
  visit(
      optional_key("oversubscription",
                   "for leaf_spine and rails: the bandwidth into a leaf divided by the bandwidth out of it"),
      network.oversubscription);
  visit(count_key("children", "for fat_tree: the ports below a switch of each level, from the leaves up"),
        network.children);
  visit(count_key("parents",
                  "for fat_tree: the uplinks of a switch of each level but the top one, from the leaves up"),
        network.parents);
  visit(optional_key(
            "uplink",
            "the wire between switches, instead of one that follows from the ports and the oversubscription"),
        network.uplink);
  visit(optional_key("routes", "the rule that selects one of several uplinks for a flow"), network.routes);
  visit(count_key("seed", "for ecmp: the seed of the hash", 0), network.seed);
  visit(optional_key("shape", "for mesh and torus: the extents, as in 4x4"), network.shape);
  visit(optional_key("wrap", "for torus: whether each axis closes to a ring; absent: every axis does"),
        network.wrap);
  visit(optional_key("twisted",
                     "for torus: whether it is twisted, which n x 2n, n x n x 2n and n x 2n x 2n can be"),
        network.twisted);
}

template <class Visit>
void keys_of(Visit& visit, Network& network, bool joins_devices) {
  wire_keys(visit, network.wire, joins_devices);
  network_keys(visit, network);
  if (!joins_devices) return;
  visit(optional_key("kind", "the kind of its links"), network.kind);
  visit(count_key("machines", "how many machines one fabric joins; absent: all"), network.machines);
}

template <class Visit>
void keys_of(Visit& visit, Ici& ici) {
  wire_keys(visit, ici.wire);
  visit(required_key("pod", "the largest shape, as in 16x16x16"), ici.pod);
  visit(required_key("host", "the chips of one host, as in 2x2x1"), ici.host);
  visit(optional_key("single_host", "larger slices that one host holds completely"), ici.single_host);
  visit(required_key("shapes", "the slices that exist"), ici.shapes);
  visit(count_key("multiples_of",
                  "all shapes up to the pod whose extents are multiples of this number exist, too"),
        ici.multiples_of);
  visit(required_key("wrap", "the rule by which axes close to rings"), ici.wrap);
  visit(optional_key("twist", "whether twisted slices exist, as in 4x4x8_twisted"), ici.twist);
  visit(required_key("names", "the beginnings of the names of slices: v4 for v4-32"), ici.names);
  visit(required_key("counts", "what the number in the name of a slice counts"), ici.counts);
  visit(count_key("cores", "the number of cores of one chip", 1, 16), ici.cores);
  visit(optional_key("device", "what TensorFlow sees as one device"), ici.device);
  visit(optional_key("on_chip", "the wire between a core and its chip's ICI; required if a core is a device"),
        ici.on_chip);
}

template <class Visit>
void keys_of(Visit& visit, CallFactors& call) {
  visit(optional_key("latency", "factor on predicted latencies, of the call and of each message"),
        call.latency);
  visit(optional_key("rate", "factor on predicted rates"), call.rate);
  visit(optional_key("start", "more time before the first message"), call.start);
}

template <class Visit>
void keys_of(Visit& visit, LibraryFactors& library) {
  visit(optional_key("ll", "NCCL's protocol LL"), library.ll);
  visit(optional_key("ll128", "NCCL's protocol LL128"), library.ll128);
  visit(optional_key("simple", "NCCL's protocol Simple"), library.simple);
  visit(optional_key("switches", "all-reduces that NVSwitches add up"), library.switches);
  visit(optional_key("wires", "machines without a known library"), library.wires);
}

template <class Visit>
void keys_of(Visit& visit, MeasuredSynchronization& synchronization) {
  visit(Key{.name = "spread",
            .meaning = "standard deviation over mean of the compute time of a device in a step",
            .required = true,
            .at_least = 0,
            .at_most = 1},
        synchronization.spread);
  visit(required_key("process", "time in each process, for each step"), synchronization.process);
}

template <class Visit>
void keys_of(Visit& visit, Calibration& calibration) {
  visit(optional_key("kernels", "factor on the times of all kernels"), calibration.kernels);
  visit(optional_key("inside", "factors on collectives within a machine, by protocol"), calibration.inside);
  visit(optional_key("between", "factors on collectives of several machines, by protocol"),
        calibration.between);
  visit(optional_key("synchronization", "what devices lose that meet in every step"),
        calibration.synchronization);
}

// Required unless "machines" is a list.
inline constexpr Key machine_key =
    optional_key("machine", "the machine, or the name of the file that describes it");

// Required in an entry of a list of "machines". The file is read after the entry, as that of "machine" is.
inline constexpr Key file_key =
    required_key("file", "the name or the path of the platform file whose machine the group has");

template <class Visit>
void keys_of(Visit& visit, MachineGroup& group) {
  visit(file_key, group.file);
  visit(count_key("count", "the number of these machines"), group.count);
  visit(count_key("devices",
                  "the number of devices in each of them; of a larger machine the first ones are kept"),
        group.devices);
}

// Required in a `machine` that has only the differences from the machine of another file.
inline constexpr Key like_key =
    required_key("like", "the file whose machine this is, except for the keys that follow");

// The top level without `machine`, which may also be a name and is read separately.
template <class Visit>
void keys_of(Visit& visit, Description& platform) {
  visit(optional_key("aliases", "other names of the file"), platform.aliases);
  visit.machines(count_key("machines", "the number of machines, or a list of groups of unlike machines"),
                 platform.groups);
  visit(count_key("devices",
                  "the number of devices in each machine; of a larger machine the first ones are kept"),
        platform.groups.front().devices);
  visit(count_key("ranks", "the number of devices in all, distributed evenly over the machines"),
        platform.ranks);
  visit.network(optional_key("network", "the network that joins the NICs of the machines"), platform.network,
                false);
  visit.network(optional_key("fabric", "the fabric that joins the devices of the machines"), platform.fabric,
                true);
  visit(optional_key("ici", "the torus of a TPU generation, and its slices"), platform.ici);
  visit(optional_key("slice", "the slice of the pod, by shape (4x4x8) or by name (v4-32)"), platform.slice);
  visit(count_key("slices", "the number of such slices, joined by the network"), platform.slices);
  visit(optional_key("calibration",
                     "what measurements on these machines change in predicted times, as "
                     "`windtunnel calibrate` writes it"),
        platform.calibration);
}

}  // namespace wt::platform
