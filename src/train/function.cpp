#include "train/function.h"

#include <fmt/format.h>

#include "device/error.h"
#include "plan/memory_report.h"

namespace wt::train {

namespace {

std::string argument(std::size_t i) { return fmt::format("argument {}", i); }
std::string result(std::size_t i) { return fmt::format("result {}", i); }

}  // namespace

Function::Function(std::string name, State& state, Machine& machine, Mode mode, Body body)
    : name_(std::move(name)), state_(state), machine_(machine), mode_(mode), body_(std::move(body)) {}

Function::~Function() {
  for (const Traced& traced : traced_)
    if (traced.execution) state_.take_back_from(*traced.execution);
}

std::vector<Tensor> Function::operator()(const std::vector<Tensor>& arguments) {
  Traced& traced = traced_for(arguments);
  if (traced.plan.out_of_memory)
    throw device::ResourceExhaustedError(plan::report_memory(traced.plan).shortage->message);
  if (!traced.execution) {
    state_.add(traced.weights);
    traced.execution = std::make_unique<execute::Execution>(traced.plan, machine_.queue);
  }
  state_.lend_to(*traced.execution, traced.plan);
  for (std::size_t i = 0; i < arguments.size(); ++i) traced.execution->write(argument(i), arguments[i]);
  traced.execution->step();
  std::vector<Tensor> results;
  for (const plan::Port& port : traced.plan.results) results.push_back(traced.execution->read(port.name));
  return results;
}

const plan::Plan& Function::plan_for(const std::vector<Tensor>& arguments) {
  return traced_for(arguments).plan;
}

const Step& Function::step_for(const std::vector<Tensor>& arguments) { return traced_for(arguments).step; }

void Function::create_variables(const std::vector<Tensor>& arguments) {
  state_.add(traced_for(arguments).weights);
}

Function::Traced& Function::traced_for(const std::vector<Tensor>& arguments) {
  std::vector<TensorSpec> specs;
  for (const Tensor& tensor : arguments) specs.push_back(tensor.spec());
  for (Traced& traced : traced_)
    if (traced.specs == specs) return traced;
  return traced_.emplace_back(trace_for(std::move(specs)));
}

Function::Traced Function::trace_for(std::vector<TensorSpec> specs) const {
  Traced traced{.specs = std::move(specs)};
  traced.step = trace(name_, [&](Trace& trace) {
    model::Building building(trace, mode_ == Mode::training);
    std::vector<Symbol> arguments;
    for (const TensorSpec& spec : traced.specs)
      arguments.push_back(trace.input(argument(arguments.size()), spec));
    const std::vector<Symbol> results = body_(building, arguments);
    for (std::size_t i = 0; i < results.size(); ++i) trace.result(result(i), results[i]);
    traced.weights = building.weights();
  });
  traced.plan = machine_.lower(traced.step);
  return traced;
}

}  // namespace wt::train
