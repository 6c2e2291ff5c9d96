#pragma once
// Functions that combine rules to new ones. Most algorithms are a few lines of these: a ring all-reduce, for
// example, is then(ring_reduce_scatter(n), ring_all_gather(n)). The kinds of rounds (Rule::kinds) are carried
// over from the parts, except by pipelined, looped and changed, after which each round is of a kind of its
// own.

#include "collective/schedule.h"

namespace wt::collective {

// A rule whose rounds are all of one kind. Requires: they are alike, as Rule::kinds describes; a test over
// the catalog checks it.
Rule alike(int rounds, std::function<void(int round, Round& moves)> add);

Rule then(Rule first, Rule second);
// Round i consists of round i of each rule, in the order of the list, each on lines of its own (Move::line).
Rule together(std::vector<Rule> rules);

// The rule backwards: what went from s to t goes from t to s, and the last round comes first. With
// Effect::reduce a broadcast becomes a reduction and an all-gather a reduce-scatter. With Effect::copy a
// scatter becomes a gather.
Rule reversed(Rule rule, Effect effect);

// Cuts each chunk into `segments`, each of which passes through the rule one round behind the one before.
// Segment s of chunk c becomes chunk c * segments + s.
Rule pipelined(Rule rule, int segments);

// Applies the rule to `loops` pieces of the vector, each of which has `chunks` chunks and begins one round
// behind the one before. Chunk c of piece p becomes chunk p * chunks + c. Shifts stay as they are.
Rule looped(Rule rule, int loops, int chunks);

Rule changed(Rule rule, std::function<void(Move&)> change);  // applies `change` to every move

// The same rule among other ranks: rank r becomes ranks[r].
Rule among(std::vector<int> ranks, Rule rule);
// The same rule on other chunks: chunk c becomes first + c * stride.
Rule on_chunks(std::int64_t first, Rule rule, int stride = 1);

// Chunks are numbered with an int.
inline constexpr std::int64_t most_chunks = 1'000'000'000;

}  // namespace wt::collective
