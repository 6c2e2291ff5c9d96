#pragma once
// What a compiled model traces: its training step and its evaluation, and what is measured in them.

#include <string>
#include <vector>

#include "train/model.h"
#include "train/optimizer_steps.h"

namespace wt::train {

// A metric of one output. If a model has several outputs, Keras applies every metric to each of them and
// prefixes its name with that of the output. If the same metric is also measured without weights, the name of the weighted
// one begins with "weighted_".
struct Measured {
  model::Metric metric{};
  std::size_t output = 0;
  bool is_weighted = false;
};

// The functions of a compiled model, which refer to its options.
struct Model::Steps {
  Steps(CompileOptions given, const std::shared_ptr<const model::Layer>& layer, State& state,
        Resources& machine);

  CompileOptions options;
  std::vector<model::Metric> losses;  // of each output, if there are several
  std::vector<Measured> metrics;
  OptimizerSteps train;
  Function evaluate;
};

LossScaling scaling_of(const CompileOptions& options, std::int64_t replicas, std::size_t output = 0);

// The mean of the loss over the rows of an epoch.
const model::Metric& loss_metric();

std::int64_t rows_of(const PerReplica& batch);  // of all replicas

}  // namespace wt::train
