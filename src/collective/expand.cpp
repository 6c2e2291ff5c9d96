#include "collective/expand.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/narrow.h"
#include "collective/order.h"

namespace wt::collective {

namespace {

// The last write of each slot of each member, and the reads since then. They are kept in an array if it is
// small, and otherwise in a hash table of the slots that were accessed.
class Accesses {
 public:
  explicit Accesses(const Contract& contract) : slots_(contract.slots()) {
    const std::int64_t all = std::int64_t{contract.members()} * slots_;
    if (all <= most_listed) listed_.resize(static_cast<std::size_t>(all));
  }

  // A read waits for the last write.
  void read(int move, int member, int slot, std::vector<Dependency>& after) {
    Slot& state = at(member, slot);
    if (state.writer >= 0) after.push_back({state.writer, Until::done});
    state.readers.push_back(move);
  }

  // A write waits for the reads since the last write or, if there were none, for that write.
  void write(int move, int member, int slot, std::vector<Dependency>& after) {
    Slot& state = at(member, slot);
    for (const int reader : state.readers) after.push_back({reader, Until::sent});
    if (state.readers.empty() && state.writer >= 0) after.push_back({state.writer, Until::done});
    state.readers.clear();
    state.writer = move;
  }

 private:
  static constexpr std::int64_t most_listed = 1 << 22;
  struct Slot {
    int writer = -1;
    std::vector<int> readers{};
  };
  Slot& at(int member, int slot) {
    const std::int64_t place = std::int64_t{member} * slots_ + slot;
    return listed_.empty() ? touched_[place] : listed_[static_cast<std::size_t>(place)];
  }

  int slots_;
  std::vector<Slot> listed_{};
  std::unordered_map<std::int64_t, Slot> touched_{};  // Its order is never used.
};

void make_sorted_and_unique(std::vector<Dependency>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// All reads of a round come before its first write.
void add_round(std::vector<Move> moves, Accesses& accesses, std::vector<Step>& steps) {
  const std::size_t first = steps.size();
  for (Move& move : moves) {
    const int id = narrow<int>(steps.size());
    Step& step = steps.emplace_back(Step{std::move(move), {}, {}});
    step.move.chunks.each([&](int slot) { accesses.read(id, step.move.source, slot, step.start); });
  }
  for (std::size_t i = first; i < steps.size(); ++i) {
    Step& step = steps[i];
    std::vector<Dependency>& after = step.move.effect == Effect::copy ? step.start : step.apply;
    step.move.landing().each(
        [&](int slot) { accesses.write(static_cast<int>(i), step.move.target, slot, after); });
    make_sorted_and_unique(step.start);
    make_sorted_and_unique(step.apply);
  }
}

}  // namespace

Expanded expand(const Schedule& schedule, Implied implied) {
  Expanded expanded{schedule.name, schedule.contract, {}};
  Accesses accesses(schedule.contract);
  for (int round = 0; round < schedule.rule.rounds; ++round)
    add_round(moves_of(schedule, round), accesses, expanded.steps);
  if (implied == Implied::removed) reduce_dependencies(expanded.steps);
  return expanded;
}

void reduce_dependencies(std::vector<Step>& steps) {
  const Order order(steps);
  WT_EXPECT(order.complete(),
            "moves wait for each other in a cycle: within one round, two copies overwrite what the "
            "other one reads");
  // A dependency is redundant if another one of the list implies it, or if it holds whenever the move has
  // started.
  const auto reduce = [&](std::vector<Dependency>& list, int move, bool applies) {
    const std::vector<Dependency> all = list;
    std::erase_if(list, [&](const Dependency& each) {
      if (applies && order.before(each, {move, false})) return true;
      return std::any_of(all.begin(), all.end(), [&](const Dependency& other) {
        return other != each && order.implies(other, each);
      });
    });
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    reduce(steps[i].start, static_cast<int>(i), false);
    reduce(steps[i].apply, static_cast<int>(i), true);
  }
}

Extent extent_of(const Expanded& schedule) {
  const std::vector<Step>& steps = schedule.steps;
  const auto members = static_cast<std::size_t>(schedule.contract.members());
  std::vector<std::int64_t> sent(members), received(members);
  std::vector<int> depth(2 * steps.size());  // of the start and the end of each move
  Extent extent{.moves = static_cast<std::int64_t>(steps.size())};
  for (const Event& event : legal_order(steps)) {
    const auto i = static_cast<std::size_t>(event.move);
    int& own = depth[2 * i + event.applies];
    if (event.applies) own = depth[2 * i] + (steps[i].move.source != steps[i].move.target);
    for (const Dependency& each : event.applies ? steps[i].apply : steps[i].start)
      own = std::max(own, depth[2 * static_cast<std::size_t>(each.move) + (each.until == Until::done)]);
    extent.depth = std::max(extent.depth, own);
  }
  for (const Step& step : steps) {
    const Move& move = step.move;
    if (move.source == move.target) continue;
    move.chunks.each([&](int slot) {
      sent[static_cast<std::size_t>(move.source)] += schedule.contract.size(slot);
      received[static_cast<std::size_t>(move.target)] += schedule.contract.size(slot);
    });
  }
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(schedule.contract.ranks); ++rank) {
    extent.most_sent = std::max(extent.most_sent, sent[rank]);
    extent.most_received = std::max(extent.most_received, received[rank]);
  }
  return extent;
}

}  // namespace wt::collective
