#pragma once

#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/popularity.h"
#include "model/layer.h"
#include "model/loss.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// What decides which rows a model takes, and which synthetic rows it can learn.
struct Purpose {
  std::string model{};
  std::vector<TensorSpec> inputs{};   // of one row; none where the model doesn't say
  std::vector<TensorSpec> outputs{};  // of one row
  // For each input of integers the number of ids: the rows of the smallest table in which they are looked up,
  // or 0 if they are not looked up.
  std::vector<std::int64_t> ids{};
  model::Losses loss{};  // none in inference, which needs no labels
};

// Requires: the model knows the shapes of its inputs.
std::vector<std::int64_t> ids_of(const model::Layer& model, model::Semantics semantics);

// How likely ids are to be drawn. Throws InputError for what is wrong with the file that the data name.
data::Popularity popularity_of(const SyntheticData& wanted);

// Throws InputError if no rule makes such rows.
data::Dataset synthetic_data(const SyntheticData& wanted, const Purpose& purpose);

}  // namespace wt::scenario
