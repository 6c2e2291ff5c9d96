#pragma once
// The facts about a group of devices by which a communication library chooses its algorithms: how many nodes
// there are, what joins the devices of a node, and how fast these links and the NICs are. For the 16 devices
// of two DGX A100 these are: 2 nodes of 8 devices, an NVLink switch with 12 links of 25 GB/s for each device,
// 8 InfiniBand NICs of 25 GB/s for each node. communication/ derives the choices of NCCL from them.

#include <span>

#include "platform/description.h"
#include "platform/platform.h"

namespace wt::platform {

enum class Maker : std::uint8_t { other, nvidia, amd, intel, google };
std::string_view name(Maker maker);              // "nvidia"
Maker maker_of(const device::DeviceType& type);  // found by words in its product name and its id

// The slowest kind of connection between two devices of a node, in the order from fast to slow.
enum class Inside : std::uint8_t {
  alone,        // the node has one device
  nvswitch,     // an NVLink (xGMI) switch joins all devices
  nvlink_mesh,  // NVLinks (xGMI links) join pairs; some pairs are joined through a third device
  ici,          // the torus of a TPU slice
  ideal,        // a fabric of kind "network": a switch, a ring, a torus
  pcie_peer,    // PCIe, without a host's memory
  host_staged   // through a host's memory
};
std::string_view name(Inside inside);
std::string_view name(NicType type);  // "infiniband"

// A node is a machine, or all machines whose devices one fabric joins (an NVL72, a TPU slice). If nodes of equal
// machines differ, the largest one is described. Of unlike machines the slowest figures of any are: NCCL takes
// the lowest ones of all ranks, too (ncclTopoPostset and minCompCap in src/graph). "Line rate" is the rate before
// the share that payload gets.
struct Summary {
  int machines = 0;
  int nodes = 0;
  int per_node = 0;  // the devices of a node; 0: the nodes have different numbers

  // Of several types, the one of the lowest compute capability. Null: they are of several kinds or makers.
  const device::DeviceType* device = nullptr;
  Maker maker{};                             // of the devices
  const device::DeviceType* host = nullptr;  // the CPU of the first device's host
  Maker host_maker{};

  Inside inside{};
  int links = 0;                // by which a device sends inside its node: NVLinks, xGMI or ICI links, or 1
  BytesPerSecond link{};        // line rate of one of them in one direction
  BytesPerSecond device_out{};  // payload rate of all of them in one direction
  BytesPerSecond slowest{};     // the lowest bottleneck between two devices of a node
  bool adds_in_switch = false;  // the devices have a switch that adds (Platform::adder_of)

  int nics = 0;              // NICs of a node that are near to a device of the group
  BytesPerSecond nic{};      // line rate of one NIC in one direction
  BytesPerSecond network{};  // payload rate of these NICs together
  NicType nic_type{};
  bool gpu_direct = false;  // each of these NICs reaches a device without passing a host's memory

  const Slice* slice = nullptr;  // null: the devices are no TPUs
};

// The pointers in the result point into the platform. Requires: at least one device, and none twice.
Summary summary_of(const Platform& platform, std::span<const Endpoint> devices);

}  // namespace wt::platform
