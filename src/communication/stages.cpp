#include "communication/stages.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/narrow.h"
#include "communication/beginnings.h"
#include "communication/round.h"
#include "simulate/repetition.h"

namespace wt::communication {

namespace {

using collective::Move, collective::Schedule;

// With more stages, a plan of one round of each is hardly smaller than that of all rounds.
constexpr std::size_t most_stages = 64;
// The time to simulate flows that share links grows with the square of their number.
constexpr std::int64_t most_at_once = 20'000;

// What the nodes of a round wait for in the round before.
class Relation {
 public:
  Relation(const std::vector<Move>& moves, const std::vector<MoveNodes>& nodes, int members)
      : moves_(moves), nodes_(nodes), landed_(landings(moves, members)) {
    for (std::size_t i = 0; i < moves.size(); ++i) line_[line_of(moves[i])] = nodes[i].sent;
  }

  // False if a message sends nothing that landed in that round. `sends_older` becomes true if a message also sends
  // what landed before that round.
  bool add(const std::vector<Move>& moves, const std::vector<MoveNodes>& nodes, plan::Messages messages,
           std::vector<simulate::Earlier>& earlier, bool& sends_older) const {
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const Move& move = moves[i];
      simulate::Earlier& sent = earlier[nodes[i].sent];
      int found = 0;
      for (const std::size_t other : landed_[static_cast<std::size_t>(move.source)]) {
        const int common = overlap(moves_[other].landing(), move.chunks);
        found += common;
        if (common > 0) sent.waits.push_back(narrow<std::int32_t>(nodes_[other].done));
      }
      if (found == 0) return false;
      sends_older = sends_older || found != move.chunks.count();
      // Writes of one place follow each other.
      for (const std::size_t other : landed_[static_cast<std::size_t>(move.target)])
        if (overlap(moves_[other].landing(), move.landing()) > 0)
          earlier[nodes[i].done].waits.push_back(narrow<std::int32_t>(nodes_[other].done));
      if (messages == plan::Messages::together) continue;
      if (const auto line = line_.find(line_of(move)); line != line_.end())
        sent.behind = narrow<std::int32_t>(line->second);
    }
    return true;
  }

 private:
  using Line = std::tuple<int, int, int>;
  static Line line_of(const Move& move) { return {move.source, move.target, move.line}; }

  const std::vector<Move>& moves_;
  const std::vector<MoveNodes>& nodes_;
  std::vector<std::vector<std::size_t>> landed_;
  std::map<Line, std::size_t> line_{};  // the message of each line
};

class Stages {
 public:
  Stages(const Call& call, const Group& group, Type type)
      : call_(call),
        group_(group),
        type_(type),
        schedule_(collective::make_schedule(*call.algorithm, call.request)) {
    call_.floor = {};
  }

  std::optional<Timing> time() {
    const auto in_order =
        call_.messages == plan::Messages::in_order || call_.messages == plan::Messages::together;
    if (!in_order || !call_.starts.empty() || schedule_.contract.input_slot > 0) return std::nullopt;
    const std::vector<collective::Stretch> stretches = collective::stretches_of(schedule_);
    if (stretches.size() > most_stages || !has_equal_chunks(schedule_.contract.cut)) return std::nullopt;
    for (const collective::Stretch& stretch : stretches) rounds_.push_back(stretch.rounds);
    if (rounds_.empty() || !write(stretches)) return std::nullopt;
    const std::vector<platform::Endpoint> where = endpoints(group_, call_.algorithm, schedule_.contract);
    plan::Costs costs;
    add_costs(costs, plan_, 0, call_, group_.platform, where);
    const simulate::Rounds rounds(plan_, costs, group_.platform, where, std::move(repetition_));
    if (sends_older_ && !(are_lines_alike(rounds) && are_lines_apart())) return std::nullopt;
    count_moves(rounds);
    return timed(rounds);
  }

 private:
  // A round of each stage, with what it waits for. The second round of a stage shows what all further ones
  // wait for.
  bool write(const std::vector<collective::Stretch>& stretches) {
    plan_ = empty_plan(schedule_, type_);
    const int members = schedule_.contract.members();
    std::vector<Move> last;
    for (const collective::Stretch& stretch : stretches) {
      const std::vector<Move> moves = collective::moves_of(schedule_, stretch.first);
      if (moves.empty() || !is_simple(moves, members, call_.messages) || overwrites(moves, members))
        return false;
      const std::size_t before = stages_.size();
      stages_.push_back(add_round(plan_, schedule_, moves, type_));
      moves_.push_back(std::ssize(moves));
      std::vector<int>& lines = lines_.emplace_back();
      for (const Move& move : moves) lines.push_back(move.line);
      repetition_.stages.push_back(narrow<std::int32_t>(plan_.nodes.size()));
      repetition_.again.resize(plan_.nodes.size());
      repetition_.entering.resize(plan_.nodes.size());
      if (before > 0 && !Relation(last, stages_[before - 1], members)
                             .add(moves, stages_[before], call_.messages, repetition_.entering, sends_older_))
        return false;
      if (stretch.rounds > 1) {
        const std::vector<Move> second = collective::moves_of(schedule_, stretch.first + 1);
        if (!Relation(moves, stages_[before], members)
                 .add(second, stages_[before], call_.messages, repetition_.again, sends_older_))
          return false;
        last = collective::moves_of(schedule_, stretch.first + stretch.rounds - 1);
      } else {
        last = moves;
      }
    }
    return true;
  }

  // Whether a member receives what it sends in the same round, which has to wait for its message.
  static bool overwrites(const std::vector<Move>& moves, int members) {
    const auto landed = landings(moves, members);
    return std::ranges::any_of(moves, [&](const Move& move) {
      return std::ranges::any_of(landed[static_cast<std::size_t>(move.source)], [&](std::size_t other) {
        return overlap(moves[other].landing(), move.chunks) > 0;
      });
    });
  }

  // Whether all messages of a line (collective::Move::line) that are in one round begin and end together. Each waits
  // for one of the round before, so then every message of the line waits for all earlier ones. The parts of a
  // vector that pass along the axes of a torus in different orders are such lines.
  bool are_lines_alike(const simulate::Rounds& rounds) const {
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      std::map<int, std::pair<std::int32_t, std::int32_t>> of_line;
      for (std::size_t i = 0; i < stages_[stage].size(); ++i) {
        const auto& [sent, done] = stages_[stage][i];
        const std::pair represented{rounds.represented(sent), rounds.represented(done)};
        if (of_line.try_emplace(lines_[stage][i], represented).first->second != represented) return false;
      }
    }
    return true;
  }

  // Whether each line has chunks of its own, which lie between those of other lines.
  bool are_lines_apart() const {
    std::map<int, std::pair<int, int>> reach;  // by line: its first chunk, and the one behind its last
    for (int round = 0; round < schedule_.rule.rounds; ++round)
      for (const Move& move : collective::moves_of(schedule_, round))
        for (const collective::Chunks& chunks : {move.chunks, move.landing()})
          chunks.each_range([&](const collective::Range& range) {
            auto& [first, end] = reach.try_emplace(move.line, range.first, range.end()).first->second;
            first = std::min(first, range.first);
            end = std::max(end, range.end());
          });
    std::vector<std::pair<int, int>> reaches;
    for (const auto& [line, chunks] : reach) reaches.push_back(chunks);
    std::ranges::sort(reaches);
    for (std::size_t i = 1; i < reaches.size(); ++i)
      if (reaches[i].first < reaches[i - 1].second) return false;
    return true;
  }

  void count_moves(const simulate::Rounds& rounds) {
    for (const std::vector<MoveNodes>& stage : stages_) {
      std::set<std::int32_t> simulated;
      for (const MoveNodes& move : stage) simulated.insert(rounds.represented(move.sent));
      simulated_.push_back(std::ssize(simulated));
    }
  }

  Timing timing_of(const std::vector<int>& count, plan::Timeline& timeline) const {
    Timing timing{.time = timeline.end, .links = std::move(timeline.links)};
    for (std::size_t stage = 0; stage < count.size(); ++stage) {
      timing.moves += moves_[stage] * count[stage];
      timing.played += simulated_[stage] * count[stage];
    }
    return timing;
  }

  Beginning simulated(const simulate::Rounds& rounds, const std::vector<int>& count) const {
    plan::Timeline timeline = rounds.time(count);
    Beginning beginning{.last = std::move(timeline.nodes)};
    beginning.timing = timing_of(count, timeline);
    return beginning;
  }

  std::vector<int> at_most(int most) const {
    std::vector<int> rounds;
    for (const int count : rounds_) rounds.push_back(std::min(count, most));
    return rounds;
  }

  std::optional<Timing> timed(const simulate::Rounds& rounds) const {
    if (std::optional<Timing> timing = from_beginnings(rounds)) return timing;
    if (rounds.activities(rounds_) > most_activities || std::ranges::max(simulated_) > most_at_once)
      return std::nullopt;
    return simulated(rounds, rounds_).timing;
  }

  // Every node of a stage waits for all others sooner or later. So one that takes less time for a round than
  // another will wait for it once its lead is used up, and the state isn't steady yet.
  bool grow_alike(const Beginning& before, const Beginning& now) const {
    const double tolerance = 1e-10 * (now.timing.time - before.timing.time).count();
    for (const std::vector<MoveNodes>& stage : stages_) {
      const auto growth = [&](std::size_t node) {
        return (now.last[node].end - before.last[node].end).count();
      };
      const double first = growth(stage.front().sent);
      for (const MoveNodes& move : stage)
        if (std::abs(growth(move.sent) - first) > tolerance ||
            std::abs(growth(move.done) - first) > tolerance)
          return false;
    }
    return true;
  }

  // Requires for steadiness that all long stages are equally long.
  std::optional<Timing> from_beginnings(const simulate::Rounds& clock) const {
    const int longest = std::ranges::max(rounds_);
    for (int rounds = first_rounds; rounds <= most_rounds && rounds < longest; rounds *= 2) {
      const int first = begin_with(rounds, longest);
      const int last = first + 2 * more_rounds;
      const bool are_equal =
          std::ranges::all_of(rounds_, [&](int count) { return count <= first || count == longest; });
      if (!are_equal || rounds_of_beginnings(first) >= longest ||
          clock.activities(at_most(last)) > most_activities)
        return std::nullopt;
      const Beginning one = simulated(clock, at_most(first)),
                      two = simulated(clock, at_most(first + more_rounds)),
                      three = simulated(clock, at_most(last));
      if (!are_steady(one, two, three) || !grow_alike(two, three)) continue;
      Timing timing = continued(two.timing, three.timing, (longest - last) / more_rounds);
      timing.played = one.timing.played + two.timing.played + three.timing.played;
      timing.moves = 0;
      for (std::size_t stage = 0; stage < rounds_.size(); ++stage)
        timing.moves += moves_[stage] * rounds_[stage];
      return timing;
    }
    return std::nullopt;
  }

  Call call_;
  const Group& group_;
  const Type type_;
  const Schedule schedule_;
  std::vector<int> rounds_{};                        // by stage
  std::vector<std::int64_t> moves_{}, simulated_{};  // by stage, of a round
  std::vector<std::vector<MoveNodes>> stages_{};
  std::vector<std::vector<int>> lines_{};  // by stage, of its moves
  bool sends_older_ = false;               // a message sends what landed before the last round
  plan::Plan plan_{};
  simulate::Repetition repetition_{};
};

}  // namespace

std::optional<Timing> time_in_stages(const Call& call, const Group& group, Type type) {
  std::optional<Timing> timing = Stages(call, group, type).time();
  if (timing) timing->time += call.floor;
  return timing;
}

}  // namespace wt::communication
