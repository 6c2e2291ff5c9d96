#include "communication/round.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace wt::communication {

using collective::Chunks, collective::Move, collective::Schedule;

bool has_equal_chunks(const collective::Cut& cut) {
  for (int chunk = 1; chunk < cut.chunks; ++chunk)
    if (cut.size(chunk) != cut.size(0)) return false;
  return true;
}

std::int64_t moves_up_to(std::int64_t most, const Schedule& schedule) {
  std::int64_t moves = 0;
  for (int round = 0; round < schedule.rule.rounds && moves <= most; ++round)
    moves += std::ssize(collective::moves_of(schedule, round));
  return moves;
}

bool has_at_most(const Schedule& schedule, std::int64_t most) { return moves_up_to(most, schedule) <= most; }

int overlap(const Chunks& a, const Chunks& b) {
  int common = 0;
  a.each_range([&](const collective::Range& one) {
    b.each_range([&](const collective::Range& other) {
      common += std::max(0, std::min(one.end(), other.end()) - std::max(one.first, other.first));
    });
  });
  return common;
}

std::vector<std::vector<std::size_t>> landings(const std::vector<Move>& moves, int members) {
  std::vector<std::vector<std::size_t>> landed(static_cast<std::size_t>(members));
  for (std::size_t i = 0; i < moves.size(); ++i)
    landed[static_cast<std::size_t>(moves[i].target)].push_back(i);
  return landed;
}

namespace {

bool add_once(const std::vector<Move>& moves, int members) {
  std::vector<collective::Range> ranges;
  for (const std::vector<std::size_t>& here : landings(moves, members)) {
    ranges.clear();
    for (const std::size_t move : here)
      moves[move].landing().each_range([&](const collective::Range& range) { ranges.push_back(range); });
    std::ranges::sort(ranges, {}, &collective::Range::first);
    for (std::size_t i = 1; i < ranges.size(); ++i)
      if (ranges[i].first < ranges[i - 1].end()) return false;
  }
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

}  // namespace

bool is_simple(const std::vector<Move>& moves, int members, plan::Messages messages) {
  return std::ranges::none_of(moves, [](const Move& move) { return move.source == move.target; }) &&
         add_once(moves, members) && flow_freely(moves, messages);
}

plan::Plan empty_plan(const Schedule& schedule, Type type) {
  plan::Plan plan{.name = schedule.name};
  const TensorSpec whole{type, {schedule.contract.cut.elements}};
  for (int i = 0; i < schedule.contract.members(); ++i) {
    plan.devices.push_back({.name = fmt::format("{}", i)});
    plan.add_buffer({"", plan::DeviceId(i), whole.bytes(), plan::BufferKind::communication, {}});
  }
  return plan;
}

std::vector<MoveNodes> add_round(plan::Plan& plan, const Schedule& schedule, const std::vector<Move>& moves,
                                 Type type) {
  std::vector<MoveNodes> nodes;
  for (const Move& move : moves) {
    const TensorSpec spec{type, {move.chunks.count() * schedule.contract.size(0)}};
    const plan::Operand there{plan::BufferId(move.target), spec};
    const plan::NodeId message =
        plan.add_node(plan::Move{{plan::BufferId(move.source), spec}, there, {}}, {});
    nodes.push_back({plan.nodes.size() - 1, plan.nodes.size() - 1});
    if (move.effect != collective::Effect::reduce) continue;
    plan.add_node(plan::Sum{plan::DeviceId(move.target), {there, there}, there}, {});
    plan.nodes.back().stream = plan::Stream::none;
    plan.nodes.back().after = {message};
    nodes.back().done = plan.nodes.size() - 1;
  }
  return nodes;
}

}  // namespace wt::communication
