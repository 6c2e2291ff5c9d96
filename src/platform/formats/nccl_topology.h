#pragma once
// What NCCL's topology XML says (NVIDIA/nccl src/graph/xml.cc and topo.cc), as plain data;
// platform/import_nccl.cpp makes a platform file of it.

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

// A line of CPUs: NCCL's rate between two sockets, and the catalogue's product that is nearest.
struct Processor {
  std::string_view arch{};
  std::string_view vendor{};
  int family = -1;  // -1: any
  int model = -1;
  std::string_view called{};
  std::string_view type{};
  BytesPerSecond between_sockets{};
};

struct PcieLink {
  BytesPerSecond payload{};
  std::string_view source{};
  std::string written{};  // "8 GT/s x16"
};

struct Gpu {
  xml::Element element;
  std::string busid{};
  int dev = -1;  // -1: the file doesn't say
  int sm = -1;
  int cpu = 0;
  bool is_below_switch = false;
  PcieLink pcie{};
  std::map<std::string, int> to_gpus{};  // links, by bus id
  int to_switch = 0;
  BytesPerSecond to_host{};  // NVLink or C2C instead of PCIe
};

struct Net {
  xml::Element element;
  int cpu = 0;
  bool is_below_switch = false;
  BytesPerSecond bandwidth{};
  Seconds latency{};
  bool has_gdr = true;
  PcieLink pcie{};  // nothing where it hangs on a CPU without one
};

// A PCIe switch.
struct Bridge {
  std::optional<int> cpu{};         // of a top one
  std::vector<std::size_t> gpus{};  // in the order of the file
  std::vector<std::size_t> nets{};
  std::vector<Bridge> bridges{};
};

struct Topology {  // of one machine
  std::vector<Gpu> gpus{};
  std::vector<Net> nets{};
  std::vector<Bridge> bridges{};  // below the CPUs
  std::vector<std::pair<Place, PcieLink>> uplinks{};
  const Processor* processor = nullptr;
  Place processor_place{};
  int cpus = 0;
  std::vector<Problem> warnings{};

  void warn(const xml::Element& element, std::string fact, std::string remedy) {
    warnings.push_back({element.place(), std::move(fact), std::move(remedy)});
  }
};

Topology read_topology(xml::Element root, Problems& problems);

}  // namespace wt::platform::nccl
