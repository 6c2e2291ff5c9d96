#include "scenario/closures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wt::scenario {

void check_closures(const Scenario& scenario, const Job& job, Problems& problems) {
  if (!job.machine.pool) return;
  const std::string_view name = scenario.strategy->name();
  for (std::size_t i = 0; i < scenario.faults.size(); ++i)
    if (scenario.faults[i].slow || scenario.faults[i].degrade)
      problems.add(scenario.place(fmt::format("faults.{}", i)),
                   fmt::format("what is slow for some steps of {} can't be simulated yet", name),
                   "leave it out; `time.jitter` lets workers differ");
  if (scenario.input && scenario.input->takes_time())
    problems.add(scenario.place("input"), fmt::format("input pipelines of {} can't be timed yet", name),
                 "leave out \"decode\" and \"storage\": rows are then ready when a worker needs them");
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
