#include "session/host_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/rough.h"

namespace wt::session {

namespace {

constexpr const char* cut_key = "host.logical_devices";

std::vector<HostPiece> cut(const scenario::Scenario& scenario) {
  std::vector<HostPiece> pieces;
  for (const scenario::LogicalDevice& each : scenario.host.logical_devices->cut) {
    if (!each.memory_limit)
      throw InputError(Problem{scenario.place(cut_key), "a piece of this machine has no \"memory_limit\"",
                               "add one, as in {\"memory_limit\": \"2 GiB\"}"});
    pieces.push_back({fmt::format("piece {}", pieces.size()), each.memory_limit->bytes});
  }
  if (pieces.empty())
    throw InputError(Problem{scenario.place(cut_key),
                             "this machine is cut into no pieces, so no replica fits",
                             "list at least one piece, or leave the key out"});
  return pieces;
}

std::vector<HostPiece> pieces_of(const scenario::Scenario& scenario, const std::vector<HostPiece>& gpus) {
  return scenario.host.logical_devices ? cut(scenario) : gpus;
}

}  // namespace

ReplicaOf replicas_of(const cluster::Machine& machine) {
  return [&machine](const plan::Device& device) {
    std::optional<std::size_t> fed;
    for (std::size_t i = 0; i < machine.replicas.size(); ++i) {
      for (const device::LogicalDevice& own : machine.replicas[i].devices())
        if (wt::device::print(own.name) == device.name) return i;
      if (!fed && wt::device::print(device::host_of(machine.replicas[i].device.name)) == device.name) fed = i;
    }
    return fed.value_or(0);
  };
}

HostPieces::HostPieces(const scenario::Scenario& scenario, std::vector<HostPiece> gpus, ReplicaOf replica_of)
    : scenario_(scenario),
      gpus_(std::move(gpus)),
      pieces_(pieces_of(scenario, gpus_)),
      replica_of_(std::move(replica_of)) {}

// ---- What a piece holds

std::size_t HostPieces::piece_of(const plan::Device& device) const {
  WT_EXPECT(!pieces_.empty(), "there are no pieces of memory that device {} could belong to", device.name);
  if (device.seat_of.empty()) return replica_of_(device) % pieces_.size();
  plan::Device guest;
  guest.name = device.seat_of;
  return piece_of(guest);
}

std::vector<Bytes> HostPieces::planned(const plan::Plan& plan, bool one_at_a_time) const {
  std::vector<Bytes> planned(pieces_.size());
  for (const plan::Device& device : plan.devices) {
    Bytes& held = planned[piece_of(device)];
    held = one_at_a_time ? std::max(held, device.arena) : held + device.arena;
  }
  return planned;
}

bool HostPieces::fits(const std::vector<Bytes>& planned) const {
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    if (planned[i] > pieces_[i].limit) return false;
  return true;
}

std::string HostPieces::print(const plan::Plan& plan, const std::vector<Bytes>& planned) const {
  std::vector<std::set<std::size_t>> replicas(pieces_.size());
  for (const plan::Device& device : plan.devices) {
    const std::size_t replica = replica_of_(device);
    replicas[replica % pieces_.size()].insert(replica);
  }
  std::string text;
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    text +=
        fmt::format("{}{} with {} needs {} of {}", i == 0 ? "" : "; ", pieces_[i].name,
                    counted(std::ssize(replicas[i]), "replica"), rough(planned[i]), rough(pieces_[i].limit));
  return text;
}

// ---- Turns

void HostPieces::require_one_at_a_time(const plan::Plan& plan) const {
  const std::vector<Bytes> planned = this->planned(plan, true);
  if (fits(planned)) return;
  const bool is_cut = scenario_.host.logical_devices.has_value();
  throw InputError(
      Problem{scenario_.place(is_cut ? cut_key : "numerics"),
              fmt::format("the replicas don't fit into this machine's {}, not even one at a time: {}",
                          is_cut ? "pieces" : "GPUs", print(plan, planned)),
              is_cut ? "raise their memory limits, list more of them, or use smaller batches"
                     : "use smaller batches"});
}

std::optional<plan::InTurns> HostPieces::seated(const plan::Plan& plan) const {
  if (pieces_.empty()) return std::nullopt;
  const std::vector<Bytes> planned = this->planned(plan, false);
  if (fits(planned)) return std::nullopt;
  require_one_at_a_time(plan);
  if (scenario_.host.collectives == scenario::HostCollectives::nccl)
    throw InputError(
        Problem{scenario_.place("host.collectives"),
                fmt::format("NCCL can't add among replicas that take turns: {}", print(plan, planned)),
                "leave the key out, or make room for all replicas at once"});
  std::vector<plan::Piece> pieces;
  for (const HostPiece& piece : pieces_) pieces.push_back({piece.name, piece.limit, {}});
  for (std::size_t i = 0; i < plan.devices.size(); ++i)
    pieces[piece_of(plan.devices[i])].devices.push_back(static_cast<plan::DeviceId>(i));
  return plan::in_turns(plan, pieces);
}

void HostPieces::require_room(const plan::Plan& plan) const {
  if (gpus_.empty() || !scenario_.host.logical_devices) return;
  const std::vector<Bytes> planned = this->planned(plan, false);
  std::vector<Bytes> needed(gpus_.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    needed[i % gpus_.size()] += std::min(planned[i], pieces_[i].limit);
  for (std::size_t i = 0; i < gpus_.size(); ++i)
    if (needed[i] > gpus_[i].limit)
      throw InputError(Problem{scenario_.place(cut_key),
                               fmt::format("the pieces of {} need {} of its free {}: {}", gpus_[i].name,
                                           rough(needed[i]), rough(gpus_[i].limit), print(plan, planned)),
                               "lower their memory limits, or list fewer pieces: replicas then take turns"});
}

}  // namespace wt::session
