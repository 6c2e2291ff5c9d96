#include "scenario/closures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "base/rough.h"

namespace wt::scenario {

namespace {

// The closures of an epoch are simulated together, on one machine.
void check_degraded(const Scenario& scenario, const Job& job, Problems& problems) {
  const std::int64_t epoch =
      scenario.training.steps ? steps_of(scenario, job) : steps_per_epoch(scenario, job);
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const Fault& fault = scenario.faults[i];
    if (!fault.degrade) continue;
    for (const auto& [key, step] :
         {std::pair("from_step", fault.from_step), std::pair("until_step", fault.until_step)})
      if (step && epoch > 0 && *step % epoch != 0 && *step < steps_of(scenario, job))
        problems.add(scenario.place(fmt::format("faults.{}.{}", i, key)),
                     fmt::format("links of {} change between epochs, and step {} is within one",
                                 scenario.strategy->name(), *step),
                     fmt::format("name a multiple of {}, which an epoch has", counted(epoch, "step")));
  }
}

}  // namespace

void check_closures(const Scenario& scenario, const Job& job, Problems& problems) {
  if (!job.machine.pool) return;
  const std::string_view name = scenario.strategy->name();
  check_degraded(scenario, job, problems);
  if (scenario.training.checkpointing && scenario.training.checkpointing->before_preemption)
    problems.add(scenario.place("training.checkpointing.before_preemption"),
                 "NotImplementedError: PreemptionCheckpointHandler does not supportusage with "
                 "tf.distribute.experimental.ParameterServerStrategy.",
                 "leave it out");
  if (scenario.input && scenario.input->takes_time())
    problems.add(scenario.place("input"), fmt::format("input pipelines of {} can't be timed yet", name),
                 "leave out \"decode\" and \"storage\": rows are then ready when a worker needs them");
  if (scenario.job && scenario.job->holds_rows)
    problems.add(scenario.place("job.holds_rows"),
                 fmt::format("input pipelines of {} can't be timed yet", name),
                 "leave it out: rows are ready when a worker needs them");
  if (job.optimizer.accumulation > 1)
    problems.add(scenario.place("training.optimizer"),
                 fmt::format("workers of {} push each gradient, so none is accumulated", name),
                 R"(leave "gradient_accumulation_steps" out, or take "mirrored")");
  if (job.step_rows != std::vector{job.global_batch})
    problems.add(scenario.place("dataset"),
                 fmt::format("every closure takes {} rows, and the dataset has batches of {}",
                             job.global_batch, fmt::join(job.step_rows, " and of ")),
                 R"("repeat": -1, or "drop_remainder": true)");
}

}  // namespace wt::scenario
