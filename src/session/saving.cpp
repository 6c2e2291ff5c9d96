#include "session/saving.h"

#include "session/rows_pipeline.h"

namespace wt::session {

namespace {

// The first replica has all variables, or the first of its devices its part of them.
Seconds copied_to_host(const scenario::Job& job, Bytes size) {
  const platform::Platform& platform = *job.machine.platform;
  const platform::Endpoint device = job.machine.endpoint(print(job.machine.device().name));
  const platform::Endpoint host = platform.hosts_of(platform.machine_of(device)).front();
  if (device == host) return {};
  const platform::Route route = platform.route(device, host);
  return route.latency + size / route.bottleneck;
}

Bytes stored_rows(const scenario::Scenario& scenario, const scenario::Job& job) {
  const std::optional<timing::InputPipeline> pipeline = rows_pipeline(scenario, job);
  if (!pipeline) return {};
  return pipeline->stored_row * job.global_batch * (pipeline->reads_all_rows ? job.machine.tasks : 1);
}

}  // namespace

Saving saving_of(const scenario::Scenario& scenario, const scenario::Job& job, TrainingClock& clock) {
  Saving saving{.waits = clock.time_of_checkpoint()};
  const bool is_asynchronous =
      scenario.training.checkpointing && scenario.training.checkpointing->asynchronous;
  if (!is_asynchronous || !saving.waits) return saving;
  saving.written = *saving.waits;
  saving.waits = copied_to_host(job, clock.size_of_variables());
  if (!scenario.job->holds_rows) return saving;
  const BytesPerSecond all = *scenario.job->storage, half = all / 2.0;
  const Bytes rows = stored_rows(scenario, job);
  const Seconds step = scenario.job->step.value_or(clock.step().summary.each_step());
  saving.rows = rows / half;
  const BytesPerSecond left = all - BytesPerSecond(static_cast<double>(rows.count()) / step.count());
  saving.written = clock.size_of_checkpoint() / std::max(half, left);
  return saving;
}

}  // namespace wt::session
