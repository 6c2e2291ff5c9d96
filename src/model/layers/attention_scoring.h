#pragma once

#include "model/layer.h"

namespace wt::model {

Symbol mask_of_queries(Symbol mask);  // boolean[batch, queries] -> [batch, queries, 1]
Symbol mask_of_keys(Symbol mask);     // boolean[batch, keys] -> [batch, 1, keys]

// A call's scores: masked, made shares that add up to 1, and dropped at random while training.
struct Scoring {
  Building& building;
  const std::string& name;
  double dropout = 0;
  std::optional<std::int64_t> seed{};
  bool is_causal = false;
  std::optional<Symbol> mask{};  // boolean[batch, queries or 1, keys]
  bool may_replace = false;      // whether Switch::masked_scores_are_replaced applies

  // A pair that two masks skip has the penalty of one: a query all of whose keys are skipped gives equal shares.
  Symbol shares(Symbol scores) const;
};

}  // namespace wt::model
