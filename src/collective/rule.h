#pragma once
// Rules made of rules. Most algorithms are a few lines of these.

#include "collective/schedule.h"

namespace wt::collective {

Rule then(Rule first, Rule second);
Rule together(std::vector<Rule> rules);  // round i of each, in the order given

// Backwards: what went from s to t goes from t to s, the last round first. A broadcast read backwards is a
// reduction, an all-gather a reduce-scatter, a scatter a gather (with Effect::copy).
Rule reversed(Rule rule, Effect effect);

// Each chunk cut in `segments`, one round behind each other: chunk c becomes c * segments + segment.
Rule pipelined(const Rule& rule, int segments);

Rule changed(Rule rule, std::function<void(Move&)> change);  // every move of it

// The same among other ranks, or on chunks that stand elsewhere.
Rule among(std::vector<int> ranks, Rule rule);
Rule on_chunks(int first, Rule rule, int stride = 1);  // chunk c becomes first + c * stride

}  // namespace wt::collective
