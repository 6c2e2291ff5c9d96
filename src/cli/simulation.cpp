#include "cli/simulation.h"

#include "simulate/simulate.h"

namespace wt {

namespace {

// What MFU counts: the operations of products and convolutions, as they are written down.
Flops useful_work(const plan::Plan& plan) {
  Flops sum{};
  for (const plan::Node& node : plan.nodes) {
    const auto* run = std::get_if<plan::Run>(&node.action);
    if (run == nullptr) continue;
    std::vector<TensorSpec> inputs, outputs;
    for (const plan::Operand& operand : run->inputs) inputs.push_back(operand.spec);
    for (const plan::Operand& operand : run->outputs) outputs.push_back(operand.spec);
    const Work work = run->kernel->work({inputs, outputs, run->attributes});
    if (!std::holds_alternative<std::monostate>(work.geometry)) sum += work.flops;
  }
  return sum;
}

Seconds sum_of(const plan::Costs& costs, Seconds plan::Cost::*part) {
  Seconds sum{};
  for (const plan::Cost& cost : costs.nodes) sum += cost.*part;
  return sum;
}

class StepSimulator {
 public:
  StepSimulator(const plan::Plan& plan, const scenario::Machine& machine, const SimulationOptions& options)
      : plan_(plan), machine_(machine), options_(options), where_(endpoints_of(plan, machine)) {
    for (const platform::Endpoint endpoint : where_) types_.push_back(&machine.platform->type(endpoint));
    roofline_.fusion = options.fusion.value_or(plan::default_fusion(*types_.front()));
    roofline_.precision = options.precision.value_or(plan::default_precision(*types_.front()));
  }

  Simulation simulate() {
    play();
    if (options_.measured_step) {
      roofline_.scale = scale_to(*options_.measured_step);
      play();
    }
    return {timeline_, told()};
  }

 private:
  void play() {
    costs_ = plan::roofline(plan_, types_, roofline_);
    timeline_ =
        simulate::simulate(plan_, costs_, *machine_.platform, where_, simulate::Server::of_this_process());
  }

  Seconds compute() const { return sum_of(costs_, &plan::Cost::seconds); }

  // The copies of rows are the platform's, not the measured program's.
  double scale_to(Seconds measured) const {
    const Seconds copies = timeline_.end - compute();
    if (measured <= copies)
      throw InputError(Problem{options_.measured_at,
                               fmt::format("a step of {} is shorter than the copy of its rows alone, {}",
                                           print(measured), print(copies)),
                               "measure a whole step on one such device, with this model and batch"});
    return (measured - copies) / compute();
  }

  report::Simulated told() const {
    const device::DeviceType& type = *types_.front();
    report::Simulated told{.platform = machine_.platform->name(),
                           .device = type.product,
                           .precision = std::string(device::name(roofline_.precision)),
                           .step = timeline_.end,
                           .compute = compute(),
                           .input = timeline_.end - compute(),
                           .bound = sum_of(costs_, &plan::Cost::bound),
                           .basis = costs_.basis,
                           .links = timeline_.links};
    told.samples_per_second = static_cast<double>(options_.rows) / told.step.count();
    if (const auto peak = type.peak.find(roofline_.precision); peak != type.peak.end())
      told.utilization = useful_work(plan_) / peak->second / told.step;
    return told;
  }

  const plan::Plan& plan_;
  const scenario::Machine& machine_;
  const SimulationOptions& options_;
  std::vector<platform::Endpoint> where_;
  std::vector<const device::DeviceType*> types_{};
  plan::RooflineOptions roofline_{};
  plan::Costs costs_{};
  plan::Timeline timeline_{};
};

}  // namespace

std::vector<platform::Endpoint> endpoints_of(const plan::Plan& plan, const scenario::Machine& machine) {
  std::vector<platform::Endpoint> where{machine.endpoint()};
  if (plan.devices.size() > 1) where.push_back(machine.platform->host_of(where.front()));
  return where;
}

Simulation simulate_step(const plan::Plan& plan, const scenario::Machine& machine,
                         const SimulationOptions& options) {
  return StepSimulator(plan, machine, options).simulate();
}

}  // namespace wt
