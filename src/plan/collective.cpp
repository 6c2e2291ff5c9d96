#include "plan/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>

#include "collective/order.h"

namespace wt::plan {

namespace {

using collective::Contract, collective::Dependency, collective::Effect, collective::Event, collective::Step,
    collective::Until;

// Slots that lie one after the other at both ends of a move.
struct Stretch {
  int source = 0;
  int target = 0;
  int count = 0;
};

// The value's chunks are one row of slots, the scratch slots behind them further rows; a row lies in one piece.
std::vector<Stretch> stretches_of(const collective::Move& move, int row) {
  std::vector<Stretch> stretches;
  for (const collective::Range& range : move.chunks.ranges())
    for (int slot = range.first; slot < range.end();) {
      const int landing = slot + move.shift;
      const int count = std::min({range.end() - slot, row - slot % row, row - landing % row});
      stretches.push_back({slot, landing, count});
      slot += count;
    }
  return stretches;
}

// Where the slots of all members are.
class Slots {
 public:
  Slots(Plan& plan, const Contract& contract, std::span<const Member> members, const std::string& scope)
      : contract_(contract), type_(members.front().value->spec.type) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Member& member = members[i];
      const auto add = [&](std::int64_t rows, std::string_view what) {
        const Bytes bytes(rows * contract.cut.elements * bytes_per_element(type_));
        return plan.add_buffer(
            {fmt::format("{}{} {}", scope, i, what), member.device, bytes, BufferKind::communication, {}});
      };
      const bool is_rank = static_cast<int>(i) < contract.ranks;
      expect(member.value || !is_rank, "rank {} has no value", i);
      if (member.value)
        expect(member.value->spec.elements() == contract.cut.elements && member.value->spec.type == type_,
               "member {} has {}, not {} of {}", i, print(member.value->spec), contract.cut.elements,
               wt::name(type_));
      values_.push_back(member.value ? *member.value : Operand{add(1, "value"), {}, {}});
      if (contract.scratch > 0)
        scratch_.push_back(add((contract.scratch + chunks() - 1) / chunks(), "scratch"));
    }
  }

  // Requires: they lie in one row.
  Operand at(int member, int slot, int count) const {
    const auto i = static_cast<std::size_t>(member);
    const int row = slot / chunks(), first = slot % chunks();
    const std::int64_t begin = contract_.cut.begin(first), end = contract_.cut.begin(first + count);
    const TensorSpec spec{type_, {end - begin}};
    if (row == 0) return {values_[i].buffer, spec, values_[i].offset + bytes(begin)};
    return {scratch_[i], spec, bytes((row - 1) * contract_.cut.elements + begin)};
  }

  int chunks() const { return contract_.cut.chunks; }

 private:
  Bytes bytes(std::int64_t elements) const { return Bytes(elements * bytes_per_element(type_)); }

  const Contract& contract_;
  Type type_;
  std::vector<Operand> values_{};
  std::vector<BufferId> scratch_{};
};

// Who touches a buffer from now on, and whom it finds there.
struct Use {
  Frontier before{};
  std::vector<NodeId> nodes{};
  std::vector<NodeId> writers{};
};

std::vector<NodeId> joined(std::vector<NodeId> first, const std::vector<NodeId>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

class Lowering {
 public:
  Lowering(Plan& plan, std::vector<Frontier>& frontiers, const collective::Expanded& schedule,
           std::span<const Member> members, const std::string& scope, Messages messages)
      : plan_(plan),
        frontiers_(frontiers),
        schedule_(schedule),
        members_(members),
        scope_(scope),
        messages_(messages),
        slots_(plan, schedule.contract, members, scope.empty() ? "rank " : scope + "/rank "),
        sent_(schedule.steps.size()),
        done_(schedule.steps.size()),
        staging_(schedule.steps.size()) {
    frontiers_.resize(plan.buffers.size());
  }

  void lower() {
    if (schedule_.contract.input_slot > 0) bring_input();
    each_event([this](const Event& event) {
      const auto step = static_cast<std::size_t>(event.move);
      event.applies ? apply(step) : start(step);
    });
    set_frontiers();
  }

 private:
  // In the order of the schedule, as far as that is legal: partners who exchange sums both send before either
  // adds.
  template <class Visit>
  void each_event(Visit visit) const {
    const auto is_later = [](const Event& a, const Event& b) {
      return std::pair(a.move, a.applies) > std::pair(b.move, b.applies);
    };
    std::priority_queue<Event, std::vector<Event>, decltype(is_later)> ready(is_later);
    std::vector<int> waits;
    const collective::Followers followers = collective::followers_of(schedule_.steps, waits);
    const auto number = [](const Event& event) {
      return 2 * static_cast<std::size_t>(event.move) + event.applies;
    };
    for (std::size_t step = 0; step < schedule_.steps.size(); ++step)
      if (waits[2 * step] == 0) ready.push({static_cast<int>(step), false});
    std::size_t visited = 0;
    for (; !ready.empty(); ++visited) {
      const Event event = ready.top();
      ready.pop();
      visit(event);
      for (const Event& next : followers[number(event)])
        if (--waits[number(next)] == 0) ready.push(next);
    }
    expect(visited == waits.size(), "the moves of {} wait in a circle", schedule_.name);
  }

  // What a schedule wants out of place is copied there.
  void bring_input() {
    const Contract& contract = schedule_.contract;
    for (int rank = 0; rank < contract.ranks; ++rank)
      for (int chunk = 0; chunk < contract.cut.chunks; ++chunk) {
        if (!contract.brings(rank, chunk) || contract.cut.size(chunk) == 0) continue;
        const int slot = chunk + contract.input_slot;
        const NodeId node = add_node(Move{slots_.at(rank, chunk, 1), slots_.at(rank, slot, 1), {}}, {});
        brought_[rank].push_back(node);
      }
  }

  bool is_staged(std::size_t step) const {
    return schedule_.steps[step].move.effect == Effect::reduce || !schedule_.steps[step].apply.empty();
  }

  void start(std::size_t step) {
    const collective::Move& move = schedule_.steps[step].move;
    const std::vector<Stretch> stretches = stretches_of(move, slots_.chunks());
    if (is_staged(step)) staging_[step] = add_staging(move, stretches);
    sent_[step] = done_[step] = add_message(step, stretches);
  }

  void apply(std::size_t step) {
    if (!is_staged(step)) return;
    const std::vector<Stretch> stretches = stretches_of(schedule_.steps[step].move, slots_.chunks());
    done_[step] = schedule_.steps[step].move.effect == Effect::reduce ? add_sums(step, stretches)
                                                                      : put_in_place(step, stretches);
  }

  NodeId add_message(std::size_t step, const std::vector<Stretch>& stretches) {
    const collective::Move& move = schedule_.steps[step].move;
    std::vector<Move> pieces;
    Bytes offset{};
    for (const Stretch& each : stretches) {
      const Operand source = slots_.at(move.source, each.source, each.count);
      const Operand target = is_staged(step) ? Operand{staging_[step], source.spec, offset}
                                             : slots_.at(move.target, each.target, each.count);
      offset += source.spec.bytes();
      pieces.push_back({source, target, {}});
    }
    const NodeId node = add_node(message(std::move(pieces)), nodes(schedule_.steps[step].start));
    wait_in_line(node, move);
    return node;
  }

  static Move message(std::vector<Move> pieces) {
    Move first = std::move(pieces.front());
    pieces.erase(pieces.begin());
    first.more = std::move(pieces);
    return first;
  }

  void wait_in_line(NodeId node, const collective::Move& move) {
    if (messages_ == Messages::together || move.source == move.target) return;
    const std::pair both(move.source, move.target), from(move.source, nobody), to(nobody, move.target);
    for (const auto& ends : messages_ == Messages::in_order ? std::vector{both} : std::vector{from, to}) {
      const auto [last, is_first] = last_between_.try_emplace(ends, node);
      if (!is_first) wait_for(plan_.nodes[index(node)], {{last->second}});
      last->second = node;
    }
  }

  BufferId add_staging(const collective::Move& move, const std::vector<Stretch>& stretches) {
    Bytes bytes{};
    for (const Stretch& each : stretches)
      bytes += slots_.at(move.source, each.source, each.count).spec.bytes();
    frontiers_.emplace_back();
    return plan_.add_buffer({fmt::format("{} to {}", move.source, move.target),
                             members_[static_cast<std::size_t>(move.target)].device,
                             bytes,
                             BufferKind::communication,
                             {}});
  }

  // One after the other, as one kernel would work them off.
  NodeId add_sums(std::size_t step, const std::vector<Stretch>& stretches) {
    const collective::Move& move = schedule_.steps[step].move;
    std::vector<NodeId> after = joined(nodes(schedule_.steps[step].apply), {sent_[step]});
    NodeId last{};
    Bytes offset{};
    for (const Stretch& each : stretches) {
      const Operand there = slots_.at(move.target, each.target, each.count);
      const DeviceId device = members_[static_cast<std::size_t>(move.target)].device;
      last = add_node(Sum{device, {there, {staging_[step], there.spec, offset}}, there}, std::move(after));
      plan_.nodes.back().stream = Stream::none;
      offset += there.spec.bytes();
      after = {last};
    }
    return last;
  }

  NodeId put_in_place(std::size_t step, const std::vector<Stretch>& stretches) {
    const collective::Move& move = schedule_.steps[step].move;
    std::vector<Move> pieces;
    Bytes offset{};
    for (const Stretch& each : stretches) {
      const Operand there = slots_.at(move.target, each.target, each.count);
      pieces.push_back({{staging_[step], there.spec, offset}, there, {}});
      offset += there.spec.bytes();
    }
    return add_node(message(std::move(pieces)), joined(nodes(schedule_.steps[step].apply), {sent_[step]}));
  }

  std::vector<NodeId> nodes(const std::vector<Dependency>& dependencies) const {
    std::vector<NodeId> result;
    for (const Dependency& each : dependencies)
      result.push_back((each.until == Until::sent ? sent_ : done_)[static_cast<std::size_t>(each.move)]);
    return result;
  }

  // It waits for those, too, whom its buffers' earlier users are.
  NodeId add_node(Action action, std::vector<NodeId> after) {
    const std::vector<BufferId> read = reads(action), written = writes(action);
    const NodeId id = plan_.add_node(std::move(action), scope_);
    for (const BufferId buffer : read) note(buffer, id, false, after);
    for (const BufferId buffer : written) note(buffer, id, true, after);
    for (const auto& [rank, copies] : brought_)
      if (touches(rank, read) || touches(rank, written)) after = joined(std::move(after), copies);
    wait_for(plan_.nodes[index(id)], after);
    return id;
  }

  bool touches(int rank, const std::vector<BufferId>& buffers) const {
    for (const int slot : {0, slots_.chunks()})
      if (std::ranges::find(buffers, slots_.at(rank, slot, 0).buffer) != buffers.end()) return true;
    return false;
  }

  void note(BufferId buffer, NodeId id, bool writes, std::vector<NodeId>& after) {
    const auto [place, is_new] = uses_.try_emplace(buffer);
    Use& use = place->second;
    if (is_new) use.before = frontiers_[index(buffer)];
    after = joined(std::move(after), writes ? use.before.last_accesses() : use.before.writers);
    if (use.nodes.empty() || use.nodes.back() != id) use.nodes.push_back(id);
    if (writes && (use.writers.empty() || use.writers.back() != id)) use.writers.push_back(id);
  }

  void set_frontiers() {
    for (const auto& [buffer, use] : uses_) {
      Frontier& frontier = frontiers_[index(buffer)];
      frontier.readers = not_followed(use.nodes);
      if (use.writers.empty())
        frontier.readers = joined(frontier.readers, use.before.readers);
      else
        frontier.writers = not_followed(use.writers);
      std::ranges::sort(frontier.readers);
    }
  }

  // Those of them that none of them waits for.
  std::vector<NodeId> not_followed(const std::vector<NodeId>& nodes) const {
    std::vector<NodeId> followed;
    for (const NodeId id : nodes) followed = joined(std::move(followed), plan_.node(id).after);
    std::ranges::sort(followed);
    std::vector<NodeId> rest;
    for (const NodeId id : nodes)
      if (!std::ranges::binary_search(followed, id)) rest.push_back(id);
    return rest;
  }

  Plan& plan_;
  std::vector<Frontier>& frontiers_;
  const collective::Expanded& schedule_;
  std::span<const Member> members_;
  const std::string& scope_;
  const Messages messages_;
  Slots slots_;
  std::vector<NodeId> sent_, done_;  // by step
  std::vector<BufferId> staging_;
  static constexpr int nobody = -1;
  std::map<std::pair<int, int>, NodeId> last_between_{};  // by source and target
  std::map<int, std::vector<NodeId>> brought_{};          // by rank
  std::map<BufferId, Use> uses_{};
};

}  // namespace

void add_collective(Plan& plan, std::vector<Frontier>& frontiers, const collective::Expanded& schedule,
                    std::span<const Member> members, const std::string& scope, Messages messages) {
  expect(static_cast<int>(members.size()) == schedule.contract.members(), "{} members for a schedule of {}",
         members.size(), schedule.contract.members());
  Lowering(plan, frontiers, schedule, members, scope, messages).lower();
}

}  // namespace wt::plan
