#include "train/model.h"

#include <algorithm>
#include <limits>

#include "device/error.h"
#include "model/keras_file.h"
#include "model/weights.h"
#include "tensor/safetensors.h"
#include "train/model_steps.h"
#include "train/worker_fault.h"

namespace wt::train {

namespace {

bool is_uneven(const PerReplica& batch) {
  return std::ranges::any_of(batch, [&](const std::vector<Tensor>& own) {
    return own.front().shape()[0] != batch.front().front().shape()[0];
  });
}

}  // namespace

// Keras 3 looks at scopes when it trains, and Keras 2 here, too.
void Model::compile(CompileOptions options) {
  if (options.semantics != model::Semantics::keras3) made_in_.require_no_other_scope();
  if (machine_.faithful && options.semantics == model::Semantics::keras3) made_in_.require_same_scope();
  steps_ = std::make_shared<Steps>(std::move(options), layer_, state_, machine_);
  predict_.reset();  // It has the semantics of the compiled model.
}

Model::Steps& Model::compiled() const {
  if (!steps_)
    throw device::RuntimeError(
        "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`.");
  made_in_.require_no_other_scope();
  return *steps_;
}

data::DistributedIterator Model::distributed(const data::Dataset& dataset, std::uint64_t epoch,
                                             std::int64_t skipped_steps) const {
  return data::DistributedDataset(dataset, machine_.input).iterate(epoch, skipped_steps);
}

// In the order of the steps of a fit or an evaluation.
Batches Model::batches_of(const data::Dataset& dataset, std::uint64_t epoch,
                          std::int64_t skipped_steps) const {
  return {machine_.coordinated_workers, epoch,
          [&](std::uint64_t number) { return distributed(dataset, number, skipped_steps); }};
}

void Model::require_legal(const data::Dataset& dataset, bool has_steps, bool has_batch_callback) const {
  const bool is_coordinated = machine_.coordinated_workers > 0;
  if (is_coordinated) require_no_refusal({.semantics = semantics()});
  require_end(dataset, has_steps);
  if (is_coordinated)
    require_no_refusal({.semantics = semantics(),
                        .has_batch_callback = has_batch_callback,
                        .run_eagerly = steps_ && steps_->options.run_eagerly});
}

// The steps after which a pass over the dataset ends.
std::int64_t Model::most_steps(const data::Dataset& dataset) const {
  const bool is_own_loop = (steps_ && steps_->options.loop != Loop::fit) || machine_.coordinated_workers > 0;
  // TensorFlow doesn't know how many rows lie in files before it reads them.
  const bool is_known = dataset.files() == nullptr && dataset.cardinality() >= 0;
  return is_own_loop || !is_known ? std::numeric_limits<std::int64_t>::max() : dataset.cardinality();
}

// Splits the batch as a dataset that consists of this batch alone would be split.
PerReplica Model::split(const std::vector<Tensor>& batch) const {
  if (machine_.replicas() == 1) return {batch};
  auto pieces =
      data::DistributedDataset(data::Dataset::from_tensors(batch), data::of_one_batch(machine_.input))
          .iterate()
          .next();
  WT_EXPECT(pieces.has_value(), "the dataset of one batch is empty");
  return std::move(*pieces);
}

PerReplica Model::arguments(PerReplica batch) const {
  if (!scaling_of(steps_->options, machine_.input.replicas).needs_step_rows()) return batch;
  const Tensor rows = Tensor::of<float>({}, {static_cast<float>(rows_of(batch))});
  for (std::vector<Tensor>& own : batch) own.push_back(rows);
  return batch;
}

StepResult Model::train_on_batch(const std::vector<Tensor>& batch) {
  compiled();
  return train_on_pieces(arguments(split(batch)));
}

StepResult Model::train_on_pieces(const PerReplica& arguments, const Function::Next& next) {
  return result_of(arguments, steps_->train.run(arguments, next));
}

StepResult Model::result_of(const PerReplica& arguments, const PerReplica& results) {
  StepResult result{.rows = rows_of(arguments),
                    .is_uneven_mean = steps_->options.loss_scale == LossScale::keras && is_uneven(arguments)};
  result.loss = static_cast<double>(results.front().front().values<float>()[0]);
  result.loss_of_epoch = static_cast<double>(loss_so_far(&Model::metric_of_step));
  result.metrics = metric_results(&Model::metric_of_step);
  return result;
}

std::optional<Fault> Model::fault_of_first_step(const PerReplica& arguments) {
  const CompileOptions& options = steps_->options;
  if (options.loop == Loop::fit) {
    if (auto fault = fault_of_workers(arguments, machine_, options.semantics)) return fault;
    if (auto fault = fault_of_first_batch(arguments, machine_, options.semantics)) return fault;
    if (auto fault = fault_of_executions(options.steps_per_execution, machine_, options.semantics))
      return fault;
  }
  return steps_->train.update().fault_of(arguments, options.loop != Loop::custom_unbuilt);
}

std::optional<Fault> Model::fault_of(const std::vector<Tensor>& batch) {
  compiled();
  return fault_of_first_step(arguments(split(batch)));
}

std::optional<Fault> Model::fault_of_evaluated(const PerReplica& arguments) const {
  if (steps_->options.loop != Loop::fit) return std::nullopt;
  return fault_of_first_batch(arguments, machine_, steps_->options.semantics);
}

std::optional<Fault> Model::fault_of_evaluation(const std::vector<Tensor>& batch) const {
  compiled();
  return fault_of_evaluated(arguments(split(batch)));
}

// Keras' fit builds the optimizer before its first step.
void Model::begin(const PerReplica& arguments) {
  if (!machine_.faithful) return;
  if (const auto fault = fault_of_first_step(arguments)) fault->raise();
  if (steps_->options.loop != Loop::custom_unbuilt) steps_->train.create_variables(arguments);
}

model::Semantics Model::semantics() const {
  return steps_ ? steps_->options.semantics : model::default_semantics;
}

const plan::Plan& Model::training_plan(const std::vector<Tensor>& batch) {
  return *shared_training_plan(batch);
}

std::shared_ptr<const plan::Plan> Model::shared_training_plan(const std::vector<Tensor>& batch) {
  return compiled().train.update().plan_for(arguments(split(batch)));
}

std::shared_ptr<const plan::Plan> Model::shared_accumulation_plan(const std::vector<Tensor>& batch) {
  Function* accumulation = compiled().train.accumulation();
  WT_EXPECT(accumulation != nullptr, "{} does not accumulate gradients", steps_->options.optimizer.name);
  return accumulation->plan_for(arguments(split(batch)));
}

const plan::Plan& Model::evaluation_plan(const std::vector<Tensor>& batch) {
  return *compiled().evaluate.plan_for(arguments(split(batch)));
}

const Step& Model::training_step(const std::vector<Tensor>& batch, std::size_t replica) {
  return compiled().train.update().step_for(arguments(split(batch)), replica);
}

void Model::create_variables(const std::vector<Tensor>& batch) {
  compiled().train.create_variables(arguments(split(batch)));
}

std::map<std::string, Tensor> Model::weights() const {
  std::map<std::string, Tensor> values;
  for (const model::Weight& weight : model::weights_of(*layer_, semantics()))
    if (!std::holds_alternative<model::StreamStart>(weight.initializer.rule))
      values[weight.name] = state_.read(weight.name);
  return values;
}

void Model::save_weights(const std::filesystem::path& path) const {
  if (model::saved_as(path.string()) != model::SavedAs::weights_h5)
    return write_safetensors(path, {.tensors = weights()});
  model::write_weights_h5(path, *layer_, model::weights_of(*layer_, semantics()), weights(), semantics());
}

}  // namespace wt::train
