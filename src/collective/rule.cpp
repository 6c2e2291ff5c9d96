#include "collective/rule.h"

#include <algorithm>

namespace wt::collective {

namespace {

Rule delayed(int rounds, Rule rule) {
  const int all = rounds + rule.rounds;
  return {all, [rounds, rule = std::move(rule)](int round, Round& moves) {
            if (round >= rounds) rule.add(round - rounds, moves);
          }};
}

}  // namespace

Rule then(Rule first, Rule second) {
  const int rounds = first.rounds + second.rounds;
  return {rounds, [first = std::move(first), second = std::move(second)](int round, Round& moves) {
            if (round < first.rounds)
              first.add(round, moves);
            else
              second.add(round - first.rounds, moves);
          }};
}

Rule together(std::vector<Rule> rules) {
  int rounds = 0;
  for (const Rule& rule : rules) rounds = std::max(rounds, rule.rounds);
  return {rounds, [rules = std::move(rules)](int round, Round& moves) {
            for (const Rule& rule : rules)
              if (round < rule.rounds) rule.add(round, moves);
          }};
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
  Rule turned = changed(std::move(rule), [effect](Move& move) {
    std::swap(move.source, move.target);
    move.effect = effect;
    move.chunks = move.landing();
    move.shift = -move.shift;
  });
  return {rounds, [turned = std::move(turned)](int round, Round& moves) {
            turned.add(turned.rounds - 1 - round, moves);
          }};
}

Rule pipelined(const Rule& rule, int segments) {
  std::vector<Rule> stages;
  for (int segment = 0; segment < segments; ++segment)
    stages.push_back(delayed(segment, on_chunks(segment, rule, segments)));
  return together(std::move(stages));
}

Rule among(std::vector<int> ranks, Rule rule) {
  return changed(std::move(rule), [ranks = std::move(ranks)](Move& move) {
    move.source = ranks[static_cast<std::size_t>(move.source)];
    move.target = ranks[static_cast<std::size_t>(move.target)];
  });
}

Rule on_chunks(int first, Rule rule, int stride) {
  return changed(std::move(rule), [first, stride](Move& move) {
    if (stride > 1) {
      std::vector<int> spread;
      move.chunks.each([&](int chunk) { spread.push_back(chunk * stride); });
      move.chunks = Chunks::of(std::move(spread));
      move.shift *= stride;
    }
    move.chunks = move.chunks.shifted(first);
  });
}

}  // namespace wt::collective
