#pragma once
// What a communication library looks at before it chooses: the machine in a few numbers. Whoever knows the
// machine fills it in; nothing here knows devices, routes or files.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/quantity.h"

namespace wt::collective {

enum class Inside : std::uint8_t {
  nvswitch,     // NVLinks to switches: every pair at full rate
  nvlink_mesh,  // NVLinks between pairs; others go through one GPU
  pcie_peer,    // GPU to GPU through PCIe switches
  staged,       // through host memory
  ideal         // no library's tables hold for it: CPUs, other makers' GPUs, ideal switches
};
std::string_view name(Inside inside);
bool linked_by_nvlink(Inside inside);

enum class Host : std::uint8_t { other, intel, amd, arm };

// Chips in a grid, each with a link each way along every axis. Of several such slices a fabric's nodes are one each.
struct Torus {
  std::vector<int> extents{};  // chips along each axis
  std::vector<bool> wrapped{};
  int cores = 1;          // of a chip, each a rank
  BytesPerSecond link{};  // one way
  Seconds hop{};
  int slices = 1;
};

struct Fabric {
  int nodes = 1;           // machines; a domain of NVLink across machines counts as one, as in NCCL
  int ranks_per_node = 1;  // 0: not the same everywhere
  int capability = 0;      // compute capability of the oldest GPU, 80 for 8.0; 0: no GPU that NCCL drives
  Inside inside = Inside::ideal;
  int nvlinks = 0;               // of a GPU
  BytesPerSecond inside_rate{};  // without NVLink: one way, what a device gets while all of a node send
  int nics = 0;                  // of a node
  BytesPerSecond nic_rate{};     // of each: line rate, one way
  Host host = Host::other;
  bool adds_in_switch = false;  // NVSwitch of the third generation or later
  bool gpu_direct = false;      // NICs read and write the GPUs' memory
  Seconds latency{};            // of one message, where no library's table says it
  std::optional<Torus> torus{};
};

// Where `ranks` ranks of a fabric are: they fill node after node.
struct Spread {
  int ranks = 1;
  int nodes = 1;
  bool even = true;  // every node has as many

  double per_node() const { return static_cast<double>(ranks) / nodes; }
};

// More ranks than the fabric has places are dealt to its nodes in turns.
Spread spread(const Fabric& fabric, int ranks);

}  // namespace wt::collective
