#include "model/layers/attention_scoring.h"

#include <algorithm>

namespace wt::model {

namespace {

// Keras adds this number to the score of a masked key. Its exponential is 0, and unlike -infinity it is
// finite.
constexpr double masked_score = -1e9;

// What a mask of pairs [batch, queries or 1, keys] adds to scores [batch, heads?, queries, keys].
Symbol penalty_of(Symbol mask, Symbol scores) {
  const Shape m = mask.shape();
  Shape shape{m[0]};
  for (int axis = m.rank(); axis < scores.shape().rank(); ++axis) shape.append(1);
  for (int axis = 1; axis < m.rank(); ++axis) shape.append(m[axis]);
  return wt::reshape((cast(mask, scores.spec().type) - 1) * -masked_score, shape);
}

// A matrix [queries, keys] that is 0 where a query may attend to a key and masked_score above the diagonal.
// There is no kernel that enumerates positions, so the mask is doubled until it is large enough: a mask of 2n
// x 2n consists of two masks of n x n on the diagonal, a constant block above it and a block of zeros below.
Symbol causal_mask(Trace& trace, Type type, std::int64_t queries, std::int64_t keys) {
  Symbol mask = fill(trace, {type, {1, 1}}, 0);
  for (std::int64_t extent = 1; extent < std::max(queries, keys); extent *= 2) {
    const Symbol above = fill(trace, {type, {extent, extent}}, masked_score);
    const Symbol below = fill(trace, {type, {extent, extent}}, 0);
    mask = concat({concat({mask, above}, 1), concat({below, mask}, 1)}, 0);
  }
  const auto cut = [&](int axis, std::int64_t extent) {
    const std::int64_t rest = mask.shape()[axis] - extent;
    if (rest > 0) mask = split(mask, axis, {extent, rest})[0];
  };
  cut(0, queries);
  cut(1, keys);
  return mask;
}

}  // namespace

Symbol mask_of_queries(Symbol mask) { return reshape(mask, {mask.shape()[0], mask.shape()[1], 1}); }
Symbol mask_of_keys(Symbol mask) { return reshape(mask, {mask.shape()[0], 1, mask.shape()[1]}); }

Symbol Scoring::shares(Symbol scores) const {
  const Shape s = scores.shape();
  std::optional<Symbol> penalty;
  if (is_causal) penalty = causal_mask(building.trace(), scores.spec().type, s[s.rank() - 2], s.last());
  if (mask) {
    const Symbol own = penalty_of(*mask, scores);
    penalty = penalty ? minimum(*penalty, own) : own;
  }
  const bool replaces =
      may_replace && penalty && is_on(Switch::masked_scores_are_replaced, building.semantics());
  // 1 where a pair is kept. The quotient is exact.
  const Symbol kept = replaces ? *penalty / -masked_score + 1 : scores;
  if (replaces) scores = scores * kept;
  Symbol shares = wt::softmax(penalty ? scores + *penalty : scores);
  if (replaces && (dropout > 0 || building.options().return_attention_scores)) shares = shares * kept;
  if (!building.training() || dropout == 0) return shares;
  return wt::dropout(shares, building.random_stream(name + "/seed", seed), {.rate = dropout});
}

}  // namespace wt::model
