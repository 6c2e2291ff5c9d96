#include "report/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/json_writer.h"
#include "base/rough.h"
#include "base/table.h"
#include "report/records.h"

namespace wt::report {

namespace {

using json::Layout;

void write_number(json::Writer& out, std::string_view key, double number) {
  out.key(key);
  if (std::isfinite(number))
    out.value(number);
  else
    out.null();
}

// Metrics keep to themselves, so that one called "loss" is no other's double.
void write_measured(json::Writer& out, double loss, const std::vector<train::Log>& metrics) {
  write_number(out, "loss", loss);
  out.key("metrics").begin_object();
  for (const train::Log& metric : metrics) write_number(out, metric.name, metric.value);
  out.end_object();
}

void write_evaluation(json::Writer& out, const train::EpochResult& evaluation) {
  out.key("evaluation").begin_object(Layout::one_line).member("steps", evaluation.steps);
  write_measured(out, evaluation.loss, evaluation.metrics);
  out.end_object();
}

void write_kinds(json::Writer& out, std::string_view key, const plan::Holdings& held) {
  out.key(key).begin_object();
  for (const auto& [kind, bytes] : held.by_kind) out.member(plan::name(kind), bytes.count());
  out.end_object();
}

void write_memory(json::Writer& out, const plan::MemoryReport& memory) {
  out.key("memory").begin_array();
  for (const plan::DeviceMemory& device : memory.devices) {
    out.begin_object().member("device", device.device).member("verdict", plan::name(device.verdict));
    if (device.limit) out.member("limit_bytes", device.limit->count());
    out.member("arena_bytes", device.arena.count())
        .member("fragmentation_bytes", device.fragmentation.count());
    write_kinds(out, "bytes_at_peak", device.at_peak);
    out.end_object();
  }
  out.end_array();
}

void write_shortage(json::Writer& out, const plan::Shortage& shortage) {
  out.key("shortage")
      .begin_object()
      .member("message", shortage.message)
      .member("device", shortage.device)
      .member("tensor", shortage.buffer.name)
      .member("kind", plan::name(shortage.buffer.kind))
      .member("bytes", shortage.buffer.bytes.count())
      .member("kernel", shortage.kernel)
      .member("layer", shortage.scope)
      .member("free_bytes", shortage.free.count())
      .member("largest_free_bytes", shortage.largest_free.count());
  write_kinds(out, "held_bytes", shortage.held);
  out.key("largest").begin_array();
  for (const plan::HeldBuffer& buffer : shortage.held.largest)
    out.begin_object(Layout::one_line)
        .member("tensor", buffer.name)
        .member("kind", plan::name(buffer.kind))
        .member("bytes", buffer.bytes.count())
        .end_object();
  out.end_array().end_object();
}

void write_baseline(json::Writer& out, const Simulated& simulated) {
  const Baseline& baseline = *simulated.baseline;
  out.key("one_device")
      .begin_object()
      .member("scaling", baseline.is_weak ? "weak" : "strong")
      .member("rows", baseline.rows)
      .member("step_time_s", baseline.step.count())
      .member("samples_per_second", baseline.samples_per_second)
      .end_object();
  out.member("scaling_efficiency", simulated.efficiency);
}

void write_reduction(json::Writer& out, const Reduction& reduction) {
  out.key("reduction").begin_object().member("name", reduction.name).member("algorithm", reduction.algorithm);
  if (!reduction.protocol.empty()) out.member("protocol", reduction.protocol);
  out.member("why", reduction.why);
  if (!reduction.otherwise.empty()) out.member("otherwise", reduction.otherwise);
  out.end_object();
}

void write_pipeline(json::Writer& out, const std::optional<RowsPipeline>& pipeline) {
  out.member("input_basis",
             pipeline ? "a pipeline of each worker's host" : "assumed free, but for the rows' copy");
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

void write_course(json::Writer& out, const Course& course) {
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

void write_compiles(json::Writer& out, const Compiles& compiles) {
  out.key("compiles").begin_object(Layout::one_line).key("rows").begin_array(Layout::one_line);
  for (const std::int64_t rows : compiles.rows) out.value(rows);
  out.end_array()
      .member("each_s", compiles.each.count())
      .member("all_s", compiles.each.count() * static_cast<double>(compiles.rows.size()))
      .end_object();
}

void write_phases(json::Writer& out, const std::vector<Phase>& phases) {
  out.key("phases").begin_array();
  for (const Phase& phase : phases) {
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

void write_lost(json::Writer& out, const LostWorker& lost) {
  out.key("lost_worker")
      .begin_object()
      .member("worker", lost.worker)
      .member("step", lost.step)
      .member("collective", lost.collective)
      .member("status", lost.status)
      .member("arrival_s", lost.arrival.count())
      .member("end_s", lost.end.count());
  const auto write_names = [&](std::string_view key, const std::vector<std::string>& names) {
    out.key(key).begin_array();
    for (const std::string& name : names) out.value(name);
    out.end_array();
  };
  write_names("arrived", lost.arrived);
  write_names("missing", lost.missing);
  out.end_object();
}

void write_timed_out(json::Writer& out, const TimedOut& timed_out) {
  out.key("timed_out")
      .begin_object()
      .member("step", timed_out.step)
      .member("collective", timed_out.collective)
      .member("status", timed_out_status)
      .member("last", timed_out.last)
      .member("late_s", timed_out.late.count())
      .member("arrival_s", timed_out.arrival.count())
      .member("span_s", timed_out.span.count())
      .member("timeout_s", timed_out.timeout.count())
      .member("end_s", timed_out.end().count())
      .end_object();
}

// Empty: nothing to add.
std::string message_of(const Results& results) {
  if (results.out_of_memory) return *results.out_of_memory;
  if (results.timed_out) return std::string(timed_out_message);
  return results.lost ? results.lost->message : "";
}

void write_simulated(json::Writer& out, const Simulated& simulated) {
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
      .member("waiting_s", simulated.waiting.count())
      .member("bound_s", simulated.bound.count())
      .member("basis", simulated.basis)
      .member("samples_per_second", simulated.samples_per_second)
      .member("mfu", simulated.utilization);
  if (simulated.baseline) write_baseline(out, simulated);
  write_pipeline(out, simulated.pipeline);
  if (simulated.course) write_course(out, *simulated.course);
  if (simulated.compiles) write_compiles(out, *simulated.compiles);
  if (!simulated.phases.empty()) write_phases(out, simulated.phases);
  out.key("links").begin_array();
  for (const plan::LinkUse& link : simulated.links)
    out.begin_object(Layout::one_line)
        .member("name", link.name)
        .member("bytes_per_second", link.bandwidth.count())
        .member("carried_bytes", link.carried.count())
        .member("busy_s", link.busy.count())
        .end_object();
  out.end_array().end_object();
}

void write_planned(json::Writer& out, const Planned& planned) {
  out.key("model")
      .begin_object()
      .member("name", planned.model)
      .member("parameters", planned.trainable_parameters + planned.other_parameters)
      .member("trainable_parameters", planned.trainable_parameters)
      .end_object();
  out.key("planned")
      .begin_object()
      .member("replicas", planned.replicas)
      .member("workers", planned.workers)
      .key("replica_rows")
      .begin_array(Layout::one_line);
  for (const std::int64_t rows : planned.replica_rows) out.value(rows);
  out.end_array();
  if (planned.reduction) write_reduction(out, *planned.reduction);
  out.member("global_batch", planned.global_batch)
      .member("epochs", planned.epochs)
      .member("steps", planned.steps);
  write_memory(out, planned.memory);
  if (planned.memory.shortage) write_shortage(out, *planned.memory.shortage);
  out.end_object();
}

void write_step(json::Writer& out, const train::StepResult& step,
                const std::map<std::int64_t, Seconds>& times) {
  out.begin_object(Layout::one_line)
      .member("epoch", step.epoch)
      .member("step", step.step)
      .member("rows", step.rows);
  if (const auto time = times.find(step.step); time != times.end())
    out.member("step_time_s", time->second.count());
  write_measured(out, step.loss, step.metrics);
  out.end_object();
}

void write_epoch(json::Writer& out, const Epoch& epoch) {
  out.begin_object(Layout::one_line)
      .member("epoch", epoch.training.epoch)
      .member("steps", epoch.training.steps);
  write_measured(out, epoch.training.loss, epoch.training.metrics);
  if (epoch.evaluation) write_evaluation(out, *epoch.evaluation);
  out.end_object();
}

// The last epoch, and the last evaluation: what most scripts look for.
void write_final(json::Writer& out, const Results& results) {
  if (results.epochs.empty()) return;
  const Epoch& last = results.epochs.back();
  out.key("final").begin_object();
  write_measured(out, last.training.loss, last.training.metrics);
  if (const auto& evaluation = results.evaluation ? results.evaluation : last.evaluation)
    write_evaluation(out, *evaluation);
  out.end_object();
}

std::string cell(double number) {
  if (std::isnan(number)) return "nan";  // whatever its sign bit
  return fmt::format("{:.4f}", number);
}

void add_cells(std::vector<std::string>& row, const train::EpochResult& result) {
  row.push_back(cell(result.loss));
  for (const train::Log& metric : result.metrics) row.push_back(cell(metric.value));
}

void add_headings(std::vector<std::string>& row, const train::EpochResult& result,
                  const std::string& before) {
  row.push_back(before + "loss");
  for (const train::Log& metric : result.metrics) row.push_back(before + metric.name);
}

}  // namespace

std::string results_json(const Results& results) {
  json::Writer out;
  out.begin_object()
      .member("format", results_format)
      .member("format_version", 1)
      .member("version", results.version)
      .member("name", results.name)
      .member("strategy", results.strategy)
      .member("semantics", results.semantics)
      .member("numerics", results.numerics)
      .member("outcome", results.out_of_memory ? "out_of_memory"
                         : results.timed_out   ? "collective_timed_out"
                         : results.lost        ? "worker_lost"
                                               : "done");
  if (const std::string message = message_of(results); !message.empty()) out.member("message", message);
  write_planned(out, results.planned);
  if (results.simulated) write_simulated(out, *results.simulated);
  if (results.lost) write_lost(out, *results.lost);
  if (results.timed_out) write_timed_out(out, *results.timed_out);
  if (results.turns)
    out.key("turns")
        .begin_object()
        .member("swaps", results.turns->swaps)
        .member("swapped_bytes", results.turns->swapped.count())
        .end_object();
  if (results.has_numbers()) {
    out.key("steps").begin_array();
    for (const train::StepResult& step : results.steps) write_step(out, step, results.step_times);
    out.end_array().key("epochs").begin_array();
    for (const Epoch& epoch : results.epochs) write_epoch(out, epoch);
    out.end_array();
    if (results.evaluation) write_evaluation(out, *results.evaluation);
    write_final(out, results);
  }
  return out.end_object().text();
}

std::string steps_csv(const Results& results) {
  std::string text = "epoch,step,rows,loss";
  if (!results.steps.empty())
    for (const train::Log& metric : results.steps.front().metrics) text += "," + csv_field(metric.name);
  text += "\n";
  for (const train::StepResult& step : results.steps) {
    text += fmt::format("{},{},{},{}", step.epoch, step.step, step.rows, csv_number(step.loss));
    for (const train::Log& metric : step.metrics) text += "," + csv_number(metric.value);
    text += "\n";
  }
  return text;
}

std::string epochs_table(const Results& results) {
  if (results.epochs.empty()) return "";
  const auto evaluated = std::find_if(results.epochs.begin(), results.epochs.end(),
                                      [](const Epoch& epoch) { return epoch.evaluation.has_value(); });
  std::vector<TableRow> rows{{"epoch", "steps"}};
  add_headings(rows[0], results.epochs.front().training, "");
  if (evaluated != results.epochs.end()) add_headings(rows[0], *evaluated->evaluation, "evaluation ");
  for (const Epoch& epoch : results.epochs) {
    // People count from 1, as Keras does on the screen.
    TableRow row{std::to_string(epoch.training.epoch + 1), std::to_string(epoch.training.steps)};
    add_cells(row, epoch.training);
    if (epoch.evaluation) add_cells(row, *epoch.evaluation);
    rows.push_back(std::move(row));
  }
  std::string text = print_table(rows, "r");
  if (results.evaluation) {
    text += fmt::format("evaluation: loss {}", cell(results.evaluation->loss));
    for (const train::Log& metric : results.evaluation->metrics)
      text += fmt::format(", {} {}", metric.name, cell(metric.value));
    text += "\n";
  }
  return text;
}

namespace {

// Devices of one kind that hold the same are told once.
bool hold_the_same(const plan::DeviceMemory& a, const plan::DeviceMemory& b) {
  return a.limit == b.limit && a.arena == b.arena && a.at_peak.by_kind == b.at_peak.by_kind;
}

std::string memory_text(const plan::DeviceMemory& device, std::size_t others) {
  std::string text = fmt::format("memory of {}", device.device);
  if (others > 0) text += fmt::format(" and {} like it", others);
  text += fmt::format(": {} planned", rough(device.arena));
  if (device.limit) text += fmt::format(" of {}", rough(*device.limit));
  std::string_view separator = "; at the peak ";
  for (const auto& [kind, bytes] : device.at_peak.by_kind) {
    if (bytes == Bytes(0)) continue;
    text += fmt::format("{}{} {}", separator, plan::name(kind), rough(bytes));
    separator = ", ";
  }
  return text + "\n";
}

std::string replicas_text(const Planned& planned) {
  if (planned.replicas == 1 && planned.devices_of_each == 1) return "";
  std::string text = counted(planned.replicas, "replica");
  if (planned.devices_of_each > 1)
    text += fmt::format(" on {} each", counted(planned.devices_of_each, "core"));
  if (planned.workers > 1) text += fmt::format(" of {}", counted(planned.workers, "worker"));
  const auto [least, most] = std::ranges::minmax(planned.replica_rows);
  text += least == most ? fmt::format(", {} each", counted(most, "row"))
                        : fmt::format(", {} to {} each", least, counted(most, "row"));
  if (!planned.reduction) return text + "\n";
  const Reduction& reduction = *planned.reduction;
  text += fmt::format("; gradients: {}, {}", reduction.name, reduction.algorithm);
  if (!reduction.protocol.empty()) text += fmt::format(" with {}", reduction.protocol);
  text += fmt::format(" ({})\n", reduction.why);
  return reduction.otherwise.empty() ? text : text + "  " + reduction.otherwise + "\n";
}

}  // namespace

std::string planned_text(const Planned& planned) {
  std::string text =
      fmt::format("model {}: {} parameters, {} of them trainable\n", planned.model,
                  planned.trainable_parameters + planned.other_parameters, planned.trainable_parameters);
  text += replicas_text(planned);
  const std::vector<plan::DeviceMemory>& devices = planned.memory.devices;
  for (std::size_t i = 0; i < devices.size();) {
    std::size_t end = i + 1;
    while (end < devices.size() && hold_the_same(devices[i], devices[end])) ++end;
    text += memory_text(devices[i], end - i - 1);
    i = end;
  }
  return text + fmt::format("{} of {} in {}\n", counted(planned.steps, "step"),
                            counted(planned.global_batch, "row"), counted(planned.epochs, "epoch"));
}

namespace {

std::string pipeline_text(const RowsPipeline& pipeline) {
  if (pipeline.batch == Seconds(0))
    return fmt::format("rows: read and decoded at once, prefetch {}\n", pipeline.prefetch);
  return fmt::format("rows: {} for the {} of a step on the slowest host ({}), prefetch {}: {}\n",
                     rough(pipeline.batch), counted(pipeline.rows, "row"), pipeline.limit, pipeline.prefetch,
                     pipeline.is_bound ? "the input bounds the step" : "less than the step");
}

std::string course_text(const Course& course, Seconds step) {
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

std::string phases_text(const std::vector<Phase>& phases) {
  std::string text;
  for (const Phase& phase : phases)
    text += fmt::format(
        "from step {} on {}: {}\n", phase.from_step + 1,
        phase.slow.empty() ? "nobody is slow" : fmt::format("slow: {}", fmt::join(phase.slow, ", ")),
        rough(phase.step));
  return text;
}

}  // namespace

std::string lost_text(const LostWorker& lost) {
  return fmt::format(
      "the job ended {} after its begin, with {} done\n"
      "  {} did not reach step {}\n"
      "  waiting in {} since {}: {}\n"
      "  missing: {}\n"
      "  {}: {}\n",
      rough(lost.end), counted(lost.step, "step"), lost.worker, lost.step + 1, lost.collective,
      rough(lost.arrival), fmt::join(lost.arrived, ", "), fmt::join(lost.missing, ", "), lost.status,
      lost.message);
}

std::string timed_out_text(const TimedOut& timed_out) {
  const std::string who = timed_out.late == Seconds(0) ? "all of them entered it at once"
                                                       : fmt::format("last: {}, {} after the first",
                                                                     timed_out.last, rough(timed_out.late));
  return fmt::format(
      "the job ended {} after its begin, with {} done\n"
      "  {} of step {} takes {} from the first that enters it, and may take {}\n"
      "  {}\n"
      "  {}: {}\n",
      rough(timed_out.end()), counted(timed_out.step, "step"), timed_out.collective, timed_out.step + 1,
      rough(timed_out.span), rough(timed_out.timeout), who, timed_out_status, timed_out_message);
}

std::string turns_text(const Turns& turns) {
  return fmt::format("replicas take turns in this machine's pieces: in each step {}, {} in and out",
                     counted(turns.swaps, "swap"), rough(turns.swapped));
}

std::string simulated_text(const Simulated& simulated) {
  std::string text = fmt::format("simulated step on {} ({}): {}, {:.0f} samples/s; compute {}",
                                 simulated.device, simulated.precision, rough(simulated.step),
                                 simulated.samples_per_second, rough(simulated.compute));
  if (simulated.communication > Seconds(0))
    text += fmt::format(", communication {} ({} of it exposed)", rough(simulated.communication),
                        rough(simulated.exposed));
  if (simulated.input > Seconds(0)) text += fmt::format(", waiting for rows {}", rough(simulated.input));
  if (simulated.waiting > Seconds(0)) text += fmt::format(", for others {}", rough(simulated.waiting));
  if (const auto& baseline = simulated.baseline)
    text += fmt::format("\none {} with {}: {}, {:.0f} samples/s; scaling efficiency ({}) {:.1f} %",
                        baseline->devices > 1 ? "replica" : "device", counted(baseline->rows, "row"),
                        rough(baseline->step), baseline->samples_per_second,
                        baseline->is_weak ? "weak" : "strong", 100 * simulated.efficiency);
  text +=
      fmt::format("\nbound {} ({:.0f} % of it reached), MFU {:.0f} %; basis: {}{}\n", rough(simulated.bound),
                  100 * (simulated.bound / simulated.step), 100 * simulated.utilization, simulated.basis,
                  simulated.pipeline ? "" : "; input assumed free");
  if (simulated.pipeline) text += pipeline_text(*simulated.pipeline);
  if (simulated.course) text += course_text(*simulated.course, simulated.step);
  if (const auto& compiles = simulated.compiles)
    text += fmt::format("compiled beside the steps: {} for steps of {} rows, {} each\n",
                        counted(std::ssize(compiles->rows), "program"), fmt::join(compiles->rows, " and "),
                        rough(compiles->each));
  return text + phases_text(simulated.phases);
}

}  // namespace wt::report
