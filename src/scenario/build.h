#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "data/distribute.h"
#include "model/layer.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/optimizer.h"
#include "scenario/faults.h"
#include "scenario/machine.h"
#include "scenario/scenario.h"

namespace wt::scenario {

// What a scenario names, built and ready to be trained.
struct Job {
  model::LayerPtr model{};
  std::optional<json::Value> architecture{};  // the JSON that the model was made from; none for the zoo's
  std::vector<Problem> notes{};  // facts about the scenario that the user should know, and that stop nothing
  std::vector<model::Weight> weights{};  // the model's
  std::map<std::string, Tensor>
      initial_weights{};  // of all weights; empty: weights begin as they are initialised
  model::Losses loss{};
  model::Optimizer optimizer{};  // with the learning rate for this batch
  model::Metrics metrics{};      // "accuracy" is resolved where there is one output
  model::Metrics weighted_metrics{};
  std::vector<TensorSpec> inputs{};  // one row of each of the model's inputs
  std::vector<TensorSpec> labels{};  // and of each of its outputs' labels
  std::vector<TensorSpec>
      sample_weights{};  // and of the weights of rows: none, one for all outputs, or one for each
  std::optional<data::Dataset> batches{};      // of an epoch; always there
  std::optional<data::Dataset> row_numbers{};  // the same with each row's number in place of its content
  std::optional<data::Dataset> evaluation{};
  cluster::Machine machine{};
  data::Distribution input{};  // how rows are dealt out to the machine's replicas
  std::int64_t global_batch = 0;
  timing::Faults faults{};
  std::int64_t steps_of_dataset = 0;  // until the dataset ends; data::infinite_cardinality: without end
  std::int64_t rows = -1;             // of the dataset, repeated; -1: without end
  std::int64_t rows_of_pass = 0;      // of the dataset, once
  std::int64_t evaluated_rows = 0;    // 0: nothing is evaluated
  std::vector<std::int64_t>
      step_rows{};  // the numbers of rows that steps have: a whole batch, and the last one
  std::vector<std::int64_t> evaluation_rows{};  // the same for steps of an evaluation; empty without one
};

// Whether each epoch begins with the dataset's first row. Otherwise epochs go on where the last one ended.
bool starts_anew(const Scenario& scenario, const Job& job);

// Whether the time of the whole training is wanted: by "job", or because the platform has a price.
bool wants_job_time(const Scenario& scenario, const Job& job);

// Of the whole training. A training that is counted in steps is one epoch.
std::int64_t epochs_of(const Scenario& scenario);
std::int64_t steps_of(const Scenario& scenario, const Job& job);
std::int64_t steps_per_epoch(const Scenario& scenario, const Job& job);  // -1: rows without end

// The metrics of all outputs, without the names of these.
std::vector<model::Metric> all_metrics(const Job& job);

// Reads the files that the scenario names, and checks that model, data, loss and metrics fit each other.
// Throws InputError with all problems, each at the key of the scenario that led to it, or at its place in
// such a file.
Job build(const Scenario& scenario);

}  // namespace wt::scenario
