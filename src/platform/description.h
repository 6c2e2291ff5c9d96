#pragma once
// The content of a platform file as plain data, before anything is built: machines in groups of equal ones, and
// the networks that join them. Each struct corresponds to one object of the file and has its
// keys as members; platforms/README.md explains every key.
//
//   {"machine": {"devices": {"type": "rtx4090", "count": 2}, "hosts": {...}, "pcie": {...}}}
//   -> Description{.groups = {{.machine = {.devices = {.type = rtx4090, .count = 2}, .hosts = {...}, ...}}}}
//
// The initial values are the defaults of the keys; an empty std::optional means that the key is absent.
// platform/keys.h lists the keys, platform/parse.h reads them, and platform/build.h builds machines from the
// result.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "device/type.h"
#include "platform/calibration.h"
#include "platform/shape.h"

namespace wt::platform {

// A value with its place in the file, for problems that are found only after parsing.
template <class T>
struct Placed {
  T value{};
  Place place{};
};

// Both directions of a full-duplex connection. `links` equal physical links are used as one, and payload gets
// the share `efficiency` of their bandwidth: each direction carries links x bandwidth x efficiency.
struct Wire {
  std::optional<BytesPerSecond> bandwidth{};  // of one physical link in one direction
  int links = 1;
  double efficiency = 1;
  Seconds latency{};
  Place place{};
};

// The farthest path over the PCIe tree that two parts of a machine use directly. They are below one switch,
// below one socket, or anywhere in the machine. A longer path goes through a host's memory. The order of the
// values counts.
enum class Reach : std::uint8_t { none, below_switch, socket, machine };

struct Devices {
  Placed<device::DeviceType> type{};
  int count = 1;
  // The number of devices of the complete machine, if "devices" or "ranks" keeps only the first ones. The
  // kept devices then stay at the switches and sockets where they are in the complete machine. 0: the machine
  // is complete.
  int dealt_as = 0;
  Place place{};
};

struct Hosts {
  int count = 1;
  Placed<device::DeviceType> type{};
  std::optional<Bytes> memory{};                     // of one socket; absent: the type's
  std::optional<BytesPerSecond> memory_bandwidth{};  // of one socket; absent: the type's
  std::optional<Wire> link{};                        // between each two sockets
  Place place{};
};

// A PCIe switch and the parts below it, by their indices in the machine.
struct Switch {
  int host = 0;  // the socket above it; read only for top switches
  std::vector<int> devices{};
  std::vector<int> nics{};
  std::vector<Switch> switches{};
  Place place{};
};

// Either the number of switches on each level, top level first, over which everything is distributed evenly
// in order; or the tree itself.
using Switches = std::variant<std::vector<int>, std::vector<Switch>>;

struct Pcie {
  Wire wire{};
  Placed<Switches> switches{};
  std::optional<Wire> uplink{};
  Reach peer_to_peer = Reach::below_switch;
};

enum class Layout : std::uint8_t { nvswitch, full_mesh };

// Two devices that are joined directly by `links` NVLinks.
struct Pair {
  int first = 0;
  int second = 0;
  int links = 1;
  Place place{};
};

struct Nvlink {
  Wire wire{};
  Layout layout = Layout::nvswitch;
  std::optional<std::vector<Pair>> pairs{};  // instead of a layout
};

enum class Attached : std::uint8_t { switches, hosts };

// The class of a NIC: its protocol family and the library's plugin for it. It determines the latency that software
// adds, the protocols that the library may use, and whether the network's switches can add (InfiniBand's can).
enum class NicType : std::uint8_t {
  unknown,
  infiniband,
  roce,
  efa,     // Amazon's, of instances from p5 on
  efa_v1,  // Amazon's first generation: p3dn, p4d, g4dn
  tcpx,    // Google's GPUDirect-TCPX (A3 High)
  tcpxo,   // Google's GPUDirect-TCPXO (A3 Mega)
  slingshot,
  ethernet
};

struct Nics {
  NicType type{};
  Wire wire{};
  int count = 1;
  // Absent: the NICs are attached to the lowest PCIe switches if there are any, else to the sockets.
  std::optional<Attached> attached{};
  Reach gpu_direct = Reach::below_switch;
};

struct MachineDescription {
  Devices devices{};
  Hosts hosts{};
  std::optional<Pcie> pcie{};
  std::optional<Wire> c2c{};
  std::optional<Nvlink> nvlink{};
  std::optional<Nvlink> xgmi{};
  std::optional<Nics> nics{};
  Place place{};
};

// Equal machines, which follow each other in the platform.
struct MachineGroup {
  std::string file{};  // as an entry of "machines" names it; empty: the platform's own "machine"
  MachineDescription machine{};
  std::optional<Placed<int>> count{};    // absent: 1
  std::optional<Placed<int>> devices{};  // of each machine, instead of machine.devices.count
  Place place{};
};

enum class NetworkType : std::uint8_t { one_switch, leaf_spine, fat_tree, rails, ring, mesh, torus };
enum class FabricKind : std::uint8_t { network, nvlink, xgmi, ici, pcie };
// The rule that selects one of several uplinks: by the destination's number, or by a hash of the flow.
enum class Choice : std::uint8_t { destination, ecmp };

// The object "network", which joins the NICs of all machines, or "fabric", which joins their devices. Which
// members have a meaning depends on `type`; platform/networks.cpp reports the others.
struct Network {
  Wire wire{};
  Placed<NetworkType> type{};
  FabricKind kind = FabricKind::network;  // only of a fabric
  std::optional<int> machines{};          // only of a fabric: how many machines one fabric joins; absent: all
  std::optional<int> machines_per_leaf{};
  std::optional<int> spines{};
  double oversubscription = 1;
  std::optional<Placed<std::vector<int>>> children{};
  std::optional<Placed<std::vector<int>>> parents{};
  std::optional<Wire> uplink{};
  Choice routes = Choice::destination;
  int seed = 0;
  std::optional<Placed<Shape>> shape{};
  std::optional<Placed<std::vector<bool>>> wrap{};
  Placed<bool> twisted{};
  Place place{};
};

enum class WrapRule : std::uint8_t { never, multiples_of_4, axis_of_16, whole_pod };
enum class Counts : std::uint8_t { cores, chips };
enum class Unit : std::uint8_t { chip, core };

// The torus of a TPU generation, and the rules for its slices (platform/slice.h applies them).
struct Ici {
  Wire wire{};
  Shape pod{};
  Shape host{};
  std::vector<Shape> single_host{};
  std::vector<Shape> shapes{};
  std::optional<int> multiples_of{};
  WrapRule wrap{};
  bool twist = false;
  std::vector<std::string> names{};
  Counts counts{};
  int cores = 1;
  Unit device = Unit::chip;
  std::optional<Wire> on_chip{};
  Place place{};
};

// The top level of a platform file.
struct Description {
  std::string description{};
  std::vector<std::string> aliases{};
  // At least one group. "machine" with "machines": 4 is a single group of 4; a list of "machines" is a group for
  // each of its entries. With several groups there are no `ranks`, no `fabric` and no `ici`.
  std::vector<MachineGroup> groups{MachineGroup{}};
  std::optional<Placed<int>> ranks{};
  std::optional<Network> network{};
  std::string network_file{};  // the group's file from which the network is taken; empty: the platform's own
  std::optional<Network> fabric{};
  std::optional<Ici> ici{};
  std::optional<Placed<std::string>> slice{};
  std::optional<Placed<int>> slices{};
  std::optional<Calibration> calibration{};
  Place place{};
};

}  // namespace wt::platform
