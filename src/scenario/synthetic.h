#pragma once

#include <string>
#include <vector>

#include "data/dataset.h"
#include "model/layer.h"
#include "model/loss.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// What decides which rows a model takes, and which synthetic ones it can learn.
struct Purpose {
  std::string model{};
  std::vector<TensorSpec> inputs{};   // of one row; none where the model doesn't say
  std::vector<TensorSpec> outputs{};  // of one row
  // For integers how many ids there are, by input: those of the smallest table they are looked up in; 0: they
  // aren't looked up.
  std::vector<std::int64_t> ids{};
  model::Loss loss{};
};

// Requires: the model says what its inputs are.
std::vector<std::int64_t> ids_of(const model::Layer& model);

// Throws InputError where no rule makes such rows.
data::Dataset synthetic_data(const SyntheticData& wanted, const Purpose& purpose);

}  // namespace wt::scenario
