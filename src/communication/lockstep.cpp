#include "communication/lockstep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/id.h"
#include "simulate/simulate.h"

namespace wt::communication {

namespace {

using collective::Chunks, collective::Move, collective::Schedule;

// With more stretches the sum of rounds is no faster than the simulation of the whole schedule.
constexpr std::size_t most_stretches = 64;

bool overlap(const Chunks& a, const Chunks& b) {
  for (const collective::Range& one : a.ranges())
    for (const collective::Range& other : b.ranges())
      if (one.first < other.end() && other.first < one.end()) return true;
  return false;
}

// Chunks differ if the vector can't be divided equally, and in TensorFlow's ring, whose last chunk takes the
// rest.
bool has_equal_chunks(const collective::Cut& cut) {
  for (int chunk = 1; chunk < cut.chunks; ++chunk)
    if (cut.size(chunk) != cut.size(0)) return false;
  return true;
}

// The chunks that each member receives.
std::map<int, std::vector<Chunks>> landings(const std::vector<Move>& moves) {
  std::map<int, std::vector<Chunks>> landed;
  for (const Move& move : moves) landed[move.target].push_back(move.landing());
  return landed;
}

// Whether the source of every move received some of what it sends in the round before.
bool follows(const std::vector<Move>& before, const std::vector<Move>& after) {
  const auto landed = landings(before);
  return std::ranges::all_of(after, [&](const Move& move) {
    const auto found = landed.find(move.source);
    return found != landed.end() && std::ranges::any_of(found->second, [&](const Chunks& chunks) {
             return overlap(chunks, move.chunks);
           });
  });
}

// Whether no chunk of a member is written by two moves. Two additions would have to wait for each other.
bool adds_once(const std::vector<Move>& moves) {
  for (const auto& [target, chunks] : landings(moves))
    for (std::size_t i = 0; i < chunks.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (overlap(chunks[i], chunks[j])) return false;
  return true;
}

// Whether no message of the round waits for another message of the same round.
bool flow_freely(const std::vector<Move>& moves, plan::Messages messages) {
  using enum plan::Messages;
  if (messages == together) return true;
  std::set<std::tuple<int, int, int>> seen;
  const auto is_new = [&](int source, int target, int line) {
    return seen.insert({source, target, line}).second;
  };
  return std::ranges::all_of(moves, [&](const Move& move) {
    if (messages == one_by_one) return is_new(move.source, -1, 0) && is_new(-1, move.target, 0);
    return is_new(move.source, move.target, messages == in_order ? move.line : 0);
  });
}

// One round as a plan of its own: its messages, and the sums behind those that reduce.
plan::Plan plan_of(const Schedule& schedule, const std::vector<Move>& moves, Type type) {
  plan::Plan plan{.name = schedule.name};
  const TensorSpec whole{type, {schedule.contract.cut.elements}};
  for (int i = 0; i < schedule.contract.members(); ++i) {
    plan.devices.push_back({.name = fmt::format("{}", i)});
    plan.add_buffer({"", plan::DeviceId(i), whole.bytes(), plan::BufferKind::communication, {}});
  }
  for (const Move& move : moves) {
    const TensorSpec spec{type, {move.chunks.count() * schedule.contract.size(0)}};
    const plan::Operand there{plan::BufferId(move.target), spec};
    const plan::NodeId message =
        plan.add_node(plan::Move{{plan::BufferId(move.source), spec}, there, {}}, {});
    if (move.effect != collective::Effect::reduce) continue;
    plan.add_node(plan::Sum{plan::DeviceId(move.target), {there, there}, there}, {});
    plan.nodes.back().stream = plan::Stream::none;
    plan.nodes.back().after = {message};
  }
  return plan;
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
      if (first > 0 && !follows(last, moves)) return std::nullopt;
      if (!add(moves, rounds)) return std::nullopt;
      last = rounds > 1 ? collective::moves_of(schedule_, first + rounds - 1) : std::move(moves);
    }
    return std::move(timing_);
  }

 private:
  // Adds `count` rounds with these moves. False if their messages don't begin and end together.
  bool add(const std::vector<Move>& moves, int count) {
    if (std::ranges::any_of(moves, [](const Move& move) { return move.source == move.target; })) return false;
    if (!adds_once(moves) || !flow_freely(moves, call_.messages)) return false;
    const plan::Plan plan = plan_of(schedule_, moves, type_);
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
