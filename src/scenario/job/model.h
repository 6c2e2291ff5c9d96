#pragma once
// The model that a scenario names, and the weights that it begins with.

#include "model/weights.h"
#include "scenario/build.h"

namespace wt::scenario {

model::LayerPtr make_model(const Scenario& scenario, Job& job);

// The specification of one row of each input, if the model knows it.
std::vector<TensorSpec> wanted_inputs(const model::Layer& model);

// The shapes of rows are the model's if it knows them, otherwise those of the data.
std::optional<model::Forward> trace_model(const model::Layer& model, const std::vector<TensorSpec>& inputs,
                                          const Scenario& scenario, Problems& problems);

// What the scenario names: its "weights", or those of a saved model. Empty if there are none, or if nothing computes.
// Requires: the job has its weights.
std::map<std::string, Tensor> read_initial_weights(const Scenario& scenario, const Job& job,
                                                   Problems& problems);

}  // namespace wt::scenario
