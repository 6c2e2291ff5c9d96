#pragma once
// The few numbers of a machine that a communication library looks at before it chooses an algorithm.
// communication/fabric.h computes them for a described platform, so that this folder needs no devices or
// routes.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/quantity.h"

namespace wt::collective {

// The way in which the devices of one node are joined.
enum class Inside : std::uint8_t {
  nvswitch,     // NVLinks to switches: every pair at full rate
  nvlink_mesh,  // NVLinks between some pairs; messages of the other pairs pass through a third GPU
  pcie_peer,    // GPU to GPU through PCIe switches
  staged,       // through host memory
  ideal         // anything without published tables: CPUs, GPUs of other makers, ideal switches
};
std::string_view name(Inside inside);
bool linked_by_nvlink(Inside inside);

// The maker of the host processors, on which some constants of NCCL depend.
enum class Host : std::uint8_t { other, intel, amd, arm };

// TPU chips in a grid; each chip has a link in each direction of every axis. If there are several such
// slices, another network joins them, and each slice counts as one node of the fabric.
struct Torus {
  std::vector<int> extents{};   // chips along each axis
  std::vector<bool> wrapped{};  // whether the axis closes to a ring
  int cores = 1;                // of a chip; each is a rank
  BytesPerSecond link{};        // in one direction
  Seconds hop{};                // latency of one link
  int slices = 1;
};

// The tuner that comes with the machines (collective/tuner.h), by the kind of machine for which it was made.
enum class Tuner : std::uint8_t { none, aws_p5, aws_p5en, aws_p6 };

struct Fabric {
  int nodes = 1;                  // machines; an NVLink domain across machines counts as one node, as in NCCL
  int ranks_per_node = 1;         // 0: Nodes have different numbers of ranks.
  int capability = 0;             // compute capability, 80 for 8.0; 0: GPUs differ or aren't NVIDIA's
  Inside inside = Inside::ideal;  // links of AMD's GPUs (xGMI) count as NVLinks
  int nvlinks = 0;                // of each GPU
  BytesPerSecond inside_rate{};   // without NVLink: of a device within its node, in one direction
  int nics = 0;                   // of each node
  BytesPerSecond nic_rate{};      // line rate of each NIC, in one direction
  Host host = Host::other;
  bool adds_in_switch = false;  // NVSwitches of the third generation or later can add.
  bool is_amd = false;          // the devices are AMD's GPUs, which RCCL drives
  bool is_full_mesh = false;    // a link joins each two devices of a node
  // Whether the network cards' plugin lets these protocols, and NVLSTree, cross nodes.
  bool has_ll = true, has_ll128 = true, has_nvls_tree = true;
  bool gpu_direct = false;  // NICs read and write the memory of GPUs directly.
  Tuner tuner = Tuner::none;
  Seconds latency{};  // of one message; used where no table of a library applies
  std::optional<Torus> torus{};
};

// How `ranks` ranks are spread over a fabric: they fill one node after the other.
struct Spread {
  int ranks = 1;
  int nodes = 1;
  bool even = true;  // Every node has equally many ranks.

  double per_node() const { return static_cast<double>(ranks) / nodes; }
};

// If the fabric has fewer places than ranks, the ranks are dealt to all of its nodes in turn.
Spread spread(const Fabric& fabric, int ranks);

}  // namespace wt::collective
