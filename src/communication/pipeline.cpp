#include "communication/pipeline.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/id.h"
#include "base/narrow.h"
#include "communication/beginnings.h"
#include "communication/round.h"
#include "simulate/repetition.h"

namespace wt::communication {

namespace {

constexpr int fewest_pieces = 16;
// The time to simulate flows that share links grows with their number times that of those under way with them:
// of all activities times the messages of a piece. So much is simulated whole, and so much at all.
constexpr std::int64_t affordable_work = 1'000'000'000, most_work = 100'000'000'000;
// Of one piece, which are written down before any are found alike.
constexpr std::int64_t most_moves = 1'000'000;

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

std::pair<std::size_t, std::size_t> ends_of(const plan::Plan& plan, const plan::Move& move) {
  return {index(plan.buffer(move.source.buffer).device), index(plan.buffer(move.target.buffer).device)};
}

const plan::Move* message(const plan::Plan& plan, std::size_t id) {
  const auto* move = std::get_if<plan::Move>(&plan.nodes[id].action);
  if (move == nullptr) return nullptr;
  const auto [source, target] = ends_of(plan, *move);
  return source != target ? move : nullptr;
}

// By node: the last message of its line, behind which the first one of the next piece waits. `none` for other
// nodes.
std::vector<std::int32_t> ends_of_lines(const plan::Plan& plan) {
  std::vector<std::int32_t> last(plan.nodes.size(), simulate::none);
  for (std::size_t id = plan.nodes.size(); id-- > 0;) {
    if (message(plan, id) == nullptr) continue;
    if (last[id] == simulate::none) last[id] = static_cast<std::int32_t>(id);
    if (const auto& behind = plan.nodes[id].behind)
      last[index(*behind)] = std::exchange(last[id], simulate::none);
  }
  return last;
}

// Pieces share nothing but the order on their lines.
simulate::Repetition repetition_of(const plan::Plan& plan, plan::Messages messages) {
  simulate::Repetition repetition{.stages = {0, narrow<std::int32_t>(plan.nodes.size())}};
  repetition.again.resize(plan.nodes.size());
  repetition.entering.resize(plan.nodes.size());
  if (messages == plan::Messages::together) return repetition;
  const std::vector<std::int32_t> last = ends_of_lines(plan);
  for (std::size_t id = 0; id < last.size(); ++id) repetition.again[id].behind = last[id];
  return repetition;
}

// The pieces of a call, which are timed by the plan of the first one.
class Pieces {
 public:
  // Requires: the call is a pipeline of equal pieces.
  Pieces(const Call& call, const Group& group, Type type)
      : one_(collective::make_schedule(*call.algorithm, shortened(call, 1).request)),
        steps_(collective::expand(one_, collective::Implied::kept)),
        played_(expanded_plan(steps_, shortened(call, 1), group, type)),
        rounds_(played_.plan, played_.costs, group.platform, played_.where,
                repetition_of(played_.plan, call.messages)) {
    std::set<std::int32_t> simulated;
    for (std::size_t id = 0; id < played_.plan.nodes.size(); ++id)
      if (std::holds_alternative<plan::Move>(played_.plan.nodes[id].action))
        simulated.insert(rounds_.represented(id));
    simulated_ = std::min<std::int64_t>(std::ssize(simulated), std::ssize(steps_.steps));
  }

  std::int64_t work(std::int64_t count) const { return count * activities() * simulated_moves(); }
  int depth() const { return one_.rule.rounds; }
  std::int64_t activities() const { return rounds_.activities(std::array{1}); }
  std::int64_t moves() const { return std::ssize(steps_.steps); }
  std::int64_t simulated_moves() const { return simulated_; }
  const plan::Plan& plan() const { return played_.plan; }
  plan::Timeline time(int pieces) const { return rounds_.time(std::array{pieces}); }

 private:
  const collective::Schedule one_;
  const collective::Expanded steps_;
  const Played played_;
  const simulate::Rounds rounds_;
  std::int64_t simulated_ = 0;
};

Timing timing_of(const Pieces& pieces, int count, plan::Timeline& timeline) {
  return {.time = timeline.end,
          .links = std::move(timeline.links),
          .moves = pieces.moves() * count,
          .played = pieces.simulated_moves() * count};
}

Beginning beginning_of(const Pieces& pieces, int count) {
  plan::Timeline timeline = pieces.time(count);
  return {timing_of(pieces, count, timeline), std::move(timeline.nodes)};
}

Timing whole(const Pieces& pieces, int count) {
  plan::Timeline timeline = pieces.time(count);
  return timing_of(pieces, count, timeline);
}

// Whether the pipeline is several times as long as the way of one piece, so that all pieces that will ever
// share a link have begun to.
bool is_full(const Beginning& beginning, const Timing& one, Seconds floor) {
  return (beginning.timing.time - floor).count() > 3 * (one.time - floor).count();
}

// From three beginnings. Unset if they aren't steady, or if they are longer than the whole pipeline.
std::optional<Timing> from_beginnings(const Call& call, const Pieces& one) {
  const int segments = call.request.options.segments;
  const int fewest = std::max(first_rounds, 2 * one.depth());
  if (rounds_of_beginnings(fewest) >= segments) return std::nullopt;
  const Timing single = whole(one, 1);
  for (int least = fewest; least <= most_rounds && least < segments; least *= 2) {
    const int pieces = begin_with(least, segments);
    if (rounds_of_beginnings(pieces) >= segments || one.activities() * pieces > most_activities ||
        one.work(pieces) > affordable_work)
      return std::nullopt;
    const Beginning first = beginning_of(one, pieces);
    if (!is_full(first, single, call.floor)) continue;
    const Beginning second = beginning_of(one, pieces + more_rounds),
                    third = beginning_of(one, pieces + 2 * more_rounds);
    if (!are_steady(first, second, third)) continue;
    const int longest = pieces + 2 * more_rounds;
    Timing result = continued(second.timing, third.timing, (segments - longest) / more_rounds);
    result.moves = one.moves() * segments;
    result.played = first.timing.played + second.timing.played + third.timing.played;
    return result;
  }
  return std::nullopt;
}

// Whether every piece is like the first one, which isn't too large.
bool has_equal_pieces(const Call& call) {
  if (!is_pipeline(call) || call.request.elements % call.request.options.segments != 0) return false;
  if (call.messages != plan::Messages::in_order && call.messages != plan::Messages::together) return false;
  const collective::Contract contract = collective::make_schedule(*call.algorithm, call.request).contract;
  return contract.input_slot == 0 && has_equal_chunks(contract.cut) &&
         has_at_most(collective::make_schedule(*call.algorithm, shortened(call, 1).request), most_moves);
}

// As many pieces as can be simulated, at most those of the call. None if even few are too much.
std::optional<int> affordable_pieces(const Call& call, const Pieces& own) {
  if (own.work(fewest_pieces) > most_work) return std::nullopt;
  const std::int64_t most = std::min(affordable_activities / own.activities(), affordable_work / own.work(1));
  return static_cast<int>(
      std::min<std::int64_t>(call.request.options.segments, std::max<std::int64_t>(fewest_pieces, most)));
}

Timing in_pieces(const Call& call, int count, const Group& group, Type type) {
  Call other = call;
  other.request.options.segments = count;
  other = with_equal_chunks(other);
  return whole(Pieces(other, group, type), other.request.options.segments);
}

}  // namespace

Timing time_in_larger_pieces(const Call& call, int count, const Group& group, Type type) {
  Timing timing = in_pieces(call, count, group, type);
  const int all = call.request.options.segments;
  if (count >= all) return timing;
  const Timing half = in_pieces(call, count / 2, group, type);
  const double share = 1.0 - static_cast<double>(count) / all;
  timing.time -= std::max(Seconds{}, half.time - timing.time) * share;
  timing.pieces = count;
  timing.moves = timing.moves / count * all;
  timing.played += half.played;
  return timing;
}

std::optional<Timing> time_of_pipeline(const Call& call, const Group& group, Type type) {
  if (!has_equal_pieces(call)) return std::nullopt;
  const int segments = call.request.options.segments;
  const Pieces one(call, group, type);
  if (std::optional<Timing> timing = from_beginnings(call, one)) return timing;
  if (one.activities() * segments <= affordable_activities && one.work(segments) <= affordable_work)
    return whole(one, segments);
  const std::optional<int> count = affordable_pieces(call, one);
  if (!count) return std::nullopt;
  return time_in_larger_pieces(call, *count, group, type);
}

}  // namespace wt::communication
