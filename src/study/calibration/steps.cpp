#include "study/calibration/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/rough.h"
#include "scenario/parse.h"
#include "scenario/variant.h"
#include "study/forecast.h"

namespace wt::study {

namespace {

using platform::Calibration, platform::MeasuredSynchronization;

// A measured step, and the scenario with as many replicas.
struct Asked {
  MeasuredStepOf measured{};
  scenario::Scenario scenario{};

  Seconds predicted(const Calibration& calibration) const { return simulated(calibration).each_step(); }

  timing::Simulated simulated(const Calibration& calibration) const {
    const session::Forecast found = forecast(scenario, {.calibration = calibration});
    if (found.simulated) return *found.simulated;
    throw InputError(fmt::format("a step with {} does not fit into the described memory",
                                 counted(measured.replicas, "replica")),
                     "describe the machine that was measured");
  }
};

class Search {
 public:
  explicit Search(std::vector<Asked> asked) : asked_(std::move(asked)) {
    const cluster::Machine machine = scenario::build_machine(asked_.front().scenario);
    const platform::Calibration* own = machine.platform->calibration();
    if (own != nullptr) fit_.calibration = *own;
    fit_.calibration.kernels.reset();
    fit_.calibration.synchronization.reset();
  }

  StepFit find() {
    for (const Asked& asked : asked_) {
      const timing::Simulated predicted = asked.simulated(fit_.calibration);
      require_possible(asked.measured, predicted);
      fit_.steps.push_back({asked.measured, predicted.each_step()});
    }
    // What is lost by meeting is a share of the kernels' time, and the step with the fewest replicas may have both.
    const bool first_meets = asked_.front().measured.replicas > 1 && asked_.size() > 1;
    for (int round = 0; round < (first_meets ? 4 : 1); ++round) {
      fit_.calibration.kernels = kernels();
      fit_.calibration.synchronization = synchronization();
    }
    if (first_meets) fit_.calibration.kernels = kernels();
    for (std::size_t i = 0; i < asked_.size(); ++i)
      fit_.steps[i].after = asked_[i].predicted(fit_.calibration);
    return std::move(fit_);
  }

 private:
  static void require_possible(const MeasuredStepOf& measured, const timing::Simulated& predicted) {
    if (measured.time > predicted.bound) return;
    throw InputError(
        fmt::format("a step with {} of {} is shorter than what its device needs at its peak rates, {}",
                    counted(measured.replicas, "replica"), rough(measured.time), rough(predicted.bound)),
        "measure whole steps, with this model, batch and precision");
  }

  // The time of a step grows with the times of its kernels, linearly as long as they determine it.
  double kernels() {
    const Asked& first = asked_.front();
    const double measured = first.measured.time.count();
    const auto step_with = [&](double factor) {
      fit_.calibration.kernels = factor;
      return first.predicted(fit_.calibration).count();
    };
    constexpr double smallest = 0.02;
    double low = smallest, below = step_with(low);
    if (below > measured)
      throw InputError(
          fmt::format("a step with {} takes {} even if its kernels take next to nothing, and {} was measured",
                      counted(first.measured.replicas, "replica"), rough(Seconds(below)),
                      rough(first.measured.time)),
          "describe what the measured program does: its loop (training.loop), its rows (input), its software "
          "(time.software)");
    double high = 1, above = step_with(high);
    while (above < measured) low = high, below = above, above = step_with(high *= 2);
    constexpr double near = 1e-4;
    for (int round = 0; round < 40 && high - low > near * low; ++round) {
      const double share = above > below ? (measured - below) / (above - below) : 0.5;
      const double middle = low + (high - low) * std::clamp(share, 0.05, 0.95);
      const double time = step_with(middle);
      if (std::abs(time / measured - 1) < near) return middle;
      (time < measured ? low : high) = middle;
      (time < measured ? below : above) = time;
    }
    return (low + high) / 2;
  }

  // What a step loses for each second of `process`, and for a `spread` of 1, relative to the measured step; and
  // what it lacks of the measured one without either.
  struct Loss {
    double process = 0;
    double spread = 0;
    double missing = 0;
  };

  Loss loss_of(const Asked& asked) {
    constexpr MeasuredSynchronization none{}, process{0, Seconds(1e-3)}, spread{0.01, Seconds(0)};
    const auto with = [&](const MeasuredSynchronization& synchronization) {
      fit_.calibration.synchronization = synchronization;
      return asked.predicted(fit_.calibration).count() / asked.measured.time.count();
    };
    const double without = with(none);
    return {(with(process) - without) / process.process.count(), (with(spread) - without) / spread.spread,
            1 - without};
  }

  // The least squares of relative errors, of numbers that can't be negative. A single step says nothing about how
  // the loss grows, so the devices' spread takes all of it.
  // Unset if nothing is known about it, or devices of this kind don't wait for each other.
  std::optional<MeasuredSynchronization> synchronization() {
    double pp = 0, ps = 0, ss = 0, pm = 0, sm = 0;
    for (std::size_t i = 1; i < asked_.size(); ++i) {
      const Loss loss = loss_of(asked_[i]);
      pp += loss.process * loss.process, ps += loss.process * loss.spread, ss += loss.spread * loss.spread;
      pm += loss.process * loss.missing, sm += loss.spread * loss.missing;
    }
    fit_.calibration.synchronization.reset();
    if (ss == 0 && pp == 0) return std::nullopt;
    const double determinant = pp * ss - ps * ps;
    // A step of several replicas contains the fixed time as well, so without a step of one replica the fixed time
    // cannot be separated from the kernels' time.
    const bool is_one_step =
        asked_.size() == 2 || asked_.front().measured.replicas > 1 || determinant < 1e-9 * pp * ss;
    if (!is_one_step) {
      const double process = (pm * ss - sm * ps) / determinant, spread = (sm * pp - pm * ps) / determinant;
      if (process >= 0 && spread >= 0) return MeasuredSynchronization{spread, Seconds(process)};
      if (spread < 0) return MeasuredSynchronization{0, Seconds(std::max(0.0, pm / pp))};
    }
    return MeasuredSynchronization{ss > 0 ? std::clamp(sm / ss, 0.0, 1.0) : 0, Seconds(0)};
  }

  const std::vector<Asked> asked_;
  StepFit fit_{};
};

void check(const scenario::Scenario& scenario, const std::vector<MeasuredStepOf>& measured) {
  require_platform(scenario);
  Problems problems;
  if (scenario.time.measured_step)
    problems.add(scenario.place("time.measured_step"),
                 "the scenario gives its step instead of its kernels' times",
                 "leave it out: --set time.measured_step=null");
  if (!scenario.time.compute.is_roofline())
    problems.add(scenario.place("time.compute"), "the scenario's kernels are measured ones",
                 "leave it out: --set time.compute=null");
  for (std::size_t i = 1; i < measured.size(); ++i)
    if (measured[i].replicas == measured[i - 1].replicas)
      problems.add({}, fmt::format("two steps of {} are given", counted(measured[i].replicas, "replica")),
                   "give the typical one");
  problems.throw_if_any();
}

}  // namespace

StepFit fit_steps(const std::string& file, const std::vector<std::string>& overrides,
                  std::vector<MeasuredStepOf> measured) {
  WT_EXPECT(!measured.empty(), "no step was measured");
  std::ranges::sort(measured, {}, &MeasuredStepOf::replicas);
  const scenario::Scenario scenario = scenario::parse_file(file, overrides);
  check(scenario, measured);
  const cluster::Machine machine = scenario::build_machine(scenario);
  std::vector<Asked> asked;
  for (const MeasuredStepOf& step : measured) {
    std::vector<std::string> all = overrides;
    const scenario::Overrides further = scenario::with_replicas(scenario, machine, step.replicas);
    all.insert(all.end(), further.begin(), further.end());
    asked.push_back({step, scenario::parse_file(file, all)});
  }
  return Search(std::move(asked)).find();
}

}  // namespace wt::study
