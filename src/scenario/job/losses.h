#pragma once
// Loss, optimizer and metrics of a scenario, which have to fit the outputs of the model and the labels of the rows.

#include "model/weights.h"
#include "scenario/build.h"

namespace wt::scenario {

// Reads loss, optimizer and metrics.
void configure(const Scenario& scenario, Job& job, Problems& problems);

// Puts what is given by the names of outputs in the order of the outputs.
void order_by_outputs(const Scenario& scenario, Job& job, Problems& problems);

// Losses and their weights are listed for each output, so both lists have to fit the model.
void check_lists_of_losses(const model::Losses& losses, std::size_t outputs, const Scenario& scenario,
                           Problems& problems);

// Losses and metrics compare each output with its labels, which inference doesn't read.
void check_comparisons(const model::Forward& forward, const Place& model_place, const Scenario& scenario,
                       Job& job, Problems& problems);

}  // namespace wt::scenario
