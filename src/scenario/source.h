#pragma once
// The rows that a scenario's dataset names, one element per row, before any transformation.

#include <string>

#include "data/dataset.h"
#include "scenario/scenario.h"
#include "scenario/synthetic.h"

namespace wt::scenario {

// `key` is the dataset's in the scenario, "dataset" or "training.evaluation.dataset". Throws InputError with
// the problems of the files that are read.
data::Dataset read_source(const Dataset& wanted, const Purpose& purpose, const Scenario& scenario,
                          const std::string& key);

}  // namespace wt::scenario
