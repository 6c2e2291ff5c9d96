// NCCL's topology XML (NCCL_TOPO_FILE, and what NCCL_TOPO_DUMP_FILE writes; NVIDIA/nccl src/graph/xml.cc and topo.cc) as a
// platform file. Rates are those of platforms/: measured ones where there are, else NCCL's.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "base/json_writer.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "platform/device_types.h"
#include "platform/import.h"

namespace wt::platform {

namespace {

using xml::Element;

// One lane of a generation is a sixteenth of these.
struct PcieRate {
  std::string_view transfers{};  // GT/s
  BytesPerSecond x16{};
  std::string_view source{};
};
constexpr std::string_view by_nccl = "NCCL 2.30.7 graph/topo.cc";
constexpr PcieRate pcie_rates[] = {{"2.5", BytesPerSecond(3e9), by_nccl},
                                   {"5", BytesPerSecond(6e9), by_nccl},
                                   {"8", BytesPerSecond(12.35e9), "measured PCIe 3.0 x16 copies of a V100"},
                                   {"16", BytesPerSecond(26e9), "nvbandwidth README, PCIe 4.0 x16"},
                                   {"32", BytesPerSecond(55e9), "measured PCIe 5.0 x16 copies of an H200"},
                                   {"64", BytesPerSecond(96e9), by_nccl}};
constexpr std::size_t usual_pcie_rate = 2;  // NCCL's guess where the file has none

// By compute capability: the product with NVLink and the one without, and what a link gives.
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

// Between sockets, NCCL 2.30.7 graph/topo.cc; and the catalogue's product that is nearest.
struct Processor {
  std::string_view arch{};
  std::string_view vendor{};
  int family = -1;  // -1: any
  int model = -1;
  std::string_view called{};
  std::string_view type{};
  BytesPerSecond between_sockets{};
};
constexpr std::string_view unknown_host = "desktop_cpu";
constexpr Processor processors[] = {
    {"x86_64", "GenuineIntel", 6, 79, "Broadwell", "xeon_e5_2698_v4", BytesPerSecond(6e9)},
    {"x86_64", "GenuineIntel", 6, 85, "Skylake", "xeon_8168", BytesPerSecond(10e9)},
    {"x86_64", "GenuineIntel", 6, 143, "Sapphire Rapids", "xeon_8480c", BytesPerSecond(22e9)},
    {"x86_64", "GenuineIntel", 6, 207, "Emerald Rapids", "xeon_8480c", BytesPerSecond(40e9)},
    {"x86_64", "AuthenticAMD", -1, -1, "AMD", "epyc_7742", BytesPerSecond(16e9)},
    {"arm64", "", -1, -1, "Arm", "grace", BytesPerSecond(6e9)},
    {"ppc64", "", -1, -1, "POWER9", unknown_host, BytesPerSecond(32e9)},
    {"", "", -1, -1, "an unknown CPU", unknown_host, BytesPerSecond(6e9)}};

constexpr std::string_view assumed = "assumed: NCCL's topologies have no latencies";

struct PcieLink {
  BytesPerSecond payload{};
  std::string_view source{};
  std::string written{};  // "8 GT/s x16"
};

struct Gpu {
  Element element;
  std::string busid{};
  int dev = -1;
  int sm = -1;
  int cpu = 0;
  bool is_below_switch = false;
  PcieLink pcie{};
  std::map<std::string, int> to_gpus{};  // links, by bus id
  int to_switch = 0;
  BytesPerSecond to_host{};  // NVLink or C2C instead of PCIe
};

struct Net {
  Element element;
  int cpu = 0;
  bool is_below_switch = false;
  BytesPerSecond bandwidth{};
  Seconds latency{};
  bool has_gdr = true;
  PcieLink pcie{};  // nothing where it hangs on a CPU without one
};

struct Bridge {
  std::optional<int> cpu{};
  std::vector<std::size_t> gpus{};  // in the order of the file
  std::vector<std::size_t> nets{};
  std::vector<Bridge> bridges{};
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

// ---- What the file says

class NcclReader {
 public:
  explicit NcclReader(Problems& problems) : problems_(problems) {}

  std::vector<Gpu> gpus{};
  std::vector<Net> nets{};
  std::vector<Bridge> bridges{};  // below the CPUs
  std::vector<std::pair<Place, PcieLink>> uplinks{};
  const Processor* processor = nullptr;
  Place processor_place{};
  int cpus = 0;
  std::vector<Problem> warnings{};

  void read(Element root) {
    root.ignore({"version", "name"});
    root.finish();
    for (Element& child : root.children()) {
      if (child.name() == "cpu")
        read_cpu(child);
      else
        child.refuse();
    }
    if (gpus.empty() && !problems_.any())
      root.problem("there is no GPU in this file", "add a <pci> with a <gpu>");
  }

  void warn(const Element& element, std::string fact, std::string remedy) {
    warnings.push_back({element.place(), std::move(fact), std::move(remedy)});
  }

 private:
  int read_count(Element& element, std::string_view attribute, int otherwise) {
    const std::optional<std::string> text = element.maybe(attribute);
    if (!text) return otherwise;
    const std::optional<int> found = number<int>(*text);
    if (found && *found >= 0 && *found <= most_count) return *found;
    if (found && *found == -1) return otherwise;  // NCCL's "not known"
    element.problem(attribute, fmt::format("\"{}\" is no count", printable(*text)),
                    fmt::format("write 0 to {}", most_count));
    return otherwise;
  }

  double read_number(Element& element, std::string_view attribute, double otherwise) {
    const std::optional<std::string> text = element.maybe(attribute);
    if (!text) return otherwise;
    const std::optional<double> found = number<double>(*text);
    if (found && *found >= 0 && *found <= 1e12) return *found;
    element.problem(attribute, fmt::format("\"{}\" is no number", printable(*text)), "write 0 or more");
    return otherwise;
  }

  void read_cpu(Element& element) {
    element.ignore({"numaid", "affinity"});
    const std::string hash = element.optional("host_hash", "");
    if (cpus > 0 && hash != host_hash_)
      element.problem("host_hash", "this CPU is of another machine",
                      "import one machine, and write how many there are");
    host_hash_ = hash;
    const Processor* found = find_processor(element);
    if (processor == nullptr) processor_place = element.place();
    if (processor == nullptr) processor = found;
    element.finish();
    const int cpu = cpus++;
    for (Element& child : element.children()) {
      if (child.name() == "pci")
        read_pci(child, cpu, nullptr);
      else if (child.name() == "nic")
        read_nic(child, cpu, nullptr, {});
      else
        child.refuse();
    }
  }

  const Processor* find_processor(Element& element) {
    const std::string arch = element.optional("arch", "");
    const std::string vendor = element.optional("vendor", "");
    const int family = read_count(element, "familyid", -1);
    const int model = read_count(element, "modelid", -1);
    return std::find_if(std::begin(processors), std::end(processors) - 1, [&](const Processor& row) {
      return row.arch == arch && (row.vendor.empty() || row.vendor == vendor) &&
             (row.family < 0 || row.family == family) && (row.model < 0 || row.model == model);
    });
  }

  PcieLink read_link(Element& element) {
    const std::string speed = element.optional("link_speed", "");
    int width = read_count(element, "link_width", 0);
    if (width == 0) width = 16;  // as NCCL does
    const std::string_view text = speed;
    std::string transfers(text.substr(0, text.find_first_not_of("0123456789.")));
    if (transfers.ends_with(".0")) transfers.resize(transfers.size() - 2);
    const auto* row = std::find_if(std::begin(pcie_rates), std::end(pcie_rates),
                                   [&](const PcieRate& rate) { return rate.transfers == transfers; });
    if (row == std::end(pcie_rates)) {
      row = std::begin(pcie_rates) + usual_pcie_rate;
      warn(element,
           fmt::format("the link speed \"{}\" is taken for {} GT/s", printable(speed), row->transfers),
           "as NCCL does");
    }
    return {row->x16 * width / 16, row->source, fmt::format("{} GT/s x{}", row->transfers, width)};
  }

  // A GPU, a NIC, or a switch: by what is in it, or by its class where NCCL would look at the machine itself.
  void read_pci(Element& element, int cpu, Bridge* above) {
    const std::string busid = lower(element.required("busid"));
    const std::string kind = element.required("class");
    element.ignore({"vendor", "device", "subsystem_vendor", "subsystem_device"});
    if (element.has("busid") && !buses_.insert(busid).second)
      element.problem("busid", fmt::format("\"{}\" is here twice", printable(busid)),
                      "each bus id is one device's");
    const PcieLink link = read_link(element);
    element.finish();
    std::vector<Element> children = element.children();
    const auto holds = [&](std::string_view name) {
      return std::any_of(children.begin(), children.end(),
                         [&](const Element& child) { return child.name() == name; });
    };
    if (holds("gpu") || kind.starts_with("0x03")) return read_gpu(element, children, cpu, above, busid, link);
    if (holds("nic") || kind.starts_with("0x02")) return read_nic_card(element, children, cpu, above, link);
    Bridge bridge;
    if (above == nullptr) bridge.cpu = cpu;
    for (Element& child : children) {
      if (child.name() == "pci") {
        read_pci(child, cpu, &bridge);
      } else if (child.name() == "pcilink") {
        child.problem("links between PCIe switches are not offered",
                      "leave it out: routes then go through the CPU");
      } else {
        child.refuse();
      }
    }
    if (bridge.gpus.empty() && bridge.nets.empty() && bridge.bridges.empty())
      return warn(element, "nothing hangs below this switch", "leave it out");
    uplinks.push_back({element.place("link_speed"), link});
    (above == nullptr ? bridges : above->bridges).push_back(std::move(bridge));
  }

  void read_gpu(Element& element, std::vector<Element>& children, int cpu, Bridge* above,
                const std::string& busid, const PcieLink& link) {
    Gpu gpu{
        .element = element, .busid = busid, .cpu = cpu, .is_below_switch = above != nullptr, .pcie = link};
    for (Element& child : children) {
      if (child.name() != "gpu") {
        child.refuse();
        continue;
      }
      gpu.dev = read_count(child, "dev", -1);
      gpu.sm = read_count(child, "sm", -1);
      child.ignore({"rank", "gdr", "mlopart"});
      child.finish();
      for (Element& wire : child.children()) read_wire(wire, gpu);
    }
    if (above != nullptr) above->gpus.push_back(gpus.size());
    gpus.push_back(std::move(gpu));
  }

  void read_wire(Element& wire, Gpu& gpu) {
    if (wire.name() == "c2c") {
      const int count = read_count(wire, "count", 0);
      gpu.to_host = BytesPerSecond(count * read_number(wire, "bw", 0) * 1e6);
      if (gpu.to_host.count() <= 0) wire.problem("this <c2c> has no bandwidth", "write count and bw (MB/s)");
      return wire.finish();
    }
    if (wire.name() != "nvlink") return wire.refuse();
    const std::string target = lower(wire.required("target"));
    const std::string kind = wire.required("tclass");
    const int count = read_count(wire, "count", 0);
    wire.finish();
    if (count == 0) wire.problem("count", "this <nvlink> has no links", "write a count of 1 or more");
    if (kind.starts_with("0x03"))
      gpu.to_gpus[target] += count;
    else if (kind == "0x068000")
      gpu.to_switch += count;
    else if (wire.has("tclass"))
      wire.problem("tclass", fmt::format("NVLinks to class \"{}\" are not offered", printable(kind)),
                   "known: 0x03.... (a GPU), 0x068000 (an NVSwitch)");
  }

  void read_nic_card(Element& element, std::vector<Element>& children, int cpu, Bridge* above,
                     const PcieLink& link) {
    const std::size_t before = nets.size();
    for (Element& child : children) {
      if (child.name() == "nic")
        read_nic(child, cpu, above, link);
      else
        child.refuse();
    }
    if (nets.size() > before || !children.empty()) return;
    warn(element, "nothing says how fast this NIC is: it has what PCIe gives it",
         "add <nic><net speed=\"100000\"/></nic>, in Mb/s");
    add_net({.element = element, .cpu = cpu, .bandwidth = link.payload, .pcie = link}, above);
  }

  void read_nic(Element& nic, int cpu, Bridge* above, const PcieLink& link) {
    nic.finish();
    std::size_t ports = 0;
    for (Element& child : nic.children()) {
      if (child.name() != "net") {
        child.refuse();
        continue;
      }
      Net net{.element = child, .cpu = cpu};
      net.bandwidth = BytesPerSecond(read_number(child, "speed", 0) * 1e6 / 8);
      net.latency = Seconds(read_number(child, "latency", 0) * 1e-6);
      net.has_gdr = child.optional("gdr", "1") != "0";
      child.ignore(
          {"name", "dev", "port", "guid", "maxconn", "coll", "net", "gin", "rma", "keep", "rail", "plane"});
      child.finish();
      if (net.bandwidth.count() <= 0) {
        child.problem("speed", "this <net> has no speed", "write Mb/s, as in speed=\"100000\"");
        continue;
      }
      net.pcie = link;
      if (++ports == 2)
        warn(child, "two ports of one NIC have a PCIe link each here", "leave one out if they share it");
      add_net(std::move(net), above);
    }
    if (nic.children().empty()) warn(nic, "this <nic> is left out: it has no <net>", "add one");
  }

  void add_net(Net net, Bridge* above) {
    net.is_below_switch = above != nullptr;
    if (above != nullptr) above->nets.push_back(nets.size());
    nets.push_back(std::move(net));
  }

  static constexpr int most_count = 1 << 20;

  Problems& problems_;
  std::string host_hash_{};
  std::set<std::string> buses_{};
};

// ---- What becomes of it

class NcclWriter {
 public:
  NcclWriter(NcclReader& file, const Products& products, Problems& problems)
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

  void choose_device() {
    const Gpu& first = file_.gpus.front();
    for (const Gpu& gpu : file_.gpus) {
      if (gpu.sm == first.sm) continue;
      gpu.element.problem("this GPU has another compute capability than the first",
                          "machines here have devices of one type");
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
          sm < 0 ? "nothing says which GPU this is" : fmt::format("no device type has sm {}", sm),
          "name one: import --type, or \"set\": {\"machine.devices.type\": ...} beside the file");
      return;
    }
    device_ = named(std::string(has_nvlink() ? generation_->with_nvlink : generation_->without));
    std::vector<std::string> others;
    for (const device::DeviceType& type : device_types()) {
      const bool is_same = type.compute_capability &&
                           10 * type.compute_capability->major + type.compute_capability->minor == sm;
      if (is_same) others.push_back(type.id);
    }
    file_.warn(
        first.element,
        fmt::format("sm {} {} NVLink is taken for {}", sm, has_nvlink() ? "with" : "without", device_->id),
        fmt::format("another: import --type, or \"set\": {{\"machine.devices.type\": ...}} beside the file; "
                    "of sm {}: {}",
                    sm, fmt::join(others, ", ")));
  }

  void check_generation(int sm) {
    if (device_ == nullptr || (generation_ != nullptr && generation_->link.count() > 0) || !has_nvlink())
      return;
    file_.gpus.front().element.problem(fmt::format("nothing is known of NVLinks of sm {}", sm),
                                       "leave the <nvlink>s out");
  }

  void choose_host() {
    host_ = named(products_.host.empty() ? std::string(file_.processor->type) : products_.host);
    if (host_ == nullptr || !products_.host.empty()) return;
    file_.warnings.push_back(
        {file_.processor_place, fmt::format("{} is taken for {}", file_.processor->called, host_->id),
         "another: import --host, or \"set\": {\"machine.hosts.type\": ...} beside the file"});
  }

  // ---- Numbers: those of `dev` where all have one, else the file's order

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

  void drop_slow_nets() {
    for (Net& net : file_.nets) narrow(net);
    BytesPerSecond fastest{};
    for (const Net& net : file_.nets) fastest = std::max(fastest, net.bandwidth);
    for (const Net& net : file_.nets) {
      kept_.push_back(net.bandwidth == fastest ? kept_count_++ : -1);
      if (net.bandwidth < fastest)
        file_.warn(net.element,
                   fmt::format("this NIC of {} is left out: another has {}", net.bandwidth, fastest),
                   "machines here have NICs of one kind");
    }
  }

  // All PCIe here is as wide as the GPUs'.
  void narrow(Net& net) {
    const BytesPerSecond own = net.pcie.payload;
    if (own.count() <= 0 || own >= net.bandwidth || own >= file_.gpus.front().pcie.payload) return;
    file_.warn(net.element,
               fmt::format("{} is more than PCIe {} gives, {}", net.bandwidth, net.pcie.written, own),
               "the port has what PCIe gives it");
    net.bandwidth = own;
  }

  // ---- One wire for all of a kind

  void check_pcie() {
    const Gpu& first = file_.gpus.front();
    for (const Gpu& gpu : file_.gpus) {
      if (gpu.pcie.payload != first.pcie.payload && gpu.to_host.count() <= 0)
        gpu.element.problem(
            fmt::format("this GPU has PCIe {}, the first one {}", gpu.pcie.written, first.pcie.written),
            "machines here have one PCIe wire");
      if (gpu.is_below_switch != first.is_below_switch)
        gpu.element.problem("some GPUs hang below a switch and some don't",
                            "put all of them below switches, or none");
      if (gpu.to_host != first.to_host)
        gpu.element.problem("this GPU has another way to its CPU than the first",
                            "machines here have one kind");
    }
    for (const auto& [place, link] : file_.uplinks) {
      if (link.payload != file_.uplinks.front().second.payload)
        problems_.add(place,
                      fmt::format("this switch has PCIe {}, the first one {}", link.written,
                                  file_.uplinks.front().second.written),
                      "machines here have one wire above all switches");
    }
    for (std::size_t index = 0; index < by_index_.size() && !first.is_below_switch; ++index)
      check_dealt(file_.gpus[by_index_[index]].element, file_.gpus[by_index_[index]].cpu,
                  static_cast<int>(index), static_cast<int>(by_index_.size()), "GPU");
    for (std::size_t net = 0; net < kept_.size(); ++net) {
      if (kept_[net] >= 0 && !file_.nets[net].is_below_switch)
        check_dealt(file_.nets[net].element, file_.nets[net].cpu, kept_[net], kept_count_, "NIC");
    }
  }

  // What no switch holds is dealt evenly, in order, to the CPUs.
  void check_dealt(const Element& element, int cpu, int index, int count, std::string_view noun) {
    const auto dealt = static_cast<int>(std::int64_t{index} * file_.cpus / count);
    if (dealt == cpu) return;
    file_.warn(element, fmt::format("{} {} hangs on CPU {} there, on host {} here", noun, index, cpu, dealt),
               "what hangs below no switch is dealt evenly to the hosts");
  }

  void check_wires() {
    const Gpu& first = file_.gpus.front();
    std::map<std::string, std::size_t> gpus;
    for (std::size_t gpu = 0; gpu < file_.gpus.size(); ++gpu) gpus[file_.gpus[gpu].busid] = gpu;
    for (std::size_t number = 0; number < file_.gpus.size(); ++number) {
      const Gpu& gpu = file_.gpus[number];
      if (gpu.to_switch != first.to_switch)
        gpu.element.problem(fmt::format("this GPU has {} links to NVSwitches, the first one {}",
                                        gpu.to_switch, first.to_switch),
                            "machines here have as many for each");
      if (gpu.to_switch > 0 && !gpu.to_gpus.empty())
        gpu.element.problem("this GPU has NVLinks to GPUs and to NVSwitches", "leave one of them out");
      for (const auto& [target, links] : gpu.to_gpus) {
        const auto other = gpus.find(target);
        if (other == gpus.end()) {
          gpu.element.problem(
              fmt::format("there is no GPU \"{}\" that an NVLink could lead to", printable(target)),
              "name the busid of one");
          continue;
        }
        const auto& back = file_.gpus[other->second].to_gpus;
        const auto found = back.find(gpu.busid);
        const int links_back = found == back.end() ? 0 : found->second;
        if (links_back != links)
          gpu.element.problem(
              fmt::format("{} NVLinks lead to \"{}\", and {} back", links, printable(target), links_back),
              "write the same count on both sides");
        pairs_[std::minmax(index_[number], index_[other->second])] = links;
      }
    }
  }

  // ---- Text

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
              fmt::format("{}: between sockets of {}", by_nccl, file_.processor->called));
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

  NcclReader& file_;
  const Products& products_;
  Problems& problems_;
  const device::DeviceType* device_ = nullptr;
  const device::DeviceType* host_ = nullptr;
  const Generation* generation_ = nullptr;
  std::vector<int> index_{};             // of a GPU of the file
  std::vector<std::size_t> by_index_{};  // and back
  std::vector<int> kept_{};              // number of a NIC; -1: left out
  int kept_count_ = 0;
  std::map<std::pair<int, int>, int> pairs_{};
  json::Writer out_{};
};

}  // namespace

Translated translate_nccl(const xml::Document& document, const Products& products) {
  Problems problems;
  NcclReader file(problems);
  file.read(document.root(problems));
  problems.throw_if_any();
  Translated translated = NcclWriter(file, products, problems).write();
  problems.throw_if_any();
  return translated;
}

}  // namespace wt::platform
