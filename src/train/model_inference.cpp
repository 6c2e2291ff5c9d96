// Keras' predict.
#include <cstring>

#include "train/model_steps.h"

namespace wt::train {

namespace {

Tensor one_below_the_other(const std::vector<Tensor>& parts) {
  TensorSpec spec = parts.front().spec();
  spec.shape[0] = 0;
  for (const Tensor& part : parts) spec.shape[0] += part.shape()[0];
  Tensor all = Tensor::zeros(spec);
  std::byte* position = all.bytes().data();
  for (const Tensor& part : parts) {
    std::memcpy(position, part.bytes().data(), part.bytes().size());
    position += part.bytes().size();
  }
  return all;
}

}  // namespace

Function& Model::predicting() {
  if (!predict_)
    predict_.emplace(
        "predict", state_, machine_, Function::Mode::inference,
        [layer = layer_](model::Building& building, const std::vector<Symbol>& inputs) {
          return (*layer)(building, inputs);
        },
        semantics(), true);
  return *predict_;
}

PerReplica Model::inputs_of(PerReplica batch) const {
  const std::size_t inputs = std::max<std::size_t>(1, layer_->input_specs().size());
  for (std::vector<Tensor>& own : batch)
    if (own.size() > inputs) own.erase(own.begin() + static_cast<std::ptrdiff_t>(inputs), own.end());
  return batch;
}

// Keras predicts on the coordinator, which reads the dataset once.
std::vector<Tensor> Model::predict_outputs(const data::Dataset& dataset, const PredictOptions& options) {
  made_in_.require_no_other_scope();
  if (machine_.coordinated_workers > 0) require_no_refusal({.semantics = semantics()});
  require_end(dataset, options.steps.has_value());
  std::vector<std::vector<Tensor>> parts;  // by output
  data::DistributedIterator batches = distributed(dataset);
  const std::int64_t most = options.steps.value_or(most_steps(dataset));
  for (std::int64_t step = 0; step < most; ++step) {
    auto batch = batches.next();
    if (!batch) break;
    const PerReplica inputs = inputs_of(std::move(*batch));
    const PerReplica outputs = predicting().run(inputs);
    parts.resize(outputs.front().size());
    for (const std::size_t replica : batches.replicas_by_rows())
      for (std::size_t i = 0; i < parts.size(); ++i) parts[i].push_back(outputs[replica][i]);
    if (options.on_step) options.on_step({.step = step, .rows = rows_of(inputs)});
    if (options.is_interrupted && options.is_interrupted()) break;
  }
  if (parts.empty())
    throw InputError("[predict] the dataset is empty", "pass a dataset with at least one batch");
  std::vector<Tensor> all;
  for (const std::vector<Tensor>& own : parts) all.push_back(one_below_the_other(own));
  return all;
}

std::shared_ptr<const plan::Plan> Model::shared_prediction_plan(const std::vector<Tensor>& batch) {
  return predicting().plan_for(inputs_of(split(batch)));
}

const Step& Model::prediction_step(const std::vector<Tensor>& batch, std::size_t replica) {
  return predicting().step_for(inputs_of(split(batch)), replica);
}

}  // namespace wt::train
