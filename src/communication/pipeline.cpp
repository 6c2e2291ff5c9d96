#include "communication/pipeline.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/id.h"
#include "simulate/simulate.h"

namespace wt::communication {

namespace {

constexpr int first_look = 24;    // pieces
constexpr int steps_between = 8;  // pieces: patterns of up to so many
constexpr int longest_look = 192;
constexpr int pieces_of_looks(int first) { return 3 * (first + steps_between); }
constexpr std::int64_t most_moves = 500'000;  // of a look
constexpr double exactly = 1e-10;
constexpr std::int64_t affordable_moves = 200'000;  // of a whole pipeline
constexpr int fewest_pieces = 16;

// The date at which each pair exchanges its last piece.
using LastPieces = std::map<std::pair<std::size_t, std::size_t>, Seconds>;

struct Look {
  Timing timing{};
  LastPieces last{};
};

bool is_pipeline(const Call& call) {
  return std::ranges::find(call.algorithm->options, "segments") != call.algorithm->options.end();
}

// The same with fewer pieces of the same size. Requires: they divide the vector.
Call shortened(const Call& call, int segments) {
  Call part = call;
  part.request.elements = call.request.elements / call.request.options.segments * segments;
  part.request.options.segments = segments;
  return part;
}

// Rounds that one piece goes through.
int depth_of(const Call& call) {
  return collective::make_schedule(*call.algorithm, shortened(call, 1).request).rule.rounds;
}

Look look_at(const Call& call, const Group& group, Type type) {
  const collective::Expanded schedule =
      collective::expand(collective::make_schedule(*call.algorithm, call.request));
  const Played played = expanded_plan(schedule, call, group, type);
  plan::Timeline timeline = simulate::simulate(played.plan, played.costs, group.platform, played.where);
  Look look{
      {timeline.end, std::move(timeline.links), std::ssize(schedule.steps), std::ssize(schedule.steps)}};
  const auto device = [&](const plan::Operand& operand) {
    return index(played.plan.buffer(operand.buffer).device);
  };
  for (std::size_t id = 0; id < played.plan.nodes.size(); ++id)
    if (const auto* move = std::get_if<plan::Move>(&played.plan.nodes[id].action)) {
      Seconds& last = look.last[{device(move->source), device(move->target)}];
      last = std::max(last, timeline.nodes[id].end);
    }
  return look;
}

// Whoever meets on a link has met by then.
bool is_full(const Look& look, const Look& one, Seconds floor) {
  return (look.timing.time - floor).count() > 3 * (one.timing.time - floor).count();
}

bool goes_on(const Look& first, const Look& second, const Look& third) {
  const double step = (third.timing.time - second.timing.time).count(), tolerance = exactly * step;
  if (step <= 0 || std::abs((second.timing.time - first.timing.time).count() - step) > tolerance)
    return false;
  return std::ranges::all_of(third.last, [&](const auto& entry) {
    const Seconds before = second.last.at(entry.first);
    const double now = (entry.second - before).count();
    const double earlier = (before - first.last.at(entry.first)).count();
    return std::abs(now - earlier) <= tolerance && now <= step + tolerance;
  });
}

// A third timing later, by what happened between the second and the first.
Timing continued(const Timing& first, const Timing& second, double times) {
  Timing result = second;
  result.time += (second.time - first.time) * times;
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const plan::LinkUse &before = first.links[i], &now = second.links[i];
    result.links[i].carried +=
        Bytes(std::llround(static_cast<double>((now.carried - before.carried).count()) * times));
    result.links[i].busy += (now.busy - before.busy) * times;
  }
  return result;
}

}  // namespace

std::optional<Timing> time_of_pipeline(const Call& call, const Group& group, Type type) {
  if (!is_pipeline(call)) return std::nullopt;
  const int segments = call.request.options.segments;
  if (call.request.elements % segments != 0) return std::nullopt;
  if (pieces_of_looks(first_look) >= segments) return std::nullopt;
  const Look one = look_at(shortened(call, 1), group, type);
  for (int pieces = std::max(first_look, 2 * depth_of(call)); pieces <= longest_look; pieces *= 2) {
    if (pieces_of_looks(pieces) >= segments) return std::nullopt;
    const auto look = [&](int more) { return look_at(shortened(call, pieces + more), group, type); };
    const Look first = look(0);
    if (first.timing.moves > most_moves) return std::nullopt;
    if (!is_full(first, one, call.floor)) continue;
    const Look second = look(steps_between), third = look(2 * steps_between);
    if (!goes_on(first, second, third)) continue;
    const int longest = pieces + 2 * steps_between;
    Timing result = continued(second.timing, third.timing, double(segments - longest) / steps_between);
    result.moves = third.timing.moves / longest * segments;
    result.played = first.timing.moves + second.timing.moves + third.timing.moves;
    return result;
  }
  return std::nullopt;
}

std::optional<Call> in_larger_pieces(const Call& call) {
  if (!is_pipeline(call)) return std::nullopt;
  const collective::Schedule one = collective::make_schedule(*call.algorithm, shortened(call, 1).request);
  std::int64_t moves = 0;
  for (int round = 0; round < one.rule.rounds; ++round) moves += std::ssize(collective::moves_of(one, round));
  const std::int64_t pieces =
      std::max<std::int64_t>(fewest_pieces, affordable_moves / std::max<std::int64_t>(1, moves));
  if (pieces >= call.request.options.segments) return std::nullopt;
  Call larger = call;
  larger.request.options.segments = static_cast<int>(pieces);
  return larger;
}

}  // namespace wt::communication
