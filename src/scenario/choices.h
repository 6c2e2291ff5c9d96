#pragma once
// Losses, optimizers and metrics as JSON, with all of their arguments: {"class_name": "Adam", "config": {"learning_rate":
// 0.001, ...}}. The readers of model/ read it, and so does Keras, but for keys that only a scenario has
// ("exclude_from_weight_decay").

#include "base/json_writer.h"
#include "model/loss.h"
#include "model/metric.h"
#include "model/optimizer.h"

namespace wt::scenario {

void write_loss(json::Writer& out, const model::Loss& loss);
// Without `has_own_rate` the learning rate is left out, unless it is a schedule.
void write_optimizer(json::Writer& out, const model::Optimizer& optimizer, bool has_own_rate = true);
void write_metric(json::Writer& out, const model::Metric& metric);

}  // namespace wt::scenario
