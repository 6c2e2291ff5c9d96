// The latency of a message and the number of bytes that it puts on the wire, by the protocol of NCCL.
#include <algorithm>
#include <array>
#include <cmath>

#include "communication/facts.h"

namespace wt::communication {

namespace {

using collective::Inside, collective::Protocol;

// Latencies are known for rings and trees. Other algorithms take those of rings.
std::string_view pattern_of(std::string_view algorithm) {
  return algorithm.find("tree") != std::string_view::npos ? "tree" : "ring";
}

bool lets_switches_add(const Call& call) { return call.algorithm->name.starts_with("nvls"); }

Seconds step_inside(const Facts& facts, std::string_view pattern) {
  const collective::Fabric& fabric = facts.machine.fabric;
  const PerPattern& wire = fabric.nvlinks == 0 ? constants().pcie
                           : fabric.is_amd     ? constants().xgmi
                                               : constants().nvlink;
  const PerProtocol& steps = wire.find(pattern)->second;
  const auto found = steps.find(facts.protocol);
  return found != steps.end() ? found->second : facts.generation->simple;
}

// Of a message to each other rank of a node at once, by which two_shot stands for rings over all links: a ring would
// have taken a step for each.
bool goes_to_all(const Call& call, const Facts& facts) {
  const std::string_view name = call.algorithm->name;
  return facts.machine.fabric.is_amd && facts.machine.fabric.is_full_mesh &&
         (name == "two_shot" || name == "direct") &&
         !collective::is_point_to_point(call.algorithm->operation);
}

// Protocols that a network's plugin doesn't allow cost what simple does, if they are asked for.
Seconds step_between(const Facts& facts) {
  const PerProtocol& steps = facts.network->step;
  if (const auto own = facts.network->of_generation.find(facts.machine.generation);
      own != facts.network->of_generation.end() && own->second.contains(facts.protocol))
    return own->second.at(facts.protocol);
  const auto found = steps.find(facts.protocol);
  return found != steps.end() ? found->second : steps.at(Protocol::simple);
}

double payload(Protocol protocol) { return constants().payload.at(protocol); }

BytesPerSecond ll_rate(const Facts& facts) {
  const LlChannel& channel = constants().ll_channel;
  const double chunk = static_cast<double>(facts.bytes.count()) / facts.ranks;
  const double channels = std::max(1.0, std::ceil(chunk / static_cast<double>(channel.bytes.count())));
  return std::min(channel.rate * channels, facts.generation->ll_rate);
}

// The time of a ring's bytes among n GPUs, over that of its busy links. A block of NCCL carries a channel's chunks one
// after the other. In each loop of an all-reduce it sends in 2 (n - 1) of its 2 n - 1 steps, and only takes in a chunk in
// the last one (runRing in src/device/all_reduce.h). Where all blocks together are no faster than the links, no other
// channel makes up for that.
double idle_steps(const Call& call, const Facts& facts) {
  const bool is_ring = call.algorithm->name == "ring" && facts.nodes == 1 &&
                       call.algorithm->operation == collective::Operation::all_reduce;
  const std::optional<BytesPerSecond>& blocks = facts.generation->ring_blocks;
  if (!is_ring || !blocks || facts.machine.fabric.inside != Inside::nvswitch) return 1;
  const double n = facts.ranks;
  return std::max(1., facts.machine.inside / *blocks * ((2 * n - 1) / (2 * n - 2)));
}

bool is_staged(const Facts& facts) { return facts.machine.fabric.inside == Inside::staged; }

// Through the memory of the host. What the processors' caches hold of a call needs no access to the memory.
double staged_wire(const Call& call, const Facts& facts) {
  const Staging& staging = constants().staging;
  const double bytes = static_cast<double>(facts.bytes.count()) * facts.ranks *
                       collective::bus_factor(call.algorithm->operation, facts.ranks);
  const double cached = std::min(1., static_cast<double>(staging.cache.count()) / std::max(bytes, 1.));
  const double share = facts.protocol == Protocol::ll ? staging.ll : payload(facts.protocol);
  return (cached + (1 - cached) / staging.beyond_cache) / share;
}

// Of a step through the memory of the host: a message crosses PCIe twice, to the memory and from it. In a ring the next
// GPU reads the first lines of a chunk while the last ones are being written, so that the latency counts only as far
// as it is longer than the bytes take.
Seconds staged_latency(const Call& call, const Facts& facts, Seconds step) {
  const Seconds latency = facts.protocol == Protocol::ll ? step * 2. : step;
  if (call.algorithm->name != "ring" || !collective::goes_around(call.algorithm->operation)) return latency;
  return std::max(Seconds{}, latency - facts.bytes / facts.ranks / facts.machine.inside * call.inside.wire);
}

// The links that a message takes within a machine. On a mesh, algorithms that send to one device at a time use one.
BytesPerSecond rate_of_message(const Call& call, const Facts& facts) {
  constexpr std::array<std::string_view, 3> one_at_a_time{"chain", "binomial_tree", "scatter_ring"};
  const collective::Fabric& fabric = facts.machine.fabric;
  const bool is_one = std::ranges::find(one_at_a_time, call.algorithm->name) != one_at_a_time.end();
  return fabric.inside == Inside::nvlink_mesh && is_one
             ? facts.machine.inside / static_cast<double>(std::max(1, fabric.nvlinks))
             : facts.machine.inside;
}

// Bytes on the wire for each byte of a message within a machine. A rate below that of the links counts as
// more bytes.
double wire_inside(const Call& call, const Facts& facts) {
  const Generation& generation = *facts.generation;
  const double share = payload(facts.protocol);
  if (is_staged(facts)) return staged_wire(call, facts);
  // Sends to all peers have many more channels than rings, so that flags alone slow them down.
  const bool sends = collective::is_point_to_point(call.algorithm->operation);
  if (facts.protocol == Protocol::ll && !sends)
    return std::max(1 / share, rate_of_message(call, facts) / ll_rate(facts));
  const bool is_slow = generation.ll128_from && facts.bytes > *generation.ll128_from;
  return 1 / (facts.protocol == Protocol::ll128 && is_slow ? generation.ll128_payload : share);
}

// Likewise for a message between machines. In trees LL passes through host memory, which limits its rate.
double wire_between(const Facts& facts, std::string_view pattern, bool lets_add) {
  double wire =
      1 / payload(facts.protocol) / (pattern == "tree" && !lets_add ? facts.generation->tree_share : 1);
  if (facts.protocol == Protocol::ll && pattern == "tree") {
    const BytesPerSecond most =
        std::min(facts.generation->ll_network, facts.network->ll_rate.value_or(facts.generation->ll_network));
    wire = std::max(wire, facts.machine.between / most);
  }
  if (facts.protocol == Protocol::ll128 && pattern == "tree" && facts.network->ll128_rate)
    wire = std::max(wire, facts.machine.between / *facts.network->ll128_rate);
  // The blocks that carry rings behind switches are no faster between machines than within them: 365 GB/s on one
  // and on four p5en, whose cards would carry 387.
  if (pattern == "ring" && !lets_add && facts.per_node > 1 && facts.machine.fabric.inside == Inside::nvswitch)
    wire = std::max(wire, facts.machine.between / facts.machine.inside * wire);
  if (lets_add && facts.nodes > 2) wire = wire / facts.network->branched;
  // A GPU alone in its machine has the host's copies to itself.
  const bool has_copies =
      !facts.machine.fabric.gpu_direct && facts.per_node > 1 && facts.bytes < constants().host_copies_below;
  return has_copies ? wire / constants().host_copies_share : wire;
}

}  // namespace

void add_protocol(Call& call, const Facts& facts) {
  const std::string_view pattern = pattern_of(call.algorithm->name);
  call.protocol = collective::name(facts.protocol);
  call.adds_in_passing = true;
  if (!lets_switches_add(call)) {
    call.inside = {step_inside(facts, pattern), wire_inside(call, facts) * idle_steps(call, facts)};
    if (is_staged(facts)) call.inside.latency = staged_latency(call, facts, *call.inside.latency);
    if (goes_to_all(call, facts)) call.inside.latency = *call.inside.latency * (facts.per_node - 1.);
    call.floor += constants().base.find(pattern)->second.at(facts.protocol);
  }
  if (facts.network != nullptr)
    call.between = {step_between(facts), wire_between(facts, pattern, lets_switches_add(call))};
}

}  // namespace wt::communication
