#include "communication/pipeline.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/id.h"
#include "simulate/simulate.h"

namespace wt::communication {

namespace {

// The first beginning has from first_pieces to most_pieces pieces. Each next one has more_pieces more, so
// that growth that repeats after 1, 2, 4 or 8 pieces is found to be steady.
constexpr int first_pieces = 24;
constexpr int more_pieces = 8;
constexpr int most_pieces = 192;
constexpr int pieces_of_beginnings(int first) { return 3 * (first + more_pieces); }
constexpr std::int64_t most_moves = 500'000;  // of a beginning
constexpr double exactly = 1e-10;
constexpr std::int64_t affordable_moves = 200'000;  // of a whole pipeline
constexpr int fewest_pieces = 16;

// The time at which each pair of devices exchanges its last piece.
using LastPieces = std::map<std::pair<std::size_t, std::size_t>, Seconds>;

struct Beginning {
  Timing timing{};
  LastPieces last{};
};

bool is_pipeline(const Call& call) {
  return std::ranges::find(call.algorithm->options, "segments") != call.algorithm->options.end();
}

// The same call with fewer pieces of the same size. Requires: the pieces divide the vector equally.
Call shortened(const Call& call, int segments) {
  Call part = call;
  part.request.elements = call.request.elements / call.request.options.segments * segments;
  part.request.options.segments = segments;
  return part;
}

// The rounds of a single piece.
int depth_of(const Call& call) {
  return collective::make_schedule(*call.algorithm, shortened(call, 1).request).rule.rounds;
}

// Counts before anything is simulated.
bool has_at_most(const Call& call, std::int64_t most) {
  const collective::Schedule schedule = collective::make_schedule(*call.algorithm, call.request);
  std::int64_t moves = 0;
  for (int round = 0; round < schedule.rule.rounds && moves <= most; ++round)
    moves += std::ssize(collective::moves_of(schedule, round));
  return moves <= most;
}

Beginning beginning_of(const Call& call, const Group& group, Type type) {
  const collective::Expanded schedule =
      collective::expand(collective::make_schedule(*call.algorithm, call.request));
  const Played played = expanded_plan(schedule, call, group, type);
  plan::Timeline timeline = simulate::simulate(played.plan, played.costs, group.platform, played.where);
  Beginning beginning{
      {timeline.end, std::move(timeline.links), std::ssize(schedule.steps), std::ssize(schedule.steps)}};
  const auto device = [&](const plan::Operand& operand) {
    return index(played.plan.buffer(operand.buffer).device);
  };
  for (std::size_t id = 0; id < played.plan.nodes.size(); ++id)
    if (const auto* move = std::get_if<plan::Move>(&played.plan.nodes[id].action)) {
      Seconds& last = beginning.last[{device(move->source), device(move->target)}];
      last = std::max(last, timeline.nodes[id].end);
    }
  return beginning;
}

// Whether the pipeline is several times as long as the way of one piece, so that all pieces that will ever
// share a link have begun to.
bool is_full(const Beginning& beginning, const Beginning& one, Seconds floor) {
  return (beginning.timing.time - floor).count() > 3 * (one.timing.time - floor).count();
}

// Whether from one beginning to the next, the ends and the last pieces of all pairs move by equal times.
bool is_steady(const Beginning& first, const Beginning& second, const Beginning& third) {
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

// The second timing, extended by `times` the difference from the first one.
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
  if (pieces_of_beginnings(first_pieces) >= segments) return std::nullopt;
  const int fewest = std::max(first_pieces, 2 * depth_of(call));
  if (!has_at_most(shortened(call, fewest), most_moves)) return std::nullopt;
  const Beginning one = beginning_of(shortened(call, 1), group, type);
  for (int pieces = fewest; pieces <= most_pieces; pieces *= 2) {
    if (pieces_of_beginnings(pieces) >= segments) return std::nullopt;
    const auto beginning = [&](int more) {
      return beginning_of(shortened(call, pieces + more), group, type);
    };
    if (!has_at_most(shortened(call, pieces), most_moves)) return std::nullopt;
    const Beginning first = beginning(0);
    if (!is_full(first, one, call.floor)) continue;
    const Beginning second = beginning(more_pieces), third = beginning(2 * more_pieces);
    if (!is_steady(first, second, third)) continue;
    const int longest = pieces + 2 * more_pieces;
    Timing result = continued(second.timing, third.timing, double(segments - longest) / more_pieces);
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
