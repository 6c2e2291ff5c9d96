#include "communication/lockstep.h"

#include <algorithm>
#include <map>

#include "communication/round.h"
#include "simulate/simulate.h"

namespace wt::communication {

namespace {

using collective::Move, collective::Schedule;

// With more stretches the sum of rounds is no faster than the simulation of the whole schedule.
constexpr std::size_t most_stretches = 64;

// Whether the source of every move received some of what it sends in the round before.
bool follows(const std::vector<Move>& before, const std::vector<Move>& after, int members) {
  const auto landed = landings(before, members);
  return std::ranges::all_of(after, [&](const Move& move) {
    return std::ranges::any_of(landed[static_cast<std::size_t>(move.source)], [&](std::size_t other) {
      return overlap(before[other].landing(), move.chunks) > 0;
    });
  });
}

// Times a call round by round, as long as the condition holds.
class Lockstep {
 public:
  Lockstep(const Call& call, const Group& group, Type type)
      : call_(call),
        group_(group),
        type_(type),
        schedule_(collective::make_schedule(*call.algorithm, call.request)) {
    call_.floor = {};
  }

  std::optional<Timing> time() {
    if (!call_.starts.empty() || schedule_.contract.input_slot > 0) return std::nullopt;
    if (!has_equal_chunks(schedule_.contract.cut)) return std::nullopt;
    const std::vector<collective::Stretch> stretches = collective::stretches_of(schedule_);
    if (stretches.size() > most_stretches) return std::nullopt;
    where_ = endpoints(group_, call_.algorithm, schedule_.contract);
    std::vector<Move> last;
    for (const auto& [kind, first, rounds] : stretches) {
      std::vector<Move> moves = collective::moves_of(schedule_, first);
      if (first > 0 && !follows(last, moves, schedule_.contract.members())) return std::nullopt;
      if (!add(moves, rounds)) return std::nullopt;
      last = rounds > 1 ? collective::moves_of(schedule_, first + rounds - 1) : std::move(moves);
    }
    return std::move(timing_);
  }

 private:
  // Adds `count` rounds with these moves. False if their messages don't begin and end together.
  bool add(const std::vector<Move>& moves, int count) {
    if (!is_simple(moves, schedule_.contract.members(), call_.messages)) return false;
    plan::Plan plan = empty_plan(schedule_, type_);
    add_round(plan, schedule_, moves, type_);
    plan::Costs costs;
    add_costs(costs, plan, 0, call_, group_.platform, where_);
    const plan::Timeline timeline = simulate::simulate(plan, costs, group_.platform, where_);
    if (!ends_together(plan, timeline)) return false;
    timing_.time += timeline.end * count;
    timing_.moves += std::ssize(moves) * count;
    timing_.played += std::ssize(moves);
    for (const plan::LinkUse& link : timeline.links) add(link, count);
    return true;
  }

  // Whether the last nodes of all moves end together: the message or, if the move reduces, its sum.
  static bool ends_together(const plan::Plan& plan, const plan::Timeline& timeline) {
    for (std::size_t id = 0; id < plan.nodes.size(); ++id) {
      const bool is_followed = id + 1 < plan.nodes.size() && !plan.nodes[id + 1].after.empty();
      const double early = (timeline.end - timeline.nodes[id].end).count();
      if (!is_followed && early > 1e-12 * timeline.end.count()) return false;
    }
    return true;
  }

  void add(const plan::LinkUse& link, int count) {
    const auto [place, is_new] = place_of_.try_emplace(link.name, timing_.links.size());
    if (is_new) timing_.links.push_back({link.name, link.bandwidth, {}, {}});
    timing_.links[place->second].carried += link.carried * count;
    timing_.links[place->second].busy += link.busy * count;
  }

  Call call_;
  const Group& group_;
  const Type type_;
  const Schedule schedule_;
  std::vector<platform::Endpoint> where_{};
  std::map<std::string, std::size_t, std::less<>> place_of_{};  // of each link in the timing, by name
  Timing timing_{};
};

}  // namespace

std::optional<Timing> time_in_lockstep(const Call& call, const Group& group, Type type) {
  std::optional<Timing> timing = Lockstep(call, group, type).time();
  if (timing) timing->time += call.floor;
  return timing;
}

}  // namespace wt::communication
