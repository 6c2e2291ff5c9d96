#include "report/simulated.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/rough.h"
#include "report/baseline.h"
#include "report/pool.h"

namespace wt::report {

namespace {

using json::Layout;

void write_pipeline(json::Writer& out, const timing::Simulated& simulated) {
  out.member("input_basis", rows_text(simulated)).member("row_copies", plan::name(simulated.copies));
  const std::optional<timing::RowsPipeline>& pipeline = simulated.pipeline;
  if (!pipeline) return;
  out.key("input_pipeline")
      .begin_object(Layout::one_line)
      .member("rows", pipeline->rows)
      .member("batch_s", pipeline->batch.count())
      .member("limit", pipeline->limit)
      .member("prefetch", pipeline->prefetch)
      .member("is_bound", pipeline->is_bound)
      .end_object();
}

void write_course(json::Writer& out, const timing::Course& course) {
  out.key("course")
      .begin_object(Layout::one_line)
      .member("steps", course.played)
      .member("first_s", course.first.count());
  if (course.steady_from) out.member("steady_from", *course.steady_from);
  if (course.jitter > 0)
    out.member("jitter", course.jitter)
        .member("median_s", course.median.count())
        .member("p95_s", course.p95.count());
  out.end_object();
}

void write_compiles(json::Writer& out, const timing::Compiles& compiles) {
  out.key("compiles").begin_object(Layout::one_line).key("rows").begin_array(Layout::one_line);
  for (const std::int64_t rows : compiles.rows) out.value(rows);
  out.end_array()
      .member("each_s", compiles.each.count())
      .member("all_s", compiles.each.count() * static_cast<double>(compiles.rows.size()))
      .end_object();
}

void write_phases(json::Writer& out, const std::vector<timing::PhaseTime>& phases) {
  out.key("phases").begin_array();
  for (const timing::PhaseTime& phase : phases) {
    out.begin_object(Layout::one_line)
        .member("from_step", phase.from_step)
        .member("step_time_s", phase.step.count())
        .key("slow")
        .begin_array(Layout::one_line);
    for (const std::string& slow : phase.slow) out.value(slow);
    out.end_array().end_object();
  }
  out.end_array();
}

void write_links(json::Writer& out, const std::vector<plan::LinkUse>& links) {
  out.key("links").begin_array();
  for (const plan::LinkUse& link : links)
    out.begin_object(Layout::one_line)
        .member("name", link.name)
        .member("bytes_per_second", link.bandwidth.count())
        .member("carried_bytes", link.carried.count())
        .member("busy_s", link.busy.count())
        .end_object();
  out.end_array();
}

std::string pipeline_text(const timing::RowsPipeline& pipeline) {
  if (pipeline.batch == Seconds(0))
    return fmt::format("rows: read and decoded at once, prefetch {}\n", pipeline.prefetch);
  return fmt::format("rows: {} for the {} of a step on the slowest host ({}), prefetch {}: {}\n",
                     rough(pipeline.batch), counted(pipeline.rows, "row"), pipeline.limit, pipeline.prefetch,
                     pipeline.is_bound ? "the input bounds the step" : "less than the step");
}

std::string course_text(const timing::Course& course, Seconds step) {
  std::string text =
      fmt::format("{} played: the first takes {}", counted(course.played, "step"), rough(course.first));
  if (course.jitter > 0)
    return text +
           fmt::format(
               "; with jitter of {:.1f} % the others take {} in the mean, {} in the median, {} at most "
               "in 95 of 100\n",
               100 * course.jitter, rough(step), rough(course.median), rough(course.p95));
  if (course.steady_from)
    return text + fmt::format(", from step {} on all {}\n", *course.steady_from + 1, rough(step));
  return text + fmt::format(", the last half {} in the mean; they don't repeat\n", rough(step));
}

std::string phases_text(const std::vector<timing::PhaseTime>& phases) {
  std::string text;
  for (const timing::PhaseTime& phase : phases)
    text += fmt::format(
        "from step {} on {}: {}\n", phase.from_step + 1,
        phase.slow.empty() ? "no device is slow" : fmt::format("slow: {}", fmt::join(phase.slow, ", ")),
        rough(phase.step));
  return text;
}

}  // namespace

std::string rows_text(const timing::Simulated& simulated) {
  if (simulated.copies == plan::RowCopies::none) return "on the devices from the start";
  const std::string copied =
      simulated.copies == plan::RowCopies::ahead ? "copied ahead" : "copied as each step begins";
  if (simulated.pipeline && !simulated.pipeline->decoders.empty())
    return copied + ", decoded by " + simulated.pipeline->decoders;
  if (simulated.pipeline) return copied + ", by a pipeline of each worker's host";
  return copied + (simulated.has_encoded_rows ? ", decoding assumed free" : ", nothing is decoded");
}

void write_simulated(json::Writer& out, const timing::Simulated& simulated) {
  out.key("simulated")
      .begin_object()
      .member("platform", simulated.platform)
      .member("device", simulated.device)
      .member("precision", simulated.precision)
      .member("step_time_s", simulated.step.count())
      .member("compute_s", simulated.compute.count())
      .member("input_s", simulated.input.count())
      .member("communication_s", simulated.communication.count())
      .member("exposed_communication_s", simulated.exposed.count())
      .member("software_s", simulated.software.count())
      .member("waiting_s", simulated.waiting.count())
      .member("bound_s", simulated.bound.count())
      .member("basis", simulated.basis)
      .member("samples_per_second", simulated.samples_per_second)
      .member("mfu", simulated.utilization);
  if (simulated.baseline) write_baseline(out, simulated);
  write_pipeline(out, simulated);
  if (simulated.course) write_course(out, *simulated.course);
  if (simulated.pool) write_pool(out, *simulated.pool);
  if (simulated.compiles) write_compiles(out, *simulated.compiles);
  if (const auto& accumulation = simulated.accumulation)
    out.key("accumulation")
        .begin_object(json::Layout::one_line)
        .member("steps", accumulation->steps)
        .member("accumulating_step_time_s", accumulation->step.count())
        .end_object();
  if (!simulated.phases.empty()) write_phases(out, simulated.phases);
  write_links(out, simulated.links);
  out.end_object();
}

std::string simulated_text(const session::Planned& planned, const timing::Simulated& simulated) {
  std::string text = fmt::format("simulated step on {} ({}): {}, {:.0f} samples/s; compute {}",
                                 simulated.device, simulated.precision, rough(simulated.step),
                                 simulated.samples_per_second, rough(simulated.compute));
  if (simulated.communication > Seconds(0))
    text += fmt::format(", communication {} ({} of it exposed)", rough(simulated.communication),
                        rough(simulated.exposed));
  if (simulated.input > Seconds(0)) text += fmt::format(", waiting for rows {}", rough(simulated.input));
  if (simulated.software > Seconds(0))
    text += fmt::format(", for the framework's software {}", rough(simulated.software));
  if (simulated.waiting > Seconds(0)) text += fmt::format(", for others {}", rough(simulated.waiting));
  const auto& baseline = simulated.baseline;
  if (baseline && planned.replicas > 1)
    text += fmt::format("\n{}: {}, {:.0f} samples/s; speed-up {:.2f}, {} scaling efficiency {:.1f} %{}",
                        alone_text(*baseline), rough(baseline->step), baseline->samples_per_second,
                        simulated.speed_up(), scaling_name(*baseline), 100 * simulated.efficiency,
                        memory_text(*baseline));
  text += fmt::format("\nbound {} ({:.0f} % of it reached), MFU {:.0f} %; basis: {}; rows: {}\n",
                      rough(simulated.bound), 100 * (simulated.bound / simulated.step),
                      100 * simulated.utilization, simulated.basis, rows_text(simulated));
  return text + notes_text(simulated);
}

std::string notes_text(const timing::Simulated& simulated) {
  std::string text;
  if (simulated.pool) text += pool_text(*simulated.pool);
  if (const auto& accumulation = simulated.accumulation)
    text += fmt::format("{} of {} steps only accumulate gradients, in {} each; the other one takes {}\n",
                        accumulation->steps - 1, accumulation->steps, rough(accumulation->step),
                        rough(simulated.step));
  if (simulated.pipeline) text += pipeline_text(*simulated.pipeline);
  if (simulated.course) text += course_text(*simulated.course, simulated.step);
  if (const auto& compiles = simulated.compiles)
    text += fmt::format("compiled beside the steps: {} for steps of {} rows, {} each\n",
                        counted(std::ssize(compiles->rows), "program"), fmt::join(compiles->rows, " and "),
                        rough(compiles->each));
  return text + phases_text(simulated.phases);
}

}  // namespace wt::report
