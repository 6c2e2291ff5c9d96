#include "session/host_pieces.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"

namespace wt::session {

namespace {

std::vector<HostPiece> pieces_of(const scenario::Scenario& scenario) {
  const std::string key = "host.logical_devices";
  std::vector<HostPiece> pieces;
  for (const scenario::LogicalDevice& each : scenario.host.logical_devices->cut) {
    if (!each.memory_limit)
      throw InputError(Problem{scenario.place(key), "a piece of this machine has no \"memory_limit\"",
                               "add one, as in {\"memory_limit\": \"2 GiB\"}"});
    pieces.push_back({fmt::format("piece {}", pieces.size()), each.memory_limit->bytes});
  }
  if (pieces.empty())
    throw InputError(Problem{scenario.place(key), "this machine is cut into no pieces, so no replica fits",
                             "list at least one piece, or leave the key out"});
  return pieces;
}

enum class Holding : std::uint8_t { all, one_at_a_time };

// Text of what each piece would hold, if at least one of them is too small; unset otherwise.
std::optional<std::string> shortage(std::span<const HostPiece> pieces, const cluster::Machine& machine,
                                    const plan::Plan& plan, Holding holding = Holding::all) {
  std::vector<std::int64_t> replicas(pieces.size(), 0);
  std::vector<Bytes> planned(pieces.size());
  for (std::size_t i = 0; i < machine.replicas.size(); ++i) ++replicas[i % pieces.size()];
  for (const plan::Device& device : plan.devices) {
    Bytes& held = planned[replica_of(machine, device.name) % pieces.size()];
    held = holding == Holding::all ? held + device.arena : std::max(held, device.arena);
  }
  std::string text;
  bool is_short = false;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    is_short = is_short || planned[i] > pieces[i].limit;
    text += fmt::format("{}{} with {} needs {} of {}", i == 0 ? "" : "; ", pieces[i].name,
                        counted(replicas[i], "replica"), rough(planned[i]), rough(pieces[i].limit));
  }
  return is_short ? std::optional(text) : std::nullopt;
}

bool takes_turns(const scenario::Scenario& scenario) {
  return scenario.host.logical_devices && scenario.numerics == scenario::Numerics::cpu;
}

}  // namespace

std::size_t replica_of(const cluster::Machine& machine, const std::string& device) {
  std::optional<std::size_t> fed;
  for (std::size_t i = 0; i < machine.replicas.size(); ++i) {
    for (const device::LogicalDevice& own : machine.replicas[i].devices())
      if (print(own.name) == device) return i;
    if (!fed && print(device::host_of(machine.replicas[i].device.name)) == device) fed = i;
  }
  return fed.value_or(0);
}

void require_place_on_host(const scenario::Scenario& scenario, const cluster::Machine& machine,
                           const plan::Plan& plan, std::span<const HostPiece> gpus) {
  const auto require = [&](std::string_view key, std::string_view pieces,
                           const std::optional<std::string>& text, std::string_view remedy) {
    if (!text) return;
    throw InputError(Problem{scenario.place(std::string(key)),
                             fmt::format("the replicas don't fit into this machine's {}: {}", pieces, *text),
                             std::string(remedy)});
  };
  if (scenario.host.logical_devices && !takes_turns(scenario))
    require("host.logical_devices", "pieces", shortage(pieces_of(scenario), machine, plan),
            "raise their memory limits, list more of them, or use smaller batches");
  if (!gpus.empty())
    require("numerics", "GPUs", shortage(gpus, machine, plan),
            "use smaller batches or fewer replicas, or make more GPUs visible (CUDA_VISIBLE_DEVICES)");
}

std::vector<plan::Piece> pieces_in_turns(const scenario::Scenario& scenario, const cluster::Machine& machine,
                                         const plan::Plan& plan) {
  if (!takes_turns(scenario)) return {};
  const std::vector<HostPiece> pieces = pieces_of(scenario);
  if (const auto text = shortage(pieces, machine, plan, Holding::one_at_a_time))
    throw InputError(Problem{
        scenario.place("host.logical_devices"),
        fmt::format("the replicas don't fit into this machine's pieces, not even one at a time: {}", *text),
        "raise their memory limits, list more of them, or use smaller batches"});
  std::vector<plan::Piece> result;
  for (const HostPiece& piece : pieces) result.push_back({piece.name, piece.limit, {}});
  for (std::size_t i = 0; i < plan.devices.size(); ++i)
    result[replica_of(machine, plan.devices[i].name) % result.size()].devices.push_back(
        static_cast<plan::DeviceId>(i));
  return result;
}

}  // namespace wt::session
