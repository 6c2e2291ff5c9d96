#include "plan/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/narrow.h"
#include "collective/order.h"

namespace wt::plan {

namespace {

using collective::Contract, collective::Dependency, collective::Effect, collective::Event, collective::Step,
    collective::Until;

// Slots that are adjacent in memory at both ends of a move.
struct Stretch {
  int source = 0;
  int target = 0;
  int count = 0;
};

// The chunks of the value are one row of slots. The scratch slots after them are further rows. Each row is
// contiguous.
void each_stretch(const collective::Move& move, int row, auto&& visit) {
  move.chunks.each_range([&](const collective::Range& range) {
    for (int slot = range.first; slot < range.end();) {
      const int landing = slot + move.shift;
      const int count = std::min({range.end() - slot, row - slot % row, row - landing % row});
      visit(Stretch{slot, landing, count});
      slot += count;
    }
  });
}

// The memory of all members' slots.
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
      WT_EXPECT(member.value || !is_rank, "rank {} has no value", i);
      if (member.value)
        WT_EXPECT(member.value->spec.elements() == contract.cut.elements && member.value->spec.type == type_,
                  "member {} has {}, not {} of {}", i, print(member.value->spec), contract.cut.elements,
                  wt::name(type_));
      values_.push_back(member.value ? *member.value : Operand{add(1, "value"), {}, {}});
      if (contract.scratch > 0)
        scratch_.push_back(add((contract.scratch + chunks() - 1) / chunks(), "scratch"));
    }
  }

  // Requires: the slots are in one row.
  Operand at(int member, int slot, int count) const {
    const auto i = static_cast<std::size_t>(member);
    const int row = slot / chunks(), first = slot % chunks();
    const std::int64_t begin = contract_.cut.begin(first), end = contract_.cut.begin(first + count);
    const TensorSpec spec{type_, {end - begin}};
    if (row == 0) return {values_[i].buffer, spec, values_[i].offset + bytes(begin)};
    return {scratch_[i], spec, bytes((row - 1) * contract_.cut.elements + begin)};
  }

  int chunks() const { return contract_.cut.chunks; }
  BufferId value(int member) const { return values_[static_cast<std::size_t>(member)].buffer; }
  std::span<const BufferId> scratch() const { return scratch_; }  // by member; may be empty

 private:
  Bytes bytes(std::int64_t elements) const { return Bytes(elements * bytes_per_element(type_)); }

  const Contract& contract_;
  Type type_;
  std::vector<Operand> values_{};
  std::vector<BufferId> scratch_{};
};

// The use of a member's buffer by this collective: its earlier users, and the nodes that access it here.
struct Use {
  Frontier before{};
  std::vector<NodeId> brought{};  // copies into the buffer, for which all other nodes wait
  std::vector<NodeId> nodes{};
  std::vector<NodeId> writers{};
};

// Reserves room for `more` elements and still lets the capacity grow by factors, so that repeated calls take
// amortized constant time per element.
template <class T>
void make_room(std::vector<T>& vector, std::size_t more) {
  if (vector.size() + more > vector.capacity())
    vector.reserve(std::max(vector.size() + more, 2 * vector.capacity()));
}

class ScheduleWriter {
 public:
  ScheduleWriter(Plan& plan, std::vector<Frontier>& frontiers, const collective::Expanded& schedule,
                 std::span<const Member> members, const Label& label, Messages messages)
      : plan_(plan),
        frontiers_(frontiers),
        schedule_(schedule),
        members_(members),
        label_(label),
        messages_(messages),
        slots_(plan, schedule.contract, members, label.scope.empty() ? "rank " : label.scope + "/rank "),
        sent_(schedule.steps.size()),
        done_(schedule.steps.size()),
        staging_(schedule.steps.size()),
        last_to_(members.size()),
        last_sent_(members.size()),
        last_received_(members.size()) {
    frontiers_.resize(plan.buffers.size());
    find_uses();
  }

  void write() {
    reserve();
    if (schedule_.contract.input_slot > 0) bring_input();
    // The nodes follow the order of the schedule as far as that is legal. If two ranks exchange sums, both
    // send before either adds.
    const std::vector<Event> events = collective::first_moves_first(schedule_.steps);
    WT_EXPECT(events.size() == 2 * schedule_.steps.size(), "the moves of {} wait for each other in a cycle",
              schedule_.name);
    for (const Event& event : events) {
      const auto step = static_cast<std::size_t>(event.move);
      event.applies ? apply(step) : start(step);
    }
    set_frontiers();
  }

 private:
  // The values come first, then the scratch memory. Members may share a buffer.
  void find_uses() {
    std::map<BufferId, std::size_t> known;
    const auto add = [&](BufferId buffer) {
      const auto [place, is_new] = known.try_emplace(buffer, uses_.size());
      if (is_new) uses_.push_back({frontiers_[index(buffer)], {}, {}, {}});
      if (is_new) used_.push_back(buffer);
      use_of_.push_back(place->second);
    };
    for (std::size_t member = 0; member < members_.size(); ++member)
      add(slots_.value(static_cast<int>(member)));
    for (const BufferId buffer : slots_.scratch()) add(buffer);
  }

  Use& use(int member, int slot) {
    const std::size_t row = slot < slots_.chunks() ? 0 : members_.size();
    return uses_[use_of_[row + static_cast<std::size_t>(member)]];
  }

  void reserve() {
    const auto staged = static_cast<std::size_t>(std::ranges::count_if(schedule_.steps, is_staged));
    make_room(plan_.nodes, schedule_.steps.size() + staged);
    make_room(plan_.buffers, staged);
  }

  // If the schedule expects its input in slots of its own (out of place), the input is copied there.
  void bring_input() {
    const Contract& contract = schedule_.contract;
    for (int rank = 0; rank < contract.ranks; ++rank) {
      std::vector<NodeId> copies;
      for (int chunk = 0; chunk < contract.cut.chunks; ++chunk) {
        if (!contract.brings(rank, chunk) || contract.cut.size(chunk) == 0) continue;
        const int slot = chunk + contract.input_slot;
        touch(rank, chunk, Access::read);
        touch(rank, slot, Access::write);
        copies.push_back(add_node(Move{slots_.at(rank, chunk, 1), slots_.at(rank, slot, 1), {}}));
      }
      for (const int slot : {0, slots_.chunks()}) append(use(rank, slot).brought, copies);
    }
  }

  static bool is_staged(const Step& step) {
    return step.move.effect == Effect::reduce || !step.apply.empty();
  }

  void start(std::size_t step) {
    const collective::Move& move = schedule_.steps[step].move;
    const bool staged = is_staged(schedule_.steps[step]);
    if (staged) staging_[step] = add_staging(move);
    wait_for_steps(schedule_.steps[step].start);
    Bytes offset{};
    Move message = message_of(move, [&](const Stretch& each) {
      const Operand source = slots_.at(move.source, each.source, each.count);
      touch(move.source, each.source, Access::read);
      if (!staged) touch(move.target, each.target, Access::write);
      if (!staged) return Move{source, slots_.at(move.target, each.target, each.count), {}};
      const Operand slot{staging_[step], source.spec, offset};
      offset += source.spec.bytes();
      return Move{source, slot, {}};
    });
    const std::optional<NodeId> behind = wait_in_line(move);
    sent_[step] = done_[step] = add_node(std::move(message));
    plan_.nodes.back().behind = behind;
  }

  void apply(std::size_t step) {
    if (!is_staged(schedule_.steps[step])) return;
    wait_for_steps(schedule_.steps[step].apply);
    after_.push_back(sent_[step]);
    done_[step] = schedule_.steps[step].move.effect == Effect::reduce ? add_sums(step) : put_in_place(step);
  }

  // A move of several pieces, each of which `piece` makes from a stretch of slots.
  Move message_of(const collective::Move& move, auto&& piece) const {
    Move message;
    bool is_first = true;
    each_stretch(move, slots_.chunks(), [&](const Stretch& each) {
      if (std::exchange(is_first, false))
        message = piece(each);
      else
        message.more.push_back(piece(each));
    });
    return message;
  }

  // Returns the earlier message whose end the bytes of this one wait for, if any. Messages for which the
  // whole of this one waits are added to after_.
  std::optional<NodeId> wait_in_line(const collective::Move& move) {
    if (messages_ == Messages::together || move.source == move.target) return {};
    const auto source = static_cast<std::size_t>(move.source), target = static_cast<std::size_t>(move.target);
    std::optional<NodeId> behind;
    const auto replace = [&](std::optional<NodeId>& last) {
      if (last && messages_ != Messages::in_order) after_.push_back(*last);
      if (messages_ == Messages::in_order) behind = last;
      last = next_node();
    };
    if (messages_ != Messages::one_by_one) {
      replace(last_to_[source][{move.target, move.line}]);
    } else {
      replace(last_sent_[source]);
      replace(last_received_[target]);
    }
    return behind;
  }

  BufferId add_staging(const collective::Move& move) {
    Bytes bytes{};
    each_stretch(move, slots_.chunks(), [&](const Stretch& each) {
      bytes += slots_.at(move.source, each.source, each.count).spec.bytes();
    });
    return plan_.add_buffer({fmt::format("{} to {}", move.source, move.target),
                             members_[static_cast<std::size_t>(move.target)].device,
                             bytes,
                             BufferKind::arrival,
                             {}});
  }

  // The sums run one after the other, as they would in a single kernel.
  NodeId add_sums(std::size_t step) {
    const collective::Move& move = schedule_.steps[step].move;
    const DeviceId device = members_[static_cast<std::size_t>(move.target)].device;
    NodeId last{};
    Bytes offset{};
    each_stretch(move, slots_.chunks(), [&](const Stretch& each) {
      const Operand there = slots_.at(move.target, each.target, each.count);
      touch(move.target, each.target, Access::read);
      touch(move.target, each.target, Access::write);
      last = add_node(Sum{device, {there, {staging_[step], there.spec, offset}}, there});
      plan_.nodes.back().stream = Stream::none;
      offset += there.spec.bytes();
      after_.push_back(last);
    });
    after_.clear();
    return last;
  }

  NodeId put_in_place(std::size_t step) {
    const collective::Move& move = schedule_.steps[step].move;
    Bytes offset{};
    return add_node(message_of(move, [&](const Stretch& each) {
      const Operand there = slots_.at(move.target, each.target, each.count);
      touch(move.target, each.target, Access::write);
      const Operand staged{staging_[step], there.spec, offset};
      offset += there.spec.bytes();
      return Move{staged, there, {}};
    }));
  }

  void wait_for_steps(const std::vector<Dependency>& dependencies) {
    for (const Dependency& each : dependencies)
      after_.push_back((each.until == Until::sent ? sent_ : done_)[static_cast<std::size_t>(each.move)]);
  }

  enum class Access : std::uint8_t { read, write };

  // Records that the next node uses the buffer, and makes it wait for the buffer's earlier users.
  void touch(int member, int slot, Access access) {
    Use& used = use(member, slot);
    const bool writes = access == Access::write;
    append(after_, writes && !used.before.readers.empty() ? used.before.readers : used.before.writers);
    append(after_, used.brought);
    for (std::vector<NodeId>* nodes : {&used.nodes, writes ? &used.writers : nullptr})
      if (nodes != nullptr && (nodes->empty() || nodes->back() != next_node())) nodes->push_back(next_node());
  }

  static void append(std::vector<NodeId>& to, const std::vector<NodeId>& nodes) {
    to.insert(to.end(), nodes.begin(), nodes.end());
  }

  NodeId next_node() const { return static_cast<NodeId>(plan_.nodes.size()); }

  // Appends a node that depends on the nodes in after_, and clears after_.
  NodeId add_node(Action action) {
    const NodeId id = plan_.add_node(std::move(action), label_);
    std::ranges::sort(after_);
    plan_.nodes.back().after.assign(after_.begin(), std::unique(after_.begin(), after_.end()));
    after_.clear();
    return id;
  }

  void set_frontiers() {
    frontiers_.resize(plan_.buffers.size());
    for (std::size_t step = 0; step < schedule_.steps.size(); ++step)
      if (is_staged(schedule_.steps[step]))
        frontiers_[index(staging_[step])] = {{sent_[step]}, {done_[step]}};
    for (std::size_t i = 0; i < uses_.size(); ++i)
      if (!uses_[i].nodes.empty()) set_frontier(frontiers_[index(used_[i])], uses_[i]);
  }

  void set_frontier(Frontier& frontier, const Use& use) const {
    frontier.readers = not_followed(use.nodes);
    if (use.writers.empty())
      append(frontier.readers, use.before.readers);
    else
      frontier.writers = not_followed(use.writers);
    std::ranges::sort(frontier.readers);
  }

  // The nodes of the list on which no other node of the list depends.
  std::vector<NodeId> not_followed(const std::vector<NodeId>& nodes) const {
    std::vector<NodeId> followed;
    for (const NodeId id : nodes) append(followed, plan_.node(id).after);
    std::ranges::sort(followed);
    std::vector<NodeId> rest;
    std::ranges::set_difference(nodes, followed, std::back_inserter(rest));
    return rest;
  }

  Plan& plan_;
  std::vector<Frontier>& frontiers_;
  const collective::Expanded& schedule_;
  std::span<const Member> members_;
  const Label& label_;
  const Messages messages_;
  Slots slots_;
  std::vector<Use> uses_{};
  std::vector<BufferId> used_{};       // by use
  std::vector<std::size_t> use_of_{};  // by member, the index in used_: first of values, then of scratch
  std::vector<NodeId> after_{};        // the dependencies of the next node
  std::vector<NodeId> sent_, done_;    // by step
  std::vector<BufferId> staging_;
  // The last message by source and target, by source, and by target.
  std::vector<std::map<std::pair<int, int>, std::optional<NodeId>>> last_to_;  // by source, target and line
  std::vector<std::optional<NodeId>> last_sent_, last_received_;
};

}  // namespace

void add_collective(Plan& plan, std::vector<Frontier>& frontiers, const collective::Expanded& schedule,
                    std::span<const Member> members, const Label& label, Messages messages) {
  WT_EXPECT(narrow<int>(members.size()) == schedule.contract.members(), "{} members for a schedule of {}",
            members.size(), schedule.contract.members());
  ScheduleWriter(plan, frontiers, schedule, members, label, messages).write();
}

}  // namespace wt::plan
