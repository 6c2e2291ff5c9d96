#include "timing/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/id.h"
#include "base/narrow.h"
#include "base/rough.h"
#include "communication/constants.h"
#include "timing/pool_losses.h"
#include "timing/spread.h"
#include "timing/step_clock.h"

namespace wt::timing {

namespace {

// The FLOPs that MFU counts: those of products and convolutions, by the direct algorithm.
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

std::vector<platform::Endpoint> replicas_of(const cluster::Machine& machine) {
  std::vector<platform::Endpoint> replicas;
  for (const cluster::Replica& replica : machine.replicas)
    replicas.push_back(machine.endpoint(print(replica.device.name)));
  return replicas;
}

class StepSimulator {
 public:
  StepSimulator(const plan::Plan& plan, const cluster::Machine& machine, const SimulationOptions& options)
      : plan_(plan),
        machine_(machine),
        options_(options),
        where_(endpoints_of(plan, machine)),
        replicas_(replicas_of(machine)),
        clock_(*machine.platform, replicas_, options.known_collectives) {
    types_ = types_of(*machine.platform, where_);
    roofline_.fusion = options.fusion.value_or(plan::default_fusion(*types_.front()));
    roofline_.updates = options.updates;
    roofline_.images = options.images;
    roofline_.precision = options.precision.value_or(plan::default_precision(*types_.front()));
    roofline_.scale = options.scale.value_or(calibrated().kernels.value_or(1));
    if (!options.scale && !options.measured_step) roofline_.scaled_by = "your calibration";
    if (options.times != nullptr) profile_ = options.times->of(plan, types_, roofline_);
  }

  Simulation simulate() {
    if (options_.measured_step) {
      play();
      roofline_.scale = scale_to(*options_.measured_step);
      play();
      approach(*options_.measured_step);
    }
    set_pace();
    play();
    if (options_.pool && options_.pool->has_losses()) add_losses();
    if (!options_.pool && !options_.steps.one_is_enough()) {
      several_ = play_steps(plan_, costs_, machine_, end_, options_.copies, options_.steps);
      timeline_ = several_->last;
    }
    splits_ = several_ ? splits_of(*several_, machine_, options_.divided)
                       : splits_of(plan_, timeline_, machine_, options_.divided, software());
    return {timeline_, roofline_.scale, summary(), costs_, roofline_, overdue(), splits_, shown()};
  }

  PlayedPool played_pool() { return played(*options_.pool); }

  void set_pace() { pace_.assign(plan_.devices.size(), 1 / options_.compute); }

 private:
  StepTimeOptions time_options() const {
    return {.roofline = roofline_,
            .profile = profile_,
            .pace = pace_,
            .end = end(),
            .spread = spread(),
            .copies = options_.copies};
  }

  PlayedPool played(const PoolOptions& pool) {
    return play_pool(plan_, pool, machine_, clock_, time_options(), options_.steps.jitter,
                     options_.steps.seed);
  }

  // Beside the pool without losses, one with them.
  void add_losses() {
    PoolOptions pool = *options_.pool;
    pool.closures = pool.closures_with_losses;
    pool_->losses = losses_of(played(pool));
    pool_->losses->undisturbed = played(pool.without_losses()).timeline.end;
  }

  void play_closures() {
    const PlayedPool played = this->played(options_.pool->without_losses());
    costs_ = played.costs;
    costs_.nodes.resize(plan_.nodes.size());
    timeline_ = typical_closure(played);
    const PlayedPool alone = play_alone(plan_, *options_.pool, machine_, clock_, time_options());
    pool_ = summary_of(played, alone, *options_.pool);
  }

  void play() {
    if (options_.pool) return play_closures();
    StepTime step = clock_.time(plan_, where_, time_options());
    costs_ = std::move(step.costs);
    timeline_ = std::move(step.timeline);
    end_ = step.end;
    work_ = step.work;
    skew_ = step.skew;
  }

  // What the timeline shows.
  ShownStep shown() const {
    const bool is_gpu = types_.front()->kind == device::Kind::gpu;
    ShownStep shown{.end = timeline_.end, .software = splits_.front().software, .is_dispatched = !is_gpu};
    if (several_) {
      shown.end = several_->times.back();
      shown.rows_arrive = several_->rows_arrive;
      shown.text = fmt::format("step {} of {}", several_->times.size(), several_->times.size());
      if (several_->steady) shown.text += ", which the later ones repeat";
    }
    return shown;
  }

  std::optional<Overdue> overdue() const {
    if (!options_.timeout) return std::nullopt;
    return several_ ? first_overdue(*several_, *options_.timeout)
                    : first_overdue(plan_, timeline_, *options_.timeout);
  }

  bool is_synchronized() const {
    return types_.front()->kind == device::Kind::gpu && options_.is_brought_together &&
           machine_.replicas.size() > 1;
  }

  const platform::Calibration& calibrated() const {
    static const platform::Calibration none;
    return machine_.platform->calibration() ? *machine_.platform->calibration() : none;
  }

  platform::MeasuredSynchronization synchronization() const {
    const communication::Synchronization& usual = communication::constants().synchronization;
    return calibrated().synchronization.value_or(
        platform::MeasuredSynchronization{usual.spread, usual.process});
  }

  // TPU cores are synchronized by their program, which their host starts.
  plan::StepEnd end() const {
    plan::StepEnd end;
    if (types_.front()->kind != device::Kind::gpu) end.synchronization = options_.dispatch;
    if (is_synchronized()) end.synchronization = synchronization().process;
    if (!options_.software) return end;
    const Software software = software_of(plan_, *types_.front(), roofline_, *options_.software);
    end.launching = software.launching;
    end.software = software.between;
    return end;
  }

  // Where jitter is simulated, devices that differ are.
  double spread() const {
    if (!is_synchronized() || options_.steps.jitter > 0) return 0;
    return synchronization().spread * expected_largest(machine_.replicas.size());
  }

  // The part of the step in which the devices have nothing to do but to wait for the framework's software.
  Seconds software() const {
    return std::clamp(end_.software_after(work_), Seconds(0), timeline_.end - work_);
  }

  // The time during which the streams of the first device are busy; of the whole card if it is cut into devices.
  Seconds of_first_device(Seconds plan::Cost::*part) const {
    Seconds sum{};
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i)
      if (is_own(i)) sum += costs_.nodes[i].*part;
    return sum;
  }

  // Whether the node is a Run, a Sum or a copy within the first device, or within another one on the same card.
  bool is_own(std::size_t node) const {
    const plan::Action& action = plan_.nodes[node].action;
    if (const auto* run = std::get_if<plan::Run>(&action)) return is_on_first(run->device);
    if (const auto* sum = std::get_if<plan::Sum>(&action)) return is_on_first(sum->device);
    const auto* move = std::get_if<plan::Move>(&action);
    return move != nullptr && !is_between_devices(plan_, *move) &&
           is_on_first(plan_.buffer(move->target.buffer).device);
  }

  bool is_on_first(plan::DeviceId device) const {
    const bool shares =
        machine_.platform->is_device(where_.front()) && where_[index(device)] == where_.front();
    return device == plan::DeviceId{} || shares;
  }

  // The factor on compute times that makes the step take `measured`. Copies of rows keep the time of the
  // platform.
  double scale_to(Seconds measured) const {
    const Seconds compute = of_first_device(&plan::Cost::seconds);
    const Seconds before =
        options_.copies == plan::RowCopies::in_the_step ? timeline_.end - compute : Seconds(0);
    const auto require_more_than = [&](Seconds least, const std::string& what) {
      if (measured > least) return;
      throw InputError(
          Problem{options_.measured_at,
                  fmt::format("a step of {} is shorter than {}, {}", print(measured), what, print(least)),
                  "measure a whole step on one such device, with this model, batch and precision"});
    };
    require_more_than(std::max(before, end_of_copies()), "the copy of its rows alone");
    require_more_than(before + of_first_device(&plan::Cost::bound),
                      fmt::format("what {} needs at its peak rates", types_.front()->product));
    return (measured - before) / compute;
  }

  Seconds end_of_copies() const {
    Seconds end{};
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i)
      if (plan::is_copy_of_rows(plan_, plan_.nodes[i])) end = std::max(end, timeline_.nodes[i].end);
    return end;
  }

  // Where copies overlap with kernels, the time of the step is not linear in the scale. Newton's method is
  // used with the slope of the compute time, which the true slope never exceeds. The scale therefore
  // converges from below.
  void approach(Seconds measured) {
    constexpr int most = 30;
    const Seconds compute = of_first_device(&plan::Cost::seconds) / roofline_.scale;
    for (int i = 0; i < most; ++i) {
      const Seconds missing = measured - timeline_.end;
      if (std::abs(missing.count()) <= 1e-9 * measured.count()) return;
      roofline_.scale += missing / compute;
      play();
    }
  }

  // The number of replicas in the plan. A folded plan has those of one task.
  std::size_t replicas() const {
    return static_cast<std::size_t>(std::ranges::count_if(where_, [&](platform::Endpoint endpoint) {
      return std::ranges::find(replicas_, endpoint) != replicas_.end();
    }));
  }

  // The physical devices on which they compute: fewer than replicas if one is cut.
  std::size_t cards() const {
    const auto is_again = [&](std::size_t i) {
      return machine_.platform->is_device(replicas_[i]) &&
             std::find(replicas_.begin(), replicas_.begin() + static_cast<std::ptrdiff_t>(i), replicas_[i]) !=
                 replicas_.begin() + static_cast<std::ptrdiff_t>(i);
    };
    std::size_t again = 0;
    for (std::size_t i = 0; i < replicas_.size(); ++i) again += is_again(i) ? 1 : 0;
    return replicas() - replicas() * again / replicas_.size();
  }

  std::string_view transport() const {
    return pool_ ? communication::basis_of_grpc : clock_.transport(plan_);
  }

  std::string basis() const {
    if (pool_) return fmt::format("{}; {}; no measurement of this strategy", costs_.basis, transport());
    const std::string text = basis_of_replicas();
    return transport().empty() ? text : fmt::format("{}; {}", text, transport());
  }

  std::string basis_of_replicas() const {
    if (replicas() == replicas_.size()) return costs_.basis;
    if (several_ && several_->is_unfolded)
      return fmt::format("{}; all {} replicas, each collective begins with the last", costs_.basis,
                         replicas_.size());
    std::string text = fmt::format("{}; folded: 1 of {} tasks, each collective begins with the last replica",
                                   costs_.basis, replicas_.size() / replicas());
    if (skew_ > Seconds(0)) text += fmt::format(", {} after the first", rough(skew_));
    return text;
  }

  // That of most products: with mixed precision that of the halves.
  device::Precision precision() const { return plan::half_precision(plan_).value_or(roofline_.precision); }

  Simulated summary() const {
    const device::DeviceType& type = *types_.front();
    Simulated summary{.platform = machine_.platform->name(),
                      .device = type.product,
                      .precision = std::string(device::name(precision())),
                      .step = timeline_.end,
                      .bound = of_first_device(&plan::Cost::bound) / options_.compute,
                      .basis = basis(),
                      .transport = std::string(transport()),
                      .links = timeline_.links};
    const StepSplit& own = splits_.front();
    summary.compute = own.compute, summary.communication = own.communication, summary.exposed = own.exposed;
    summary.input = own.input, summary.software = own.software, summary.waiting = own.waiting;
    summary.copies = options_.copies, summary.has_encoded_rows = options_.has_encoded_rows;
    summary.pipeline = options_.pipeline;
    if (summary.pipeline) summary.pipeline->is_bound = summary.pipeline->batch >= summary.step * (1 - 1e-6);
    if (several_) summary.course = course();
    summary.pool = pool_;
    summary.samples_per_second = static_cast<double>(options_.rows) / summary.each_step().count();
    if (const auto peak = type.peak.find(precision()); peak != type.peak.end())
      summary.utilization = useful_work(plan_) / peak->second / summary.step / static_cast<double>(cards()) /
                            static_cast<double>(machine_.devices_of_each());
    return summary;
  }

  Course course() const {
    Course course{.played = std::ssize(several_->times), .first = several_->times.front()};
    if (several_->steady) course.steady_from = static_cast<std::int64_t>(several_->steady->from);
    course.jitter = options_.steps.jitter;
    std::vector<Seconds> summary(several_->times.begin() + static_cast<std::ptrdiff_t>(several_->from),
                                 several_->times.end());
    std::ranges::sort(summary);
    const auto at = [&](double share) {  // the percentile by the nearest-rank method
      return summary[static_cast<std::size_t>(std::ceil(share * static_cast<double>(summary.size()))) - 1];
    };
    course.median = at(0.5);
    course.p95 = at(0.95);
    return course;
  }

  const plan::Plan& plan_;
  const cluster::Machine& machine_;
  const SimulationOptions& options_;
  std::vector<platform::Endpoint> where_;
  std::vector<platform::Endpoint> replicas_;
  StepClock clock_;
  std::vector<const device::DeviceType*> types_{};
  Seconds skew_{};
  std::vector<double> pace_{};  // by device, the factor on its compute time
  plan::RooflineOptions roofline_{};
  const plan::Profile* profile_ = nullptr;
  plan::Costs costs_{};
  plan::Timeline timeline_{};
  plan::StepEnd end_{};
  Seconds work_{};  // until when devices and links work
  std::optional<SeveralSteps> several_{};
  std::optional<PoolTime> pool_{};
  std::vector<StepSplit> splits_{};
};

}  // namespace

std::vector<platform::Endpoint> endpoints_of(const plan::Plan& plan, const cluster::Machine& machine) {
  std::vector<platform::Endpoint> where;
  for (const plan::Device& device : plan.devices) where.push_back(machine.endpoint(device.name));
  return where;
}

PlayedPool simulate_closures(const plan::Plan& plan, const cluster::Machine& machine,
                             const SimulationOptions& options) {
  StepSimulator simulator(plan, machine, options);
  simulator.set_pace();
  return simulator.played_pool();
}

Seconds time_of_messages(const plan::Plan& plan, const cluster::Machine& machine) {
  StepClock clock(*machine.platform, replicas_of(machine));
  return clock.time(plan, endpoints_of(plan, machine), {}).timeline.end;
}

Simulation simulate_step(const plan::Plan& plan, const cluster::Machine& machine,
                         const SimulationOptions& options) {
  return StepSimulator(plan, machine, options).simulate();
}

}  // namespace wt::timing
