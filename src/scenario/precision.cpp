#include "scenario/precision.h"

#include <algorithm>

#include "model/semantics.h"

namespace wt::scenario {

namespace {

// Keras' global policy: that of all layers, unless the model's file names policies of its own.
void set_policy(const Scenario& scenario, model::Layer& model) {
  const std::optional<Type> policy = mixed_type(scenario.training.precision);
  if (!policy) return;
  if (model.policy())
    throw InputError(Problem{
        scenario.place("training.precision"), "the model's file names the mixed policies of its layers",
        "leave \"precision\" out, or choose float32 or tf32 for what is left in float32"});
  model.compute_in(*policy);
}

// As Keras' compile does. A custom loop has to wrap its optimizer itself.
void scale_loss(const Scenario& scenario, Job& job) {
  if (scenario.training.loop == Loop::fit)
    job.optimizer = model::scaled_by_policy(std::move(job.optimizer), *job.model);
  else if (!job.optimizer.scaled_loss && model::computes_in(*job.model, Type::float16))
    job.notes.push_back(
        {scenario.place("training.optimizer"),
         "layers compute in float16, and the loss is not scaled: small gradients become 0",
         "wrap the optimizer in a LossScaleOptimizer, as a program with its own loop has to"});
}

// Keras 3 asks the first replica alone whether its gradients are finite (keras/src/optimizers/loss_scale_optimizer.py
// takes it for granted that they were summed before). With TensorFlow 2.21 two replicas of a Dense(1) whose second
// one's gradient overflowed had weights of -inf after the step.
void note_unseen_overflow(const Scenario& scenario, Job& job) {
  const bool sums_first =
      model::is_on(model::Switch::gradients_are_summed_before_clipping, scenario.semantics);
  const std::optional<model::ScaledLoss>& scaled = job.optimizer.scaled_loss;
  if (sums_first || !scaled || !scaled->is_dynamic || job.input.replicas == 1) return;
  job.notes.push_back({scenario.place("training.optimizer"),
                       "the loss scale follows the gradients of the first replica alone, as in Keras 3: "
                       "where those of another "
                       "one overflow, the weights become infinite",
                       "take a smaller \"initial_scale\" of a LossScaleOptimizer, or mixed_bfloat16"});
}

// A TPU stores activations of float32 in 16 bits only where the scenario leaves the precision to the compiler. With
// "precision": "float32" it stores 32 bits, and under a mixed policy the types of the tensors say what it stores.
void keep_what_is_asked_for(const Scenario& scenario, Job& job) {
  const bool has_policy =
      model::computes_in(*job.model, Type::float16) || model::computes_in(*job.model, Type::bfloat16);
  if (!scenario.training.precision && !has_policy) return;
  const auto keep = [](device::LogicalDevice& device) {
    if (device.memory) device.memory->rounds_activations = false;
  };
  for (cluster::Replica& replica : job.machine.replicas) {
    keep(replica.device);
    std::ranges::for_each(replica.further, keep);
  }
}

// Closures of a coordinator update variables on servers, each by its own gradients.
void set_compression(const Scenario& scenario, Job& job) {
  const std::optional<Compression>& compression = scenario.training.gradient_compression;
  if (!compression) return;
  if (scenario.strategy->has_coordinator())
    throw InputError(Problem{scenario.place("training.gradient_compression"),
                             "workers of this strategy don't sum their gradients",
                             "leave it out, or choose a strategy whose replicas step together"});
  job.optimizer.compression = *compression == Compression::float16 ? Type::float16 : Type::bfloat16;
}

}  // namespace

void set_precision(const Scenario& scenario, Job& job) {
  set_policy(scenario, *job.model);
  keep_what_is_asked_for(scenario, job);
  if (scenario.training.is_inference()) return;
  scale_loss(scenario, job);
  note_unseen_overflow(scenario, job);
  set_compression(scenario, job);
}

}  // namespace wt::scenario
