#include "plan/turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/id.h"
#include "plan/order.h"

namespace wt::plan {

namespace {

// The place in which the arenas of several devices take turns.
struct Seat {
  DeviceId device{};                   // in the new plan
  std::optional<DeviceId> occupant{};  // the device of the old plan whose arena is here
};

// A device of the old plan that takes turns in a seat.
struct Guest {
  std::size_t seat = 0;
  Operand parked{}, seated{};            // its whole arena, in both places
  std::map<BufferId, BufferId> twins{};  // by buffer of the old plan, its copy in the seat
};

// The device in whose arena an action works. A Move needs no seat, because it reads and writes parked arenas,
// too.
std::optional<DeviceId> works_on(const Action& action) {
  if (const auto* run = std::get_if<Run>(&action)) return run->device;
  if (const auto* sum = std::get_if<Sum>(&action)) return sum->device;
  WT_EXPECT(std::holds_alternative<Move>(action),
            "a plan with a whole collective can't be rewritten for replicas that take turns");
  return std::nullopt;
}

class TurnTaker {
 public:
  TurnTaker(const Plan& plan, std::span<const Piece> pieces) : old_(plan), made_{.plan = plan} {
    made_.plan.nodes.clear();
    for (const Piece& piece : pieces) add_seats(piece);
    ready_.resize(plan.devices.size());
  }

  InTurns take_turns() && {
    if (seats_.empty()) return {.plan = old_};
    find_followers();
    while (done_ < old_.nodes.size()) take(next());
    for (const Seat& seat : seats_)
      if (seat.occupant) park(*seat.occupant);
    return std::move(made_);
  }

 private:
  // ---- Seats

  // The piece gets as many seats as its largest arena fits in. Its devices are assigned to the seats in turn.
  void add_seats(const Piece& piece) {
    Bytes all{}, largest{};
    for (const DeviceId device : piece.devices) {
      all += arena(device);
      largest = std::max(largest, arena(device));
    }
    if (all <= piece.limit) return;
    WT_EXPECT(largest <= piece.limit, "an arena of {} does not fit in {} of {}", largest, piece.name,
              piece.limit);
    const std::int64_t count = std::max<std::int64_t>(1, piece.limit.count() / largest.count());
    const std::size_t first = seats_.size();
    for (std::int64_t i = 0; i < count; ++i) {
      seats_.push_back({.device = static_cast<DeviceId>(made_.plan.devices.size())});
      made_.plan.devices.push_back({.name = fmt::format("{} seat {}", piece.name, i),
                                    .seat_of = old_.devices[index(piece.devices.front())].name});
    }
    for (std::size_t i = 0; i < piece.devices.size(); ++i)
      add_guest(piece.devices[i], first + i % static_cast<std::size_t>(count));
  }

  void add_guest(DeviceId device, std::size_t seat) {
    Guest& guest = guests_[device];
    guest.seat = seat;
    made_.plan.devices[index(device)].is_parked = true;
    const DeviceId there = seats_[seat].device;
    Bytes& room = made_.plan.devices[index(there)].arena;
    room = std::max(room, arena(device));
    for (std::size_t i = 0; i < old_.buffers.size(); ++i) {
      if (old_.buffers[i].device != device) continue;
      Buffer twin = old_.buffers[i];
      twin.device = there;
      guest.twins[static_cast<BufferId>(i)] = made_.plan.add_buffer(std::move(twin));
    }
    const TensorSpec bytes{Type::uint8, Shape{arena(device).count()}};
    const auto whole = [&](DeviceId where) {
      return Operand{
          made_.plan.add_buffer(
              {old_.devices[index(device)].name, where, arena(device), BufferKind::communication, {}}),
          bytes,
          {}};
    };
    guest.parked = whole(device);
    guest.seated = whole(there);
  }

  Bytes arena(DeviceId device) const { return old_.devices[index(device)].arena; }

  // ---- The order of the nodes

  void find_followers() {
    followers_.resize(old_.nodes.size());
    for (const NodeId id : canonical_order(old_)) {
      std::vector<NodeId> before = old_.node(id).after;
      insert(before, old_.node(id).slot_after);
      waiting_.push_back(before.size());
      for (const NodeId other : before) followers_[index(other)].push_back(id);
      if (before.empty()) announce(id);
    }
  }

  void announce(NodeId id) {
    const std::optional<DeviceId> device = works_on(old_.node(id).action);
    (device ? ready_[index(*device)] : messages_).insert(id);
  }

  // Messages come first, since other nodes wait for them. Then come nodes of the device that is at work, and
  // then those of a device whose arena is in its seat.
  NodeId next() {
    if (!messages_.empty()) return *messages_.begin();
    if (ready_[index(at_work_)].empty()) at_work_ = next_device();
    return *ready_[index(at_work_)].begin();
  }

  DeviceId next_device() const {
    std::optional<std::pair<std::pair<bool, NodeId>, DeviceId>> best;
    for (std::size_t i = 0; i < ready_.size(); ++i) {
      if (ready_[i].empty()) continue;
      const auto device = static_cast<DeviceId>(i);
      const std::pair cost(!is_at_hand(device), *ready_[i].begin());
      if (!best || cost < best->first) best = {cost, device};
    }
    WT_EXPECT(best.has_value(), "{} of {} nodes wait for each other", old_.nodes.size() - done_,
              old_.nodes.size());
    return best->second;
  }

  bool is_at_hand(DeviceId device) const {
    const auto guest = guests_.find(device);
    return guest == guests_.end() || seats_[guest->second.seat].occupant == device;
  }

  void take(NodeId id) {
    const Node& node = old_.node(id);
    const std::optional<DeviceId> device = works_on(node.action);
    if (device) bring_in(*device);
    (device ? ready_[index(*device)] : messages_).erase(id);
    add(std::visit([&](const auto& action) -> Action { return found(action); }, node.action),
        {node.scope, node.role});
    ++done_;
    for (const NodeId follower : followers_[index(id)])
      if (--waiting_[index(follower)] == 0) announce(follower);
  }

  // ---- The new nodes

  void bring_in(DeviceId device) {
    if (is_at_hand(device)) return;
    const Guest& guest = guests_.at(device);
    Seat& seat = seats_[guest.seat];
    if (seat.occupant) park(*seat.occupant);
    swap(guest.parked, guest.seated);
    seat.occupant = device;
    ++made_.swaps;
  }

  void park(DeviceId device) {
    const Guest& guest = guests_.at(device);
    swap(guest.seated, guest.parked);
    seats_[guest.seat].occupant.reset();
  }

  void swap(const Operand& source, const Operand& target) {
    add(Move{source, target, {}}, {"turn", {Purpose::swap}});
    made_.swapped += source.spec.bytes();
  }

  void add(Action action, const Label& label) {
    const std::size_t id = made_.plan.nodes.size();
    made_.plan.add_node(std::move(action), label);
    if (id > 0) made_.plan.nodes.back().after = {static_cast<NodeId>(id - 1)};
  }

  // The buffer of the new plan that holds the values now.
  BufferId found(BufferId buffer) const {
    const DeviceId device = old_.buffer(buffer).device;
    const auto guest = guests_.find(device);
    return guest == guests_.end() || !is_at_hand(device) ? buffer : guest->second.twins.at(buffer);
  }
  Operand found(Operand operand) const {
    operand.buffer = found(operand.buffer);
    return operand;
  }
  std::vector<Operand> found(std::vector<Operand> operands) const {
    for (Operand& operand : operands) operand = found(operand);
    return operands;
  }
  DeviceId found(DeviceId device) const {
    const auto guest = guests_.find(device);
    return guest == guests_.end() ? device : seats_[guest->second.seat].device;
  }

  Run found(Run run) const {
    run.device = found(run.device);
    run.inputs = found(std::move(run.inputs));
    run.outputs = found(std::move(run.outputs));
    if (run.workspace) run.workspace = found(*run.workspace);
    return run;
  }
  Sum found(const Sum& sum) const { return {found(sum.device), found(sum.slots), found(sum.output)}; }
  Move found(const Move& move) const {
    Move made{found(move.source), found(move.target), {}};
    for (const Move& piece : move.more) made.more.push_back(found(piece));
    return made;
  }
  Action found(const Collective& collective) const { return collective; }

  const Plan& old_;
  InTurns made_;
  std::vector<Seat> seats_{};
  std::map<DeviceId, Guest> guests_{};
  std::vector<std::size_t> waiting_{};            // by node, the number of unfinished dependencies
  std::vector<std::vector<NodeId>> followers_{};  // by node, the nodes that depend on it
  std::vector<std::set<NodeId>> ready_{};         // by device, the nodes that can run there
  std::set<NodeId> messages_{};                   // moves that can run
  DeviceId at_work_{};
  std::size_t done_ = 0;
};

}  // namespace

InTurns in_turns(const Plan& plan, std::span<const Piece> pieces) {
  return TurnTaker(plan, pieces).take_turns();
}

}  // namespace wt::plan
