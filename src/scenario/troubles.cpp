#include "scenario/troubles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/rough.h"

namespace wt::scenario {

namespace {

// TensorFlow issues 41657 and 34358: the mean of no rows is not a number, and BatchNormalization then has no statistics.
void note_replicas_without_rows(const Scenario& scenario, Job& job) {
  if (job.machine.pool) return;  // Workers that don't wait for each other have batches of their own.
  const std::int64_t replicas = job.input.replicas;
  for (const std::int64_t rows : job.step_rows) {
    if (rows <= 0 || rows >= replicas) continue;
    job.notes.push_back(
        {scenario.place("dataset"),
         fmt::format(
             "the last step of an epoch has {} for {}, of which {} none: what averages over a replica's rows "
             "is not a number there, such as a mean loss or the statistics of BatchNormalization",
             counted(rows, "row"), counted(replicas, "replica"),
             replicas - rows == 1 ? "1 gets" : fmt::format("{} get", replicas - rows)),
         R"("drop_remainder": true leaves that step out)"});
  }
}

// TensorFlow issues 33651 and 45923: compute_average_loss divides by the batch alone.
void note_losses_of_elements(const Scenario& scenario, const std::vector<TensorSpec>& outputs, Job& job) {
  if (scenario.training.loop != Loop::custom || outputs.size() != 1 || job.loss.each.size() != 1) return;
  const Shape& shape = outputs.front().shape;
  if (job.loss.each.front().options.reduction != model::LossReduction::none || shape.rank() < 3) return;
  const std::int64_t elements = shape.elements(1, shape.rank() - 1);
  if (elements < 2) return;
  job.notes.push_back(
      {scenario.place("training.loss"),
       fmt::format("each row has {} losses, which a custom loop adds up and divides by the batch alone: the "
                   "loss and its "
                   "gradients are {} times those of fit",
                   elements, elements),
       fmt::format(R"(take "loop": "fit", or a learning rate that is {} times smaller)", elements)});
}

// TensorFlow issue 31410: the allocator takes the memory of each GPU that the process sees.
void note_unused_gpus(const Scenario& scenario, Job& job) {
  const std::string_view key = scenario.places.contains("strategy.devices")  ? "strategy.devices"
                               : scenario.places.contains("strategy.device") ? "strategy.device"
                                                                             : "";
  const bool is_limited = scenario.devices.memory_growth || !scenario.devices.logical.empty();
  if (key.empty() || is_limited) return;
  const auto is_used = [&](const device::LogicalDevice& gpu) {
    return std::ranges::any_of(job.machine.replicas, [&](const cluster::Replica& replica) {
      return replica.device.name == gpu.name;
    });
  };
  std::vector<std::string> used, unused;
  device::Context context = job.machine.context;
  for (const device::LogicalDevice& gpu : context.list_logical_devices(device::Kind::gpu))
    (is_used(gpu) ? used : unused).push_back(fmt::format("GPU:{}", gpu.name.index.value_or(0)));
  if (used.empty() || unused.empty()) return;
  job.notes.push_back(
      {scenario.place(key),
       fmt::format("{} {} visible and not used: TensorFlow takes the memory of each GPU that a process sees",
                   fmt::join(unused, ", "), unused.size() == 1 ? "is" : "are"),
       fmt::format(
           R"("devices": {{"visible": ["{}"]}} hides the others, and numbers those that are left from 0)",
           fmt::join(used, "\", \""))});
}

// TensorFlow issues 33929, 35333 and 36001. Losses are scaled for the sum, so that the gradients of one replica are N times
// smaller than those of the step, and what is clipped before the sum may be N times as long after it.
void note_clipping(const Scenario& scenario, Job& job) {
  const bool is_clipped = job.optimizer.clipnorm || job.optimizer.global_clipnorm || job.optimizer.clipvalue;
  if (!is_clipped || job.input.replicas == 1 ||
      model::is_on(model::Switch::gradients_are_summed_before_clipping, scenario.semantics))
    return;
  job.notes.push_back(
      {scenario.place("training.optimizer"),
       fmt::format(
           "each of {} replicas clips its own gradients before they are added, as {} does: the sum may be {} "
           "times as long as the limit, and a step differs from that of one device",
           job.input.replicas, model::name(scenario.semantics), job.input.replicas),
       R"("semantics": "keras2" clips after the sum; or divide the limit by the number of replicas)"});
}

}  // namespace

void note_troubles(const Scenario& scenario, const std::vector<TensorSpec>& outputs, Job& job) {
  note_replicas_without_rows(scenario, job);
  note_losses_of_elements(scenario, outputs, job);
  note_unused_gpus(scenario, job);
  note_clipping(scenario, job);
}

}  // namespace wt::scenario
