#include "platform/formats/nccl_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/utf8.h"

namespace wt::platform::nccl {

namespace {

using xml::Element;

// The payload rate of 16 lanes of a PCIe generation; one lane has a sixteenth of it.
struct PcieRate {
  std::string_view transfers{};  // in GT/s, as the file writes them
  BytesPerSecond x16{};
  std::string_view source{};
};
constexpr PcieRate pcie_rates[] = {{"2.5", BytesPerSecond(3e9), source},
                                   {"5", BytesPerSecond(6e9), source},
                                   {"8", BytesPerSecond(12.35e9), "measured PCIe 3.0 x16 copies of a V100"},
                                   {"16", BytesPerSecond(26e9), "nvbandwidth README, PCIe 4.0 x16"},
                                   {"32", BytesPerSecond(55e9), "measured PCIe 5.0 x16 copies of an H200"},
                                   {"64", BytesPerSecond(96e9), source}};
constexpr std::size_t usual_pcie_rate = 2;  // NCCL's assumption if the file has none

// The last row fits every CPU.
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

// Walks the tree of elements: <cpu>, below it <pci> and <nic>, below these <gpu> and <net>.
class TopologyReader {
 public:
  explicit TopologyReader(Problems& problems) : problems_(problems) {}

  Topology read(Element root) {
    root.ignore({"version", "name"});
    root.finish();
    for (Element& child : root.children()) {
      if (child.name() == "cpu")
        read_cpu(child);
      else
        child.refuse();
    }
    if (topology_.gpus.empty() && !problems_.any())
      root.problem("the file has no GPU", "add a <pci> with a <gpu>");
    return std::move(topology_);
  }

 private:
  int read_count(Element& element, std::string_view attribute, int otherwise) {
    const std::optional<std::string> text = element.maybe(attribute);
    if (!text) return otherwise;
    const std::optional<int> found = number<int>(*text);
    if (found && *found >= 0 && *found <= most_count) return *found;
    if (found && *found == -1) return otherwise;  // NCCL's value for "unknown"
    element.problem(attribute, fmt::format("\"{}\" is not a count", printable(*text)),
                    fmt::format("write 0 to {}", most_count));
    return otherwise;
  }

  double read_number(Element& element, std::string_view attribute, double otherwise) {
    const std::optional<std::string> text = element.maybe(attribute);
    if (!text) return otherwise;
    const std::optional<double> found = number<double>(*text);
    if (found && *found >= 0 && *found <= 1e12) return *found;
    element.problem(attribute, fmt::format("\"{}\" is not a number", printable(*text)), "write 0 or more");
    return otherwise;
  }

  void read_cpu(Element& element) {
    element.ignore({"numaid", "affinity"});
    const std::string hash = element.optional("host_hash", "");
    if (topology_.cpus > 0 && hash != host_hash_)
      element.problem("host_hash", "this CPU belongs to another machine",
                      "import one machine, and set \"machines\" of the platform");
    host_hash_ = hash;
    const Processor* found = find_processor(element);
    if (topology_.processor == nullptr) topology_.processor_place = element.place();
    if (topology_.processor == nullptr) topology_.processor = found;
    element.finish();
    const int cpu = topology_.cpus++;
    for (Element& child : element.children()) {
      if (child.name() == "pci")
        read_pci(child, cpu, nullptr);
      else if (child.name() == "nic")
        read_nic(child, cpu, nullptr, {});
      else
        child.refuse();
    }
  }

  // The first row that fits the attributes; the last row is not compared.
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

  // The link above a part, from attributes such as link_speed="16.0 GT/s PCIe" and link_width="16".
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
      topology_.warn(
          element,
          fmt::format("the link speed \"{}\" is assumed to be {} GT/s", printable(speed), row->transfers),
          "NCCL assumes the same");
    }
    return {row->x16 * width / 16, row->source, fmt::format("{} GT/s x{}", row->transfers, width)};
  }

  // A GPU, a network card or a switch, recognised by its child elements, else by its PCI class. NCCL itself
  // would inspect the machine if the file has no child elements.
  void read_pci(Element& element, int cpu, Bridge* above) {
    const std::string busid = lower(element.required("busid"));
    const std::string kind = element.required("class");
    element.ignore({"vendor", "device", "subsystem_vendor", "subsystem_device"});
    if (element.has("busid") && !buses_.insert(busid).second)
      element.problem("busid", fmt::format("the bus id \"{}\" is used twice", printable(busid)),
                      "give each device a bus id of its own");
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
        child.problem("links between PCIe switches are not supported",
                      "leave it out: routes then go through the CPU");
      } else {
        child.refuse();
      }
    }
    if (bridge.gpus.empty() && bridge.nets.empty() && bridge.bridges.empty())
      return topology_.warn(element, "this switch has no parts below it", "leave it out");
    topology_.uplinks.push_back({element.place("link_speed"), link});
    (above == nullptr ? topology_.bridges : above->bridges).push_back(std::move(bridge));
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
    if (above != nullptr) above->gpus.push_back(topology_.gpus.size());
    topology_.gpus.push_back(std::move(gpu));
  }

  // An <nvlink> or a <c2c> of a GPU.
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
      wire.problem("tclass", fmt::format("NVLinks to class \"{}\" are not supported", printable(kind)),
                   "known: 0x03.... (a GPU), 0x068000 (an NVSwitch)");
  }

  // A network card below PCIe. A card without a <nic> gets one port with the rate of its PCIe link.
  void read_nic_card(Element& element, std::vector<Element>& children, int cpu, Bridge* above,
                     const PcieLink& link) {
    const std::size_t before = topology_.nets.size();
    for (Element& child : children) {
      if (child.name() == "nic")
        read_nic(child, cpu, above, link);
      else
        child.refuse();
    }
    if (topology_.nets.size() > before || !children.empty()) return;
    topology_.warn(element, "the speed of this NIC is not stated: the rate of its PCIe link is assumed",
                   "add <nic><net speed=\"100000\"/></nic>, in Mb/s");
    add_net({.element = element, .cpu = cpu, .bandwidth = link.payload, .pcie = link}, above);
  }

  // The ports (<net>) of a <nic>.
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
        topology_.warn(child, "the two ports of this NIC get a PCIe link each",
                       "leave one port out if they share a link");
      add_net(std::move(net), above);
    }
    if (nic.children().empty()) topology_.warn(nic, "this <nic> is left out: it has no <net>", "add a <net>");
  }

  void add_net(Net net, Bridge* above) {
    net.is_below_switch = above != nullptr;
    if (above != nullptr) above->nets.push_back(topology_.nets.size());
    topology_.nets.push_back(std::move(net));
  }

  static constexpr int most_count = 1 << 20;

  Problems& problems_;
  Topology topology_{};
  std::string host_hash_{};
  std::set<std::string> buses_{};
};

}  // namespace

Topology read_topology(xml::Element root, Problems& problems) {
  return TopologyReader(problems).read(std::move(root));
}

}  // namespace wt::platform::nccl
