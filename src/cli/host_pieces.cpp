#include "cli/host_pieces.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"

namespace wt {

namespace {

struct Piece {
  Bytes limit{};
  Bytes planned{};
  std::int64_t replicas = 0;
};

std::vector<Piece> pieces_of(const scenario::Scenario& scenario) {
  const std::string key = "host.logical_devices";
  std::vector<Piece> pieces;
  for (const scenario::LogicalDevice& each : scenario.host.logical_devices->cut) {
    if (!each.memory_limit)
      throw InputError(Problem{scenario.place(key), "a piece of this machine has no \"memory_limit\"",
                               "say how much of its memory: {\"memory_limit\": \"2 GiB\"}"});
    pieces.push_back({.limit = each.memory_limit->bytes});
  }
  if (pieces.empty())
    throw InputError(Problem{scenario.place(key), "a machine without pieces holds no replica",
                             "name them, or leave the key out"});
  return pieces;
}

// The one that computes there, else the first that is fed from there; what belongs to none is the first one's.
std::size_t replica_of(const scenario::Machine& machine, const std::string& device) {
  std::optional<std::size_t> fed;
  for (std::size_t i = 0; i < machine.replicas.size(); ++i) {
    const device::Name& name = machine.replicas[i].device.name;
    if (print(name) == device) return i;
    if (!fed && print(device::host_of(name)) == device) fed = i;
  }
  return fed.value_or(0);
}

std::string told(const std::vector<Piece>& pieces) {
  std::string text;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    text +=
        fmt::format("{}piece {} with {} needs {} of {}", i == 0 ? "" : "; ", i,
                    counted(pieces[i].replicas, "replica"), rough(pieces[i].planned), rough(pieces[i].limit));
  return text;
}

}  // namespace

void require_place_on_host(const scenario::Scenario& scenario, const scenario::Machine& machine,
                           const plan::Plan& plan) {
  if (!scenario.host.logical_devices) return;
  std::vector<Piece> pieces = pieces_of(scenario);
  for (std::size_t i = 0; i < machine.replicas.size(); ++i) ++pieces[i % pieces.size()].replicas;
  for (const plan::Device& device : plan.devices)
    pieces[replica_of(machine, device.name) % pieces.size()].planned += device.arena;
  const auto is_short = [](const Piece& piece) { return piece.planned > piece.limit; };
  if (std::ranges::none_of(pieces, is_short)) return;
  throw InputError(Problem{scenario.place("host.logical_devices"),
                           fmt::format("the replicas don't fit into this machine's pieces: {}", told(pieces)),
                           "give them more, cut more of them, or take smaller batches"});
}

}  // namespace wt
