#pragma once
// The rows of a scenario: those that are trained, in batches, and those that are evaluated.

#include "model/weights.h"
#include "scenario/build.h"
#include "scenario/synthetic.h"

namespace wt::scenario {

// `forward` is the model's, if it knows its inputs.
Purpose purpose_of(const Scenario& scenario, const Job& job, const std::optional<model::Forward>& forward);

data::Dataset make_rows(const data::Dataset& source, const Dataset& wanted);

// The rows of a whole batch and of a short last batch, if there are such batches. `rows` is negative for a
// dataset without end.
std::vector<std::int64_t> rows_of_batches(std::int64_t rows, std::int64_t batch, bool drop_remainder);

// Counts the steps of a dataset, and reports before the training what the source of its rows or the number of workers
// doesn't allow.
std::int64_t steps_of_dataset(const data::Dataset& batches, const Job& job, const std::string& key,
                              const Scenario& scenario, Problems& problems);

// A coordinator's workers each read the whole dataset.
void note_unequal_inputs(const Scenario& scenario, Job& job);

std::optional<data::Dataset> make_batches(const Dataset& wanted, const Purpose& purpose,
                                          const Scenario& scenario, const std::string& key, Job& job,
                                          Problems& problems);

void make_evaluation(const Purpose& purpose, const Scenario& scenario, Job& job, Problems& problems);

}  // namespace wt::scenario
