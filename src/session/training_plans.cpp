#include "session/training_plans.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/weights.h"
#include "scenario/resolved.h"
#include "session/largest_batch.h"
#include "session/rehearsal.h"

namespace wt::session {

namespace {

void add_shapes(std::vector<Tensor>& batch, const std::vector<TensorSpec>& row, std::int64_t rows) {
  for (const TensorSpec& spec : model::batched(row, rows)) batch.push_back(Tensor::shape_only(spec));
}

// The memory of the physical device that is left for this logical device, after the limits of the other
// logical devices on it. A single replica needs no buffers of a collective library.
std::optional<plan::Capacity> capacity_of(cluster::Machine& machine, const device::LogicalDevice& device) {
  if (!device.memory || device.physical.type == nullptr) return std::nullopt;
  plan::Capacity capacity{device.physical.type->memory, device.physical.type->reserve};
  if (machine.replicas.size() == 1) capacity.reserve.communication = Bytes(0);
  for (const device::LogicalDevice& other : machine.context.list_logical_devices())
    if (other.physical == device.physical && other.name.index != device.name.index && other.memory)
      capacity.memory -= other.memory->limit;
  return capacity;
}

// Rows of ids (integers along one axis) are sequences of tokens.
std::int64_t tokens_per_row(const std::vector<TensorSpec>& inputs) {
  for (const TensorSpec& input : inputs)
    if (!is_floating(input.type) && input.shape.rank() == 1) return input.shape[0];
  return 0;
}

}  // namespace

TrainingPlans::TrainingPlans(const scenario::Scenario& scenario, scenario::Job& job, const HostQueues& queues,
                             Shared* shared)
    : scenario_(scenario),
      job_(job),
      shared_(shared),
      lowering_(scenario_, job_.machine, known_times()),
      machine_(
          queues.resources([this](strategy::Steps steps) { return lowering_.lower(steps); }, job_.input)),
      state_(static_cast<std::uint64_t>(scenario.seed)),
      model_(job_.model, state_, machine_) {
  machine_.faithful = scenario_.faithful.value_or(false);
  if (!scenario_.strategy->has_coordinator()) machine_.variables = scenario_.strategy->variables();
  machine_.refusal_of_reduction = scenario_.strategy->refusal_of_reduction(job_.machine);
  model_.compile(compile_options(scenario_, job_));
}

// ---- Plans by rows

std::vector<Tensor> TrainingPlans::batch_of(std::int64_t rows) const {
  std::vector<Tensor> batch;
  add_shapes(batch, job_.inputs, rows);
  add_shapes(batch, job_.labels, rows);
  add_shapes(batch, job_.sample_weights, rows);
  return batch;
}

std::vector<std::int64_t> TrainingPlans::replica_rows(std::int64_t rows) const {
  if (job_.input.replicas == 1) return {rows};
  const data::Dataset batch = data::Dataset::from_tensors(batch_of(rows));
  const auto pieces = data::DistributedDataset(batch, data::of_one_batch(job_.input)).iterate().next();
  std::vector<std::int64_t> own_rows;
  for (const data::Element& own : *pieces) own_rows.push_back(own.front().shape()[0]);
  return own_rows;
}

std::shared_ptr<const plan::Plan> TrainingPlans::plan_of(train::Model& model, std::int64_t rows,
                                                         Turn turn) const {
  const std::vector<Tensor> batch = batch_of(rows);
  if (scenario_.training.is_inference()) return model.shared_prediction_plan(batch);
  return turn == Turn::updates ? model.shared_training_plan(batch) : model.shared_accumulation_plan(batch);
}

const plan::Plan& TrainingPlans::of(std::int64_t rows, Turn turn) {
  const auto make = [&] { return plan_of(model_, rows, turn); };
  if (shared_ == nullptr) return *make();
  return *known(turn == Turn::updates ? "all" : "all, accumulating", rows, make).plan;
}

const Step& TrainingPlans::step_of_replica(std::size_t replica) {
  const std::vector<Tensor> batch = batch_of(job_.global_batch);
  return scenario_.training.is_inference() ? model_.prediction_step(batch, replica)
                                           : model_.training_step(batch, replica);
}

const Step& TrainingPlans::step() { return step_of_replica(0); }

// Traced by a model of its own: a step of one of several replicas has a few more small kernels, for its share
// of the loss.
std::shared_ptr<const plan::Plan> TrainingPlans::alone(std::int64_t rows, Turn turn) {
  const auto make = [&] { return lowered_alone(rows, turn); };
  if (shared_ == nullptr) return make();
  return known(turn == Turn::updates ? "alone" : "alone, accumulating", rows, make).plan;
}

std::shared_ptr<const plan::Plan> TrainingPlans::lowered_alone(std::int64_t rows, Turn turn) {
  data::Distribution input = job_.input;
  input.replicas = input.workers = 1;
  train::Resources machine{[this](strategy::Steps steps) { return lowering_.lower_alone(*steps.front()); },
                           machine_.queues, input};
  train::CompileOptions options = compile_options(scenario_, job_);
  options.global_batch = rows;
  train::Model model(job_.model, state_, machine);
  model.compile(options);
  return plan_of(model, rows, turn);
}

// ---- Plans of other trainings

// What a plan depends on beside the number of rows and the library's choices: the scenario without its platform, of
// which the lowering sees the devices alone.
std::string TrainingPlans::identity() {
  scenario::Scenario same = scenario_;
  same.platform.written.reset();
  std::string text = scenario::resolved(same, "/");
  cluster::Machine& machine = job_.machine;
  if (machine.platform) text += fmt::format("{} {}", machine.platform->name(), machine.platform->machines());
  const auto add = [&](const device::LogicalDevice& device) {
    const device::DeviceType* type = device.physical.type.get();
    text += fmt::format(" {} on {} of {} with {} of {}", print(device.name), device.physical.slot,
                        type != nullptr ? type->id : "", device.memory ? device.memory->limit : Bytes{},
                        type != nullptr ? type->memory : Bytes{});
  };
  for (const device::LogicalDevice& device : machine.context.list_logical_devices()) add(device);
  for (const cluster::Replica& replica : machine.replicas) {
    text += fmt::format("\n{}", replica.task);
    if (machine.platform) {
      const platform::Endpoint endpoint = machine.endpoint(print(replica.device.name));
      text += fmt::format(" of {}", machine.platform->group_of(machine.platform->machine_of(endpoint)));
    }
    for (const device::LogicalDevice& device : replica.devices()) add(device);
  }
  return text;
}

std::string TrainingPlans::key(std::string_view kind, std::int64_t rows) {
  if (identity_.empty()) identity_ = identity();
  return fmt::format("{} {} {}", kind, rows, identity_);
}

// Of this training or of another one, and kept as long as this object lives.
KnownPlans::Known& TrainingPlans::known(std::string_view kind, std::int64_t rows, const Make& make) {
  const std::string what = key(kind, rows);
  std::shared_ptr<KnownPlans::Known>& used = used_[what];
  if (!used)
    used = shared_->plans.find(what, [this](const std::string& algorithm, Bytes bytes) {
      return lowering_.choose(algorithm, bytes);
    });
  if (!used) {
    lowering_.take_asked();
    std::shared_ptr<const plan::Plan> plan = make();
    used = shared_->plans.keep(what, lowering_.take_asked(), std::move(plan));
  }
  return *used;
}

// ---- Memory

std::vector<std::optional<plan::Capacity>> TrainingPlans::capacities(const plan::Plan& plan) {
  std::vector<std::optional<plan::Capacity>> capacities(plan.devices.size());
  for (const cluster::Replica& replica : job_.machine.replicas)
    for (const device::LogicalDevice& device : replica.devices())
      for (std::size_t i = 0; i < plan.devices.size(); ++i)
        if (plan.devices[i].name == print(device.name)) capacities[i] = capacity_of(job_.machine, device);
  return capacities;
}

plan::MemoryReport TrainingPlans::memory() {
  const plan::Plan& plan = whole();
  if (shared_ == nullptr) return report_memory(plan, capacities(plan));
  std::optional<plan::MemoryReport>& report = used_.find(key("all", job_.global_batch))->second->memory;
  if (!report) report = report_memory(plan, capacities(plan));
  return *report;
}

// One more row in the batch gives a replica one more row. Batches that divide evenly are searched alone,
// because replicas that are alike are lowered once.
std::optional<std::int64_t> TrainingPlans::largest_batch_that_fits() {
  if (!job_.machine.device().memory) return std::nullopt;
  const std::int64_t replicas = job_.input.replicas;
  const std::int64_t most = std::max<std::int64_t>(1, (1 << 24) / replicas);  // rows of a replica
  const auto rows = largest_batch([&](std::int64_t each) { return memory_of(each * replicas); },
                                  job_.machine.device().memory->limit, most);
  return rows ? std::optional(*rows * replicas) : std::nullopt;
}

// Of the device that needs the most; unset if a step with this number of rows doesn't fit.
std::optional<Bytes> TrainingPlans::memory_of(std::int64_t rows) {
  train::Resources machine = machine_;
  machine.lower = [this](strategy::Steps steps) { return lowering_.lower_for_memory(steps); };
  train::Model model(job_.model, state_, machine);  // Its plan is freed after the test.
  model.compile(compile_options(scenario_, job_));
  const std::shared_ptr<const plan::Plan> plan = plan_of(model, rows, Turn::updates);
  if (plan->out_of_memory) return std::nullopt;
  Bytes most;
  for (const plan::Device& device : plan->devices) most = std::max(most, plan::needed(device));
  return most;
}

// ---- Summaries

std::vector<strategy::ReplicaPlacement> TrainingPlans::placements() {
  const bool is_one_process = scenario_.strategy->processes() != strategy::Processes::per_worker;
  std::vector<strategy::ReplicaPlacement> placed;
  for (std::size_t i = 0; i < job_.machine.replicas.size(); ++i)
    if (is_one_process || job_.machine.replicas[i].task == job_.machine.replicas.front().task)
      placed.push_back(strategy::place_replica(step_of_replica(i), i, *scenario_.strategy, job_.machine,
                                               scenario_.devices.soft_placement));
  return placed;
}

Bytes TrainingPlans::gradients() const {
  return Bytes(model::count_parameters(job_.weights).trainable * bytes_per_element(Type::float32));
}

std::optional<GatheredRows> TrainingPlans::gathered_rows() {
  GatheredRows rows{.tables = strategy::gathered_tables(step())};
  for (const strategy::GatheredTable& table : rows.tables) rows.each += table.rows;
  if (rows.tables.empty()) return std::nullopt;
  const std::optional<Seconds> time = lowering_.time_of_gathering(rows.each);
  if (!time) return std::nullopt;
  rows.time = *time;
  return rows;
}

std::string TrainingPlans::alternative_reduction() { return lowering_.alternative(gradients()); }

session::Planned TrainingPlans::planned() {
  const model::ParameterCount parameters = model::count_parameters(job_.weights);
  const std::int64_t per_epoch = scenario::steps_per_epoch(scenario_, job_);
  return {.model = job_.model->name(),
          .trainable_parameters = parameters.trainable,
          .other_parameters = parameters.not_trainable,
          .replicas = job_.machine.all_replicas(),
          .devices_of_each = job_.machine.devices_of_each(),
          .workers = job_.machine.pool ? std::ssize(job_.machine.pool->workers) : job_.input.workers,
          .replica_rows = replica_rows(job_.global_batch),
          .reduction = scenario_.training.is_inference() ? std::nullopt : reduction(),
          .global_batch = job_.global_batch,
          .tokens_per_row = tokens_per_row(job_.inputs),
          .epochs = scenario::epochs_of(scenario_),
          .steps = scenario::steps_of(scenario_, job_),
          .memory = memory(),
          .is_inference = scenario_.training.is_inference(),
          .steps_per_epoch = per_epoch >= 0 ? std::optional(per_epoch) : std::nullopt};
}

}  // namespace wt::session
