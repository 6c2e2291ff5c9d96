#include "communication/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/suggest.h"
#include "communication/calibrated.h"
#include "communication/facts.h"

namespace wt::communication {

namespace {

using collective::Inside, collective::Protocol;

// The time that the launch takes.
Seconds floor_of(const Facts& facts, const CallOptions& options) {
  if (options.launch_time) return *options.launch_time;
  const auto& launches = constants().launches;
  const auto launch = launches.find(options.launch);
  if (launch == launches.end()) {
    std::vector<std::string_view> known;
    for (const auto& [name, row] : launches) known.push_back(name);
    throw InputError(fmt::format("\"{}\" is not a way to launch", options.launch),
                     did_you_mean(options.launch, known));
  }
  const int driven = options.devices_per_process > 0 ? options.devices_per_process : facts.per_node;
  return launch->second.call + launch->second.per_device * driven;
}

// The protocol and channels that the library would use with this algorithm. For an algorithm that the library
// doesn't have, they are those of its best choice.
collective::Choice choice_for(const Group& group, const collective::Algorithm& algorithm, Bytes bytes,
                              const CallOptions& options) {
  const std::optional<Protocol> wanted = options.protocol;
  const std::vector<collective::Choice> ranked = choices(group, algorithm.operation, bytes, options.settings);
  const auto fits = [&](const collective::Choice& each) { return !wanted || each.protocol == *wanted; };
  for (const bool any : {false, true})
    for (const collective::Choice& each : ranked)
      if (fits(each) && (any || each.algorithm == algorithm.name)) return each;
  collective::Choice other{};
  other.protocol = wanted.value_or(Protocol::simple);
  return other;
}

// The library's rings, which it spreads over cards. Those that begin or end at a root are chains.
bool is_ring(const collective::Algorithm& algorithm) {
  using enum collective::Operation;
  const bool is_rooted = algorithm.operation == broadcast || algorithm.operation == reduce;
  if (!is_rooted && !collective::goes_around(algorithm.operation)) return false;
  return algorithm.name == "multi_rail" || algorithm.name == (is_rooted ? "chain" : "ring");
}

// On a mesh of NVLinks a single ring would leave most links idle, so the vector is spread over several rings, and
// trees follow the links, too. From or to a root each channel of the library takes one ring, so that a vector too small
// for many channels takes few.
void give_orders(Call& call, const Group& group, int channels) {
  const collective::Operation operation = call.algorithm->operation;
  if (call.algorithm->name == "tree") call.request.orders = chains_over_mesh(group);
  if (!is_ring(*call.algorithm)) return;
  const bool is_rooted = !collective::goes_around(operation);
  if (!is_rooted) call.request.orders = rings_over_mesh(group);
  if (!call.request.orders.empty()) call.algorithm = &collective::algorithm_named(operation, "multi_rail");
  // A ring for each network card.
  const collective::Fabric fabric = hardware_of(group).fabric;
  const int rings = is_rooted ? std::min(fabric.nics, channels) : fabric.nics;
  if (call.algorithm->name == "multi_rail" && call.request.options.lanes == 0 &&
      rings < fabric.ranks_per_node)
    call.request.options.lanes = rings;
}

bool uses_all_cards(const Facts& facts, const collective::Algorithm& algorithm) {
  const collective::Fabric& fabric = facts.machine.fabric;
  const bool is_driven = fabric.capability > 0 || fabric.is_amd;
  return is_driven && collective::leaves_by_all_cards(algorithm.operation, fabric) &&
         fabric.inside != Inside::ideal && is_ring(algorithm) && fabric.nodes > 1 && fabric.nics > 1 &&
         fabric.ranks_per_node > 1 && fabric.nodes * fabric.ranks_per_node == facts.ranks;
}

void scale_latencies(Call& call, double factor) {
  call.floor = call.floor * factor;
  for (Crossing* crossing : {&call.inside, &call.between})
    if (crossing->latency) *crossing->latency = *crossing->latency * factor;
}

// Unknown classes of network cards count as Ethernet.
const Network& network_named(std::string_view type) {
  const auto& networks = constants().networks;
  const auto found = networks.find(type);
  return found != networks.end() ? found->second : networks.find("ethernet")->second;
}

}  // namespace

std::vector<collective::Choice> choices(const Group& group, collective::Operation operation, Bytes bytes,
                                        const collective::LibrarySettings& settings) {
  std::vector<collective::Choice> ranked =
      collective::ranked(operation, hardware_of(group).fabric, group.size(), bytes);
  std::erase_if(ranked, [&](const collective::Choice& each) { return !collective::allows(settings, each); });
  return ranked;
}

Call call_of(const Group& group, const collective::Algorithm& algorithm, collective::Request request,
             const CallOptions& options) {
  Facts facts{.machine = hardware_of(group), .ranks = group.size()};
  Call call{.algorithm = &algorithm, .request = std::move(request)};
  if (uses_all_cards(facts, algorithm))
    call.algorithm = &collective::algorithm_named(algorithm.operation, "multi_rail");
  add_natural_shape(call.request.options, group, *call.algorithm);
  const auto& generations = constants().generations;
  const auto generation = generations.find(facts.machine.generation);
  const bool has_library = (facts.machine.fabric.capability > 0 || facts.machine.fabric.is_amd) &&
                           facts.machine.fabric.inside != Inside::ideal;
  if (generation == generations.end() || !has_library) {
    call.basis = "wires alone";
    calibrate(call, group);
    return call;
  }
  facts.generation = &generation->second;
  const collective::Spread where = collective::spread(facts.machine.fabric, group.size());
  facts.nodes = where.nodes;
  facts.per_node = static_cast<int>(std::ceil(where.per_node()));
  if (facts.nodes > 1) facts.network = &network_named(facts.machine.network);
  facts.bytes = Bytes(call.request.elements * call.request.element_bytes);
  const collective::Choice choice = choice_for(group, *call.algorithm, facts.bytes, options);
  facts.protocol = choice.protocol;
  facts.channels = std::max(1, choice.channels);
  const bool is_default = call.request.options.segments == collective::Options{}.segments;
  add_protocol(call, facts);
  call.floor += floor_of(facts, options);
  if (is_default) cut(call, facts);
  scale_latencies(call, options.latencies);
  if (call.request.orders.empty()) give_orders(call, group, facts.channels);
  call.basis = "class constants";
  calibrate(call, group);
  return call;
}

}  // namespace wt::communication
