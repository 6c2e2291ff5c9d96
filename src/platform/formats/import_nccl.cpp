// From NCCL's topology XML to a platform file (NCCL_TOPO_FILE is read, and NCCL_TOPO_DUMP_FILE written, by
// NVIDIA/nccl, src/graph/xml.cc and topo.cc). Rates are those of the files in platforms/: measured rates if
// there are any, else NCCL's. A platform file describes parts of one kind by one wire, so the translator
// reports machines whose GPUs differ, and warns about every assumption.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/json_writer.h"
#include "base/narrow.h"
#include "base/utf8.h"
#include "platform/device_types.h"
#include "platform/formats/import.h"
#include "platform/formats/nccl_topology.h"

namespace wt::platform {

namespace {

using nccl::Bridge;
using nccl::Gpu;
using nccl::Net;
using nccl::PcieLink;
using xml::Element;

// For each compute capability: the products with and without NVLink that are assumed, and one NVLink.
struct Generation {
  int sm = 0;
  std::string_view with_nvlink{};
  std::string_view without{};
  BytesPerSecond link{};
  double efficiency = 1;
  Seconds latency{};
  std::string_view source{};
};
constexpr Seconds usual_nvlink_latency(0.3e-6);
constexpr Generation generations[] = {
    {37, "k80_gk210", "k80_gk210", {}, 1, {}, ""},
    {60, "p100_sxm2", "p100_pcie_16", BytesPerSecond(20e9), 0.9, usual_nvlink_latency,
     "NVLink 1; efficiency: NCCL 2.30.7 counts 18 of 20 GB/s"},
    {70, "v100_sxm2_16", "v100_pcie_16", BytesPerSecond(25e9), 0.88, usual_nvlink_latency,
     "NVLink 2; efficiency: nccl-tests of 8 V100"},
    {75, "t4", "t4", BytesPerSecond(25e9), 0.8, usual_nvlink_latency,
     "NVLink 2; efficiency: as NCCL 2.30.7 counts sm_70"},
    {80, "a100_sxm_40", "a100_pcie_80", BytesPerSecond(25e9), 0.78, Seconds(0.468e-6),
     "NVLink 3; efficiency: nccl-tests of 8 A100, 235 of 300 GB/s"},
    {86, "rtx3080_10", "rtx3080_10", BytesPerSecond(14.0625e9), 0.853, usual_nvlink_latency,
     "NVLink 3 of sm_86; efficiency: NCCL 2.30.7 counts 12 of 14 GB/s"},
    {89, "rtx4090", "rtx4090", {}, 1, {}, ""},
    {90, "h100_sxm", "h100_pcie", BytesPerSecond(25e9), 0.82, Seconds(0.468e-6),
     "NVLink 4; efficiency: nccl-tests of 8 H200"},
    {100, "b200_sxm", "b200_sxm", BytesPerSecond(50e9), 0.76, Seconds(0.468e-6),
     "NVLink 5; efficiency: nccl-tests of 8 B200, ring: 682 of 900 GB/s"}};

constexpr std::string_view assumed = "assumed: NCCL's topologies have no latencies";

// Chooses the products, checks that a platform file can describe the machine, and writes the file if no check
// found a problem.
class NcclWriter {
 public:
  NcclWriter(nccl::Topology& file, const Products& products, Problems& problems)
      : file_(file), products_(products), problems_(problems) {}

  Translated write() {
    choose_device();
    choose_host();
    number_gpus();
    drop_slow_nets();
    check_pcie();
    if (!problems_.any()) check_wires();
    if (problems_.any()) return {};
    return {text(), std::move(file_.warnings)};
  }

 private:
  // ---- Products

  const device::DeviceType* named(const std::string& id) {
    try {
      return &device_type_named(id);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems_.add(problem);
      return nullptr;
    }
  }

  bool has_nvlink() const {
    return std::any_of(file_.gpus.begin(), file_.gpus.end(),
                       [](const Gpu& gpu) { return !gpu.to_gpus.empty() || gpu.to_switch > 0; });
  }

  // The device type: the named one, else the one that is assumed for the compute capability. The rate of an
  // NVLink follows from the generation in any case.
  void choose_device() {
    const Gpu& first = file_.gpus.front();
    for (const Gpu& gpu : file_.gpus) {
      if (gpu.sm == first.sm) continue;
      gpu.element.problem("this GPU has another compute capability than the first",
                          "all devices of a machine must be of one type");
      return;
    }
    if (!products_.device.empty()) device_ = named(products_.device);
    int sm = first.sm;
    if (sm < 0 && device_ != nullptr && device_->compute_capability)
      sm = 10 * device_->compute_capability->major + device_->compute_capability->minor;
    const auto* row = std::find_if(std::begin(generations), std::end(generations),
                                   [&](const Generation& generation) { return generation.sm == sm; });
    if (row != std::end(generations)) generation_ = row;
    if (device_ != nullptr || !products_.device.empty()) return check_generation(sm);
    if (generation_ == nullptr) {
      first.element.problem(
          sm < 0 ? "the type of this GPU is not stated" : fmt::format("no device type has sm {}", sm),
          "name a type: import --type, or \"set\": {\"machine.devices.type\": ...} beside the file");
      return;
    }
    device_ = named(std::string(has_nvlink() ? generation_->with_nvlink : generation_->without));
    std::vector<std::string> others;
    for (const device::DeviceType& type : device_types()) {
      const bool is_same = type.compute_capability &&
                           10 * type.compute_capability->major + type.compute_capability->minor == sm;
      if (is_same) others.push_back(type.id);
    }
    file_.warn(first.element,
               fmt::format("sm {} {} NVLink is assumed to be {}", sm, has_nvlink() ? "with" : "without",
                           device_->id),
               fmt::format("name another type: import --type, or \"set\": {{\"machine.devices.type\": ...}} "
                           "beside the file; "
                           "types of sm {}: {}",
                           sm, fmt::join(others, ", ")));
  }

  void check_generation(int sm) {
    if (device_ == nullptr || (generation_ != nullptr && generation_->link.count() > 0) || !has_nvlink())
      return;
    file_.gpus.front().element.problem(fmt::format("the rate of NVLinks of sm {} is unknown", sm),
                                       "leave the <nvlink>s out");
  }

  void choose_host() {
    host_ = named(products_.host.empty() ? std::string(file_.processor->type) : products_.host);
    if (host_ == nullptr || !products_.host.empty()) return;
    file_.warnings.push_back(
        {file_.processor_place, fmt::format("{} is assumed to be {}", file_.processor->called, host_->id),
         "name another CPU: import --host, or \"set\": {\"machine.hosts.type\": ...} beside the file"});
  }

  // ---- Numbers of GPUs: those of the attribute "dev" if they are complete, else the order of the file

  // Sets index_ and by_index_.
  void number_gpus() {
    const std::size_t count = file_.gpus.size();
    index_.resize(count);
    std::vector<bool> taken(count, false);
    bool is_complete = true;
    for (const Gpu& gpu : file_.gpus) {
      const auto dev = static_cast<std::size_t>(gpu.dev);
      if (gpu.dev < 0 || dev >= count || taken[dev]) {
        is_complete = false;
      } else {
        taken[dev] = true;
      }
    }
    for (std::size_t gpu = 0; gpu < count; ++gpu)
      index_[gpu] = is_complete ? file_.gpus[gpu].dev : static_cast<int>(gpu);
    by_index_.resize(count);
    for (std::size_t gpu = 0; gpu < count; ++gpu) by_index_[static_cast<std::size_t>(index_[gpu])] = gpu;
  }

  // Keeps the fastest NICs only.
  void drop_slow_nets() {
    for (Net& net : file_.nets) narrow(net);
    BytesPerSecond fastest{};
    for (const Net& net : file_.nets) fastest = std::max(fastest, net.bandwidth);
    for (const Net& net : file_.nets) {
      kept_.push_back(net.bandwidth == fastest ? kept_count_++ : -1);
      if (net.bandwidth < fastest)
        file_.warn(net.element,
                   fmt::format("this NIC of {} is left out: another has {}", net.bandwidth, fastest),
                   "all NICs of a machine must be of one kind");
    }
  }

  // Limits a port to the rate of its PCIe link, because the machine's only PCIe wire is that of the GPUs,
  // which is faster.
  void narrow(Net& net) {
    const BytesPerSecond own = net.pcie.payload;
    if (own.count() <= 0 || own >= net.bandwidth || own >= file_.gpus.front().pcie.payload) return;
    file_.warn(net.element,
               fmt::format("{} is more than the {} of PCIe {}", net.bandwidth, own, net.pcie.written),
               "the port gets the rate of its PCIe link");
    net.bandwidth = own;
  }

  // ---- Checks that one wire describes all parts of a kind

  void check_pcie() {
    const Gpu& first = file_.gpus.front();
    for (const Gpu& gpu : file_.gpus) {
      if (gpu.pcie.payload != first.pcie.payload && gpu.to_host.count() <= 0)
        gpu.element.problem(fmt::format("this GPU has PCIe {}, and the first one has {}", gpu.pcie.written,
                                        first.pcie.written),
                            "all GPUs of a machine must have the same PCIe link");
      if (gpu.is_below_switch != first.is_below_switch)
        gpu.element.problem("some GPUs are below a switch, and some are not",
                            "put all of them below switches, or none");
      if (gpu.to_host != first.to_host)
        gpu.element.problem("this GPU and the first one are connected to their CPUs in different ways",
                            "connect all GPUs of a machine in the same way");
    }
    for (const auto& [place, link] : file_.uplinks) {
      if (link.payload != file_.uplinks.front().second.payload)
        problems_.add(place,
                      fmt::format("this switch has PCIe {}, and the first one has {}", link.written,
                                  file_.uplinks.front().second.written),
                      "all switches of a machine must have the same PCIe link above them");
    }
    for (std::size_t index = 0; index < by_index_.size() && !first.is_below_switch; ++index)
      check_dealt(file_.gpus[by_index_[index]].element, file_.gpus[by_index_[index]].cpu,
                  static_cast<int>(index), wt::narrow<int>(by_index_.size()), "GPU");
    for (std::size_t net = 0; net < kept_.size(); ++net) {
      if (kept_[net] >= 0 && !file_.nets[net].is_below_switch)
        check_dealt(file_.nets[net].element, file_.nets[net].cpu, kept_[net], kept_count_, "NIC");
    }
  }

  // Warns if a part below no switch is attached to another CPU than in the platform file, which distributes
  // such parts evenly in order.
  void check_dealt(const Element& element, int cpu, int index, int count, std::string_view noun) {
    const auto dealt = static_cast<int>(std::int64_t{index} * file_.cpus / count);
    if (dealt == cpu) return;
    file_.warn(element, fmt::format("{} {} of CPU {} is attached to host {}", noun, index, cpu, dealt),
               "parts below no switch are distributed evenly over the hosts");
  }

  // Collects the pairs of GPUs that NVLinks join. Both ends must state the same number of links.
  void check_wires() {
    const Gpu& first = file_.gpus.front();
    std::map<std::string, std::size_t> gpus;
    for (std::size_t gpu = 0; gpu < file_.gpus.size(); ++gpu) gpus[file_.gpus[gpu].busid] = gpu;
    for (std::size_t number = 0; number < file_.gpus.size(); ++number) {
      const Gpu& gpu = file_.gpus[number];
      if (gpu.to_switch != first.to_switch)
        gpu.element.problem(fmt::format("this GPU has {} links to NVSwitches, and the first one has {}",
                                        gpu.to_switch, first.to_switch),
                            "all GPUs of a machine must have the same number");
      if (gpu.to_switch > 0 && !gpu.to_gpus.empty())
        gpu.element.problem("this GPU has NVLinks to GPUs and to NVSwitches", "leave one kind out");
      for (const auto& [target, links] : gpu.to_gpus) {
        const auto other = gpus.find(target);
        if (other == gpus.end()) {
          gpu.element.problem(
              fmt::format("an NVLink leads to \"{}\", which is no GPU of the file", printable(target)),
              "write the busid of a GPU");
          continue;
        }
        const auto& back = file_.gpus[other->second].to_gpus;
        const auto found = back.find(gpu.busid);
        const int links_back = found == back.end() ? 0 : found->second;
        if (links_back != links)
          gpu.element.problem(fmt::format("{} NVLinks lead to \"{}\", and {} lead back", links,
                                          printable(target), links_back),
                              "write the same count on both sides");
        pairs_[std::minmax(index_[number], index_[other->second])] = links;
      }
    }
  }

  // ---- The text of the file

  template <class Value>
  void sourced(std::string_view key, const Value& value, std::string_view source) {
    out_.key(key)
        .begin_object(json::Layout::one_line)
        .member("value", value)
        .member("source", source)
        .end_object();
  }

  std::string text() {
    out_.begin_object();
    out_.member("description", fmt::format("{} x {}, from an NCCL topology", file_.gpus.size(), device_->id));
    out_.key("machine").begin_object();
    out_.key("devices").begin_object(json::Layout::one_line);
    out_.member("type", device_->id).member("count", file_.gpus.size()).end_object();
    write_hosts();
    if (file_.gpus.front().to_host.count() > 0) write_c2c();
    write_pcie();
    if (has_nvlink()) write_nvlink();
    if (kept_count_ > 0) write_nics();
    out_.end_object();
    return out_.end_object().text();
  }

  void write_hosts() {
    out_.key("hosts").begin_object().member("count", file_.cpus).member("type", host_->id);
    if (file_.cpus > 1) {
      out_.key("link").begin_object();
      sourced("bandwidth", print(file_.processor->between_sockets),
              fmt::format("{}: between sockets of {}", nccl::source, file_.processor->called));
      sourced("latency", "0.5 us", assumed);
      out_.end_object();
    }
    out_.end_object();
  }

  void write_c2c() {
    out_.key("c2c").begin_object();
    sourced("bandwidth", print(file_.gpus.front().to_host), "the topology's <c2c>");
    out_.end_object();
  }

  void write_wire(const PcieLink& link) {
    sourced("bandwidth", print(link.payload), fmt::format("{}: {}", link.written, link.source));
    sourced("latency", "0.5 us", assumed);
  }

  void write_pcie() {
    const PcieLink& wire = file_.gpus.front().pcie;
    out_.key("pcie").begin_object();
    write_wire(wire);
    if (device_->product.find("GeForce") != std::string::npos)
      sourced("peer_to_peer", "none", "GeForce has none, NVIDIA/nccl-tests issue 117");
    if (!file_.uplinks.empty() && file_.uplinks.front().second.payload != wire.payload) {
      out_.key("uplink").begin_object();
      write_wire(file_.uplinks.front().second);
      out_.end_object();
    }
    if (file_.gpus.front().is_below_switch) write_bridges("switches", file_.bridges);
    out_.end_object();
  }

  void write_bridges(std::string_view key, const std::vector<Bridge>& bridges) {
    out_.key(key).begin_array();
    for (const Bridge& bridge : bridges) {
      out_.begin_object(bridge.bridges.empty() ? json::Layout::one_line : json::Layout::lines);
      if (bridge.cpu) out_.member("host", *bridge.cpu);
      if (!bridge.gpus.empty()) {
        out_.key("devices").begin_array(json::Layout::one_line);
        for (const std::size_t gpu : bridge.gpus) out_.value(index_[gpu]);
        out_.end_array();
      }
      write_nets(bridge);
      if (!bridge.bridges.empty()) write_bridges("switches", bridge.bridges);
      out_.end_object();
    }
    out_.end_array();
  }

  void write_nets(const Bridge& bridge) {
    std::vector<int> kept;
    for (const std::size_t net : bridge.nets)
      if (kept_[net] >= 0) kept.push_back(kept_[net]);
    if (kept.empty()) return;
    out_.key("nics").begin_array(json::Layout::one_line);
    for (const int net : kept) out_.value(net);
    out_.end_array();
  }

  void write_nvlink() {
    out_.key("nvlink").begin_object();
    out_.member("source", generation_->source);
    out_.member("bandwidth", print(generation_->link)).member("efficiency", generation_->efficiency);
    sourced("latency", print(generation_->latency), assumed);
    if (pairs_.empty()) {
      out_.member("links", file_.gpus.front().to_switch);
    } else {
      out_.key("pairs").begin_array();
      for (const auto& [pair, links] : pairs_)
        out_.begin_array(json::Layout::one_line)
            .value(pair.first)
            .value(pair.second)
            .value(links)
            .end_array();
      out_.end_array();
    }
    out_.end_object();
  }

  void write_nics() {
    std::size_t first = 0;
    while (kept_[first] < 0) ++first;
    const Net& net = file_.nets[first];
    const bool none_has_gdr =
        std::none_of(file_.nets.begin(), file_.nets.end(), [](const Net& other) { return other.has_gdr; });
    out_.key("nics").begin_object().member("count", kept_count_);
    sourced("bandwidth", print(net.bandwidth),
            net.bandwidth == net.pcie.payload ? net.pcie.source : "the topology's <net>, line rate");
    if (net.latency.count() > 0)
      sourced("latency", print(net.latency), "the topology's <net>");
    else
      sourced("latency", "0.5 us", assumed);
    if (none_has_gdr) sourced("gpu_direct", "none", "the topology's <net>");
    if (std::all_of(file_.nets.begin(), file_.nets.end(),
                    [](const Net& other) { return !other.is_below_switch; }))
      out_.member("attached", "hosts");
    out_.end_object();
  }

  nccl::Topology& file_;
  const Products& products_;
  Problems& problems_;
  const device::DeviceType* device_ = nullptr;
  const device::DeviceType* host_ = nullptr;
  const Generation* generation_ = nullptr;
  std::vector<int> index_{};             // the number of each GPU, in the order of the file
  std::vector<std::size_t> by_index_{};  // the position in the file of each number
  std::vector<int> kept_{};              // the number of each NIC; -1: left out
  int kept_count_ = 0;
  std::map<std::pair<int, int>, int> pairs_{};
  json::Writer out_{};
};

}  // namespace

Translated translate_nccl(const xml::Document& document, const Products& products) {
  Problems problems;
  nccl::Topology file = nccl::read_topology(document.root(problems), problems);
  problems.throw_if_any();
  Translated translated = NcclWriter(file, products, problems).write();
  problems.throw_if_any();
  return translated;
}

}  // namespace wt::platform
