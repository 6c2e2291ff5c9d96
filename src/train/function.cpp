#include "train/function.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"
#include "device/error.h"
#include "plan/memory_report.h"
#include "train/distributed/contexts.h"

namespace wt::train {

namespace {

std::string argument(std::size_t i) { return fmt::format("argument {}", i); }
std::string result(std::size_t i) { return fmt::format("result {}", i); }

bool is_for_all(const PerReplica& some, const PerReplica& others, const auto& is_like) {
  return std::ranges::equal(some, others,
                            [&](const std::vector<Tensor>& own, const std::vector<Tensor>& other) {
                              return std::ranges::equal(own, other, is_like);
                            });
}

bool are_of_one_kind(const PerReplica& some, const PerReplica& others) {
  return is_for_all(some, others, [](const Tensor& a, const Tensor& b) { return a.spec() == b.spec(); });
}

// Compares the addresses of the tensors' memory, not their numbers.
bool are_the_same(const PerReplica& some, const PerReplica& others) {
  return is_for_all(some, others,
                    [](const Tensor& a, const Tensor& b) { return a.bytes().data() == b.bytes().data(); });
}

// Replicas meet in collectives, where the others would wait for one without input.
void require_input_of_each(const std::string& function, const PerReplica& arguments) {
  for (std::size_t replica = 1; replica < arguments.size(); ++replica) {
    const auto first = std::ssize(arguments[0]), own = std::ssize(arguments[replica]);
    if (first == own) continue;
    throw InputError(
        fmt::format(
            "[{}] replica 0 is given {} and replica {} {}: the one with more would wait for the other for "
            "ever",
            function, counted(first, "tensor"), replica, counted(own, "tensor")),
        "give a replica without input tensors with 0 rows");
  }
}

}  // namespace

Function::Function(std::string name, State& state, Resources& machine, Mode mode, Body body,
                   model::Semantics semantics, bool fetches)
    : name_(std::move(name)),
      state_(state),
      machine_(machine),
      mode_(mode),
      body_(std::move(body)),
      semantics_(semantics),
      fetches_(fetches) {}

Function::~Function() {
  for (const Planned& planned : planned_)
    if (planned.execution) state_.take_back_from(*planned.execution);
}

std::optional<Fault> Function::fault_of(const PerReplica& arguments, bool is_built) {
  const Traced& traced = traced_for(arguments.front());
  if (auto fault = fault_of_layer(traced.assigning_layer, machine_, semantics_)) return fault;
  if (mode_ == Mode::inference) return std::nullopt;
  if (!is_built)
    if (auto fault = fault_of_unbuilt_optimizer(traced.weights, state_, machine_, semantics_)) return fault;
  return fault_of_reduction(machine_);
}

void Function::require_no_fault(const PerReplica& arguments) {
  if (!machine_.faithful) return;
  if (const auto fault = fault_of(arguments)) fault->raise();
}

PerReplica Function::run(const PerReplica& arguments, const Next& next) {
  if (std::ranges::none_of(planned_, [](const Planned& one) { return one.execution != nullptr; }))
    require_no_fault(arguments);
  Planned& planned = planned_for(arguments);
  if (planned.plan->out_of_memory)
    throw device::ResourceExhaustedError(plan::report_memory(*planned.plan).shortage->message);
  if (!planned.execution) {
    create_variables(arguments);
    state_.take_back();
    if (machine_.seat) planned.seated = machine_.seat(*planned.plan);
    planned.execution = std::make_unique<execute::Execution>(planned.seated ? *planned.seated : *planned.plan,
                                                             machine_.queues);
  }
  execute::Execution& execution = *planned.execution;
  state_.lend_to(execution, *planned.plan);
  if (!execution.has_inputs_ahead() || !are_the_same(planned.sent, arguments)) send(planned, arguments);
  execution.step();
  if (next && execution.takes_inputs_ahead())
    if (const PerReplica* ahead = next(); ahead != nullptr && are_of_one_kind(*ahead, arguments))
      send(planned, *ahead);
  PerReplica results(arguments.size());
  for (std::size_t replica = 0; replica < arguments.size(); ++replica)
    for (const NamedValue& result : planned.steps[replica]->results)
      results[replica].push_back(execution.read(strategy::port_name(result.name, replica)));
  return results;
}

void Function::send(Planned& planned, const PerReplica& arguments) {
  for (std::size_t replica = 0; replica < arguments.size(); ++replica)
    for (std::size_t i = 0; i < arguments[replica].size(); ++i)
      planned.execution->write(strategy::port_name(argument(i), replica), arguments[replica][i]);
  if (planned.execution->takes_inputs_ahead()) planned.sent = arguments;
}

std::vector<Tensor> Function::operator()(const std::vector<Tensor>& arguments) {
  return run(PerReplica(machine_.replicas(), arguments)).front();
}

std::shared_ptr<const plan::Plan> Function::plan_for(const PerReplica& arguments) {
  return planned_for(arguments).plan;
}

const Step& Function::step_for(const PerReplica& arguments, std::size_t replica) {
  return traced_for(arguments.at(replica)).step;
}

void Function::create_variables(const PerReplica& arguments) {
  state_.add(traced_for(arguments.front()).weights);
}

Function::Planned& Function::planned_for(const PerReplica& arguments) {
  WT_EXPECT(arguments.size() == machine_.replicas(), "arguments are given for {} replicas, and there are {}",
            arguments.size(), machine_.replicas());
  require_input_of_each(name_, arguments);
  std::vector<const Step*> steps;
  for (const std::vector<Tensor>& own : arguments) steps.push_back(&traced_for(own).step);
  for (Planned& planned : planned_)
    if (planned.steps == steps) return planned;
  Planned planned{.steps = std::move(steps)};
  planned.plan = std::make_shared<const plan::Plan>(machine_.lower(planned.steps));
  return planned_.emplace_back(std::move(planned));
}

const Function::Traced& Function::traced_for(const std::vector<Tensor>& arguments) {
  std::vector<TensorSpec> specs;
  for (const Tensor& tensor : arguments) specs.push_back(tensor.spec());
  for (const Traced& traced : traced_)
    if (traced.specs == specs) return traced;
  return traced_.emplace_back(trace_for(std::move(specs)));
}

Function::Traced Function::trace_for(std::vector<TensorSpec> specs) const {
  Traced traced{.specs = std::move(specs)};
  const InsideFunction inside;
  traced.step = trace(name_, [&](Trace& trace) {
    model::Building building(trace, mode_ == Mode::training, semantics_,
                             machine_.faithful ? replication_of(machine_, semantics_) : model::Replication{});
    std::vector<Symbol> arguments;
    for (const TensorSpec& spec : traced.specs)
      arguments.push_back(trace.input(argument(arguments.size()), spec));
    const std::vector<Symbol> results = body_(building, arguments);
    for (std::size_t i = 0; i < results.size(); ++i) trace.result(result(i), results[i]);
    traced.weights = building.weights();
    traced.assigning_layer = building.assigning_layer();
  });
  traced.step.fetches_results = fetches_;
  return traced;
}

}  // namespace wt::train
