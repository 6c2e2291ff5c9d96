#include "distribute/described.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "device/cpu/workers.h"
#include "device/error.h"
#include "plan/memory_report.h"
#include "scenario/parse.h"
#include "session/first_values.h"
#include "session/step_options.h"
#include "timing/simulation.h"

namespace wt::distribute {

namespace {

// The program's step takes the place of the model, the data and the loop, which a scenario has to name.
std::string scenario_text(const Described& described, std::string_view numerics) {
  const bool is_name = described.platform.find('{') == std::string::npos;
  const std::string platform = is_name ? json::quote(described.platform) : described.platform;
  const auto object = [](std::string_view key, const std::string& text) {
    return text.empty() ? std::string() : fmt::format("\"{}\": {},\n  ", key, text);
  };
  return fmt::format(R"({{
  "name": "a program",
  "platform": {},
  "strategy": {},
  {}{}"model": "linear",
  "dataset": {{"type": "synthetic", "rows": 64, "repeat": -1}},
  "training": {{"loop": "custom", "loss": "mse", "optimizer": "sgd", "per_replica_batch": 1, "steps": 1}},
  "numerics": "{}"
}})",
                     platform, described.strategy, object("devices", described.devices),
                     object("cluster", described.cluster), numerics);
}

// The places of problems are in a text that the user never sees.
template <class Call>
auto without_places(const Call& call) {
  try {
    return call();
  } catch (const InputError& error) {
    Problems problems;
    for (Problem problem : error.problems()) {
      problem.place = {};
      problems.add(problem);
    }
    problems.throw_if_any();
    throw;
  }
}

scenario::Scenario parsed(const Described& described, std::string_view numerics) {
  return without_places([&] { return scenario::parse(scenario_text(described, numerics), "the program"); });
}

std::int64_t rows_of(const train::PerReplica& arguments) {
  std::int64_t rows = 0;
  for (const std::vector<Tensor>& own : arguments)
    rows += own.empty() || own.front().shape().rank() == 0 ? 1 : own.front().shape()[0];
  return rows;
}

constexpr std::int64_t without_end = std::int64_t{1} << 40;  // closures

}  // namespace

std::string machines_of(const std::string& platform, std::int64_t count) {
  if (platform.find('{') != std::string::npos) return platform;
  return fmt::format(R"({{"file": {}, "set": {{"machines": {}}}}})", json::quote(platform), count);
}

internal::Parts::Parts(const Described& described)
    : computed_(parsed(described, "cpu")),
      timed_(parsed(described, "none")),
      machine_(without_places([&] { return scenario::build_machine(computed_); })),
      workers_(std::make_unique<device::Workers>(device::hardware_threads())),
      queue_(std::make_unique<device::CpuQueue>(*workers_)),
      lowering_(computed_, machine_),
      timed_lowering_(timed_, machine_) {
  if (described.check) described.check(machine_);
}

internal::Parts::~Parts() = default;

data::Distribution internal::Parts::input() const {
  return {.replicas = std::ssize(machine_.replicas),
          .workers = machine_.tasks,
          .goes_on_with_empty_replicas = computed_.strategy->goes_on_with_empty_replicas()};
}

timing::Simulated internal::Parts::simulated(train::Function& step, const train::PerReplica& arguments,
                                             Execution execution, const Schedule& schedule) const {
  std::vector<const Step*> steps;
  for (std::size_t i = 0; i < arguments.size(); ++i) steps.push_back(&step.step_for(arguments, i));
  return simulated(steps, rows_of(arguments), scenario::Loop::custom, execution, schedule);
}

timing::Simulated internal::Parts::simulated(train::Model& model, const std::vector<Tensor>& batch,
                                             const Schedule& schedule) const {
  std::vector<const Step*> steps;
  for (std::size_t i = 0; i < machine_.replicas.size(); ++i) steps.push_back(&model.training_step(batch, i));
  return simulated(steps, rows_of({batch}), scenario::Loop::fit, Execution::function, schedule);
}

timing::Simulated internal::Parts::simulated(std::vector<train::StepRecorder>& recorded,
                                             const Schedule& schedule) const {
  std::vector<Step> steps;
  for (train::StepRecorder& recorder : recorded) steps.push_back(std::move(recorder).finish());
  std::vector<const Step*> each;
  for (const Step& step : steps) each.push_back(&step);
  const auto execution = train::functions_here() > 0 ? Execution::function : Execution::eager;
  return simulated(each, std::ssize(steps), scenario::Loop::custom, execution, schedule);
}

Seconds internal::Parts::first_values(const train::State& state) const {
  std::vector<TensorSpec> variables;
  for (const model::Weight& weight : state.weights()) variables.push_back(weight.spec);
  return session::time_of_first_values(timed_, machine_, variables).value_or(Seconds(0));
}

timing::Simulated internal::Parts::simulated(strategy::Steps steps, std::int64_t rows, scenario::Loop loop,
                                             Execution execution, const Schedule& schedule) const {
  const plan::Plan plan = timed_lowering_.lower(steps);
  if (const auto shortage = plan::report_memory(plan).shortage)
    throw device::ResourceExhaustedError(shortage->message);
  scenario::Scenario run = timed_;
  run.training.loop = loop;
  run.training.run_eagerly = execution == Execution::eager;
  if (schedule.join_every > 0) run.training.join_every = schedule.join_every;
  timing::SimulationOptions options;
  options.rows = rows;
  options.copies = session::copies_of(run);
  options.updates = session::updates_of(run);
  options.software = session::software_of(run, machine_);
  options.is_brought_together = run.strategy->meets_in_collectives();
  options.pool = session::pool_of(run, machine_, plan, schedule.closures.value_or(without_end));
  options.known_collectives = &known_;
  return timing::simulate_step(plan, machine_, options).summary;
}

}  // namespace wt::distribute
