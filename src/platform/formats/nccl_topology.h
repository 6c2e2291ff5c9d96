#pragma once
// The content of NCCL's topology XML (NVIDIA/nccl, src/graph/xml.cc and topo.cc) as plain data. The file
// describes one machine as a tree of CPUs, PCIe switches, GPUs and NICs; import_nccl.cpp makes a platform
// file from it.
//
//   <system version="1"><cpu numaid="0" arch="x86_64" ...><pci busid="0000:01:00.0" class="0x030200" ...>
//     <gpu dev="0" sm="89"/></pci></cpu></system>
//   -> Topology{.gpus = {{.busid = "0000:01:00.0", .dev = 0, .sm = 89, .cpu = 0, ...}}, .cpus = 1, ...}

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "platform/formats/xml.h"

namespace wt::platform::nccl {

inline constexpr std::string_view source = "NCCL 2.30.7 graph/topo.cc";

// A family of CPUs as NCCL distinguishes them, with NCCL's rate between two sockets and the nearest product
// of devices.json.
struct Processor {
  std::string_view arch{};
  std::string_view vendor{};
  int family = -1;            // -1: any
  int model = -1;             // -1: any
  std::string_view called{};  // its name in messages
  std::string_view type{};    // the id of the product
  BytesPerSecond between_sockets{};
};

// The PCIe link above a part: payload rate by generation and width, and the source of the rate.
struct PcieLink {
  BytesPerSecond payload{};
  std::string_view source{};
  std::string written{};  // "8 GT/s x16"
};

struct Gpu {
  xml::Element element;
  std::string busid{};
  int dev = -1;  // the number of the GPU; -1: not in the file
  int sm = -1;   // compute capability times 10; -1: not in the file
  int cpu = 0;
  bool is_below_switch = false;
  PcieLink pcie{};
  std::map<std::string, int> to_gpus{};  // the number of NVLinks to another GPU, by its bus id
  int to_switch = 0;                     // the number of NVLinks to NVSwitches
  BytesPerSecond to_host{};              // C2C instead of PCIe; 0: none
};

// A port of a network card.
struct Net {
  xml::Element element;
  int cpu = 0;
  bool is_below_switch = false;
  BytesPerSecond bandwidth{};
  Seconds latency{};
  bool has_gdr = true;  // GPUDirect RDMA
  PcieLink pcie{};      // empty if the port is attached to a CPU without PCIe
};

// A PCIe switch with the parts below it, by their indices in Topology.
struct Bridge {
  std::optional<int> cpu{};  // set for a top switch
  std::vector<std::size_t> gpus{};
  std::vector<std::size_t> nets{};
  std::vector<Bridge> bridges{};
};

// One machine; GPUs and NICs are in the order of the file.
struct Topology {
  std::vector<Gpu> gpus{};
  std::vector<Net> nets{};
  std::vector<Bridge> bridges{};                      // the top switches
  std::vector<std::pair<Place, PcieLink>> uplinks{};  // the PCIe link above each switch
  const Processor* processor = nullptr;
  Place processor_place{};
  int cpus = 0;
  std::vector<Problem> warnings{};

  void warn(const xml::Element& element, std::string fact, std::string remedy) {
    warnings.push_back({element.place(), std::move(fact), std::move(remedy)});
  }
};

// Adds everything that is wrong to `problems`. The result has a meaning only if there was no problem.
Topology read_topology(xml::Element root, Problems& problems);

}  // namespace wt::platform::nccl
