#include "collective/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/narrow.h"

namespace wt::collective {

namespace {

// The kind of each round; if the rule has no kinds, each round is of a kind of its own.
std::vector<int> kinds_of(const Rule& rule) {
  if (!rule.kinds.empty()) return rule.kinds;
  std::vector<int> kinds(static_cast<std::size_t>(rule.rounds));
  std::iota(kinds.begin(), kinds.end(), 0);
  return kinds;
}

// The kinds of the rounds of two rules together: rounds are of one kind if they are in both rules. Behind the
// end of the shorter rule its kind is -1.
std::vector<int> paired(std::vector<int> kinds, std::vector<int> others) {
  if (kinds == others) return kinds;
  const std::size_t rounds = std::max(kinds.size(), others.size());
  kinds.resize(rounds, -1);
  others.resize(rounds, -1);
  std::map<std::pair<int, int>, int> numbers;
  for (std::size_t i = 0; i < rounds; ++i)
    kinds[i] = numbers.try_emplace({kinds[i], others[i]}, narrow<int>(numbers.size())).first->second;
  return kinds;
}

std::vector<int> kinds_together(const std::vector<Rule>& rules) {
  std::vector<int> kinds;
  for (const Rule& rule : rules) {
    if (rule.kinds.empty() && rule.rounds > 0) return {};
    kinds = &rule == &rules.front() ? rule.kinds : paired(std::move(kinds), rule.kinds);
  }
  return kinds;
}

std::vector<int> kinds_one_after_the_other(const Rule& first, const Rule& second) {
  if (first.kinds.empty() && second.kinds.empty()) return {};
  std::vector<int> kinds = kinds_of(first);
  const int known = kinds.empty() ? 0 : *std::max_element(kinds.begin(), kinds.end()) + 1;
  for (const int kind : kinds_of(second)) kinds.push_back(known + kind);
  return kinds;
}

// A rule `count` times, each time one round behind the time before. `change` adapts the moves of one time.
// Moves of the same round of the rule share a line, in which those of the different times follow each other.
Rule staggered(Rule rule, int count, std::function<void(Move&, int which)> change) {
  const int rounds = rule.rounds == 0 ? 0 : narrow<int>(std::int64_t{rule.rounds} + count - 1);
  return {rounds, [=, rule = std::move(rule), change = std::move(change)](int round, Round& moves) {
            const int first = std::max(0, round - rule.rounds + 1), last = std::min(round, count - 1);
            for (int which = first; which <= last; ++which) {
              const std::size_t before = moves.moves.size();
              rule.add(round - which, moves);
              for (std::size_t i = before; i < moves.moves.size(); ++i) {
                change(moves.moves[i], which);
                moves.moves[i].line = moves.moves[i].line * rule.rounds + round - which;
              }
            }
          }};
}

void put_on_chunks(Move& move, int first, int stride) {
  if (stride > 1) {
    std::vector<int> spread;
    move.chunks.each([&](int chunk) { spread.push_back(chunk * stride); });
    move.chunks = Chunks::of(std::move(spread));
    move.shift *= stride;
  }
  move.chunks = move.chunks.shifted(first);
}

// Changes only the numbers of ranks or chunks, so rounds keep their kinds.
Rule renamed(Rule rule, std::function<void(Move&)> change) {
  std::vector<int> kinds = rule.kinds;
  Rule result = changed(std::move(rule), std::move(change));
  result.kinds = std::move(kinds);
  return result;
}

}  // namespace

Rule alike(int rounds, std::function<void(int round, Round& moves)> add) {
  return {rounds, std::move(add), std::vector<int>(static_cast<std::size_t>(rounds))};
}

Rule then(Rule first, Rule second) {
  const int rounds = first.rounds + second.rounds;
  std::vector<int> kinds = kinds_one_after_the_other(first, second);
  return {rounds,
          [first = std::move(first), second = std::move(second)](int round, Round& moves) {
            if (round < first.rounds)
              first.add(round, moves);
            else
              second.add(round - first.rounds, moves);
          },
          std::move(kinds)};
}

Rule together(std::vector<Rule> rules) {
  int rounds = 0;
  for (const Rule& rule : rules) rounds = std::max(rounds, rule.rounds);
  std::vector<int> kinds = kinds_together(rules);
  return {rounds,
          [rules = std::move(rules)](int round, Round& moves) {
            const auto lines = narrow<int>(rules.size());
            for (int line = 0; line < lines; ++line) {
              const Rule& rule = rules[static_cast<std::size_t>(line)];
              if (round >= rule.rounds) continue;
              const std::size_t before = moves.moves.size();
              rule.add(round, moves);
              for (std::size_t i = before; i < moves.moves.size(); ++i)
                moves.moves[i].line = moves.moves[i].line * lines + line;
            }
          },
          std::move(kinds)};
}

Rule changed(Rule rule, std::function<void(Move&)> change) {
  const int rounds = rule.rounds;
  return {rounds, [rule = std::move(rule), change = std::move(change)](int round, Round& moves) {
            const std::size_t before = moves.moves.size();
            rule.add(round, moves);
            for (std::size_t i = before; i < moves.moves.size(); ++i) change(moves.moves[i]);
          }};
}

Rule reversed(Rule rule, Effect effect) {
  const int rounds = rule.rounds;
  std::vector<int> kinds(rule.kinds.rbegin(), rule.kinds.rend());
  Rule turned = changed(std::move(rule), [effect](Move& move) {
    std::swap(move.source, move.target);
    move.effect = effect;
    move.chunks = move.landing();
    move.shift = -move.shift;
  });
  return {
      rounds,
      [turned = std::move(turned)](int round, Round& moves) { turned.add(turned.rounds - 1 - round, moves); },
      std::move(kinds)};
}

Rule pipelined(Rule rule, int segments) {
  return staggered(std::move(rule), segments,
                   [segments](Move& move, int segment) { put_on_chunks(move, segment, segments); });
}

Rule looped(Rule rule, int loops, int chunks) {
  return staggered(std::move(rule), loops,
                   [chunks](Move& move, int loop) { put_on_chunks(move, loop * chunks, 1); });
}

Rule among(std::vector<int> ranks, Rule rule) {
  return renamed(std::move(rule), [ranks = std::move(ranks)](Move& move) {
    move.source = ranks[static_cast<std::size_t>(move.source)];
    move.target = ranks[static_cast<std::size_t>(move.target)];
  });
}

Rule on_chunks(std::int64_t first, Rule rule, int stride) {
  if (first > most_chunks)
    throw InputError(fmt::format("{} chunks are more than {}", first, most_chunks),
                     "take fewer ranks or larger pieces");
  return renamed(std::move(rule),
                 [first = narrow<int>(first), stride](Move& move) { put_on_chunks(move, first, stride); });
}

}  // namespace wt::collective
