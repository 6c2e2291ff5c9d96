#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rough.h"
#include "base/table.h"
#include "report/baseline.h"
#include "report/failures.h"
#include "report/job.h"
#include "report/planned.h"
#include "report/simulated.h"
#include "report/sureness.h"

namespace wt::report {

namespace {

std::string heading(const session::Results& results) {
  const session::Planned& planned = results.planned;
  std::string text = fmt::format(
      "{}: {} with {}, {}", results.name, planned.model,
      counted(planned.trainable_parameters + planned.other_parameters, "parameter"), results.strategy);
  if (planned.replicas > 1 || planned.devices_of_each > 1) text += " over " + replicas_text(planned);
  if (results.simulated) text += fmt::format(" on {}", results.simulated->platform);
  const std::string steps =
      fmt::format("{} of {}", counted(planned.steps, "step"), counted(planned.global_batch, "row"));
  text += planned.is_inference ? fmt::format("\ninference alone: {}", steps)
                               : fmt::format("\n{} in {}", steps, counted(planned.epochs, "epoch"));
  if (planned.reduction)
    text += fmt::format("; gradients: {}, {}", planned.reduction->name, print(*planned.reduction));
  return text + fmt::format("\nsemantics: {}\n", results.chosen_semantics);
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string_view waiting_text(const timing::Simulated& simulated) {
  if (!simulated.pool) return "waiting for other replicas";
  return simulated.pool->coordinator > 0 ? "waiting for the coordinator and others" : "waiting for others";
}

// A row for each part of the step that takes any time. The parts add up to the step.
std::string step_table(const timing::Simulated& simulated) {
  struct Part {
    std::string_view name{};
    Seconds time{};
  };
  const Part parts[] = {{"compute", simulated.compute},
                        {"exposed communication", simulated.exposed},
                        {"waiting for rows", simulated.input},
                        {"the framework's software", simulated.software},
                        {waiting_text(simulated), simulated.waiting},
                        {"whole step", simulated.step}};
  const std::string_view what = simulated.pool ? "closure of the first worker" : "step";
  std::vector<TableRow> rows{
      {fmt::format("simulated {} on {} ({})", what, simulated.device, simulated.precision), "time", "share"}};
  for (const Part& part : parts)
    if (part.time > Seconds(0))
      rows.push_back({fmt::format("  {}", part.name), rough(part.time), percent(part.time / simulated.step)});
  return print_table(rows, "lrr");
}

std::string throughput_text(const session::Results& results) {
  const timing::Simulated& simulated = *results.simulated;
  std::string text = fmt::format("throughput  {:.0f} samples/s", simulated.samples_per_second);
  if (const std::int64_t tokens = results.planned.tokens_per_row; tokens > 0)
    text += fmt::format(", {:.0f} tokens/s", simulated.samples_per_second * static_cast<double>(tokens));
  const auto& baseline = simulated.baseline;
  if (baseline && results.planned.replicas > 1)
    text += fmt::format("; {:.2f} times {} ({} scaling, efficiency {}){}", simulated.speed_up(),
                        alone_text(*baseline), scaling_name(*baseline), percent(simulated.efficiency),
                        memory_text(*baseline));
  return text + "\n";
}

std::string bound_text(const timing::Simulated& simulated) {
  return fmt::format("bound       {} of compute at peak rates, {} of the step; MFU {}; times: {}; rows: {}\n",
                     rough(simulated.bound), percent(simulated.bound / simulated.step),
                     percent(simulated.utilization), simulated.basis, rows_text(simulated));
}

// The device that holds most, among those with a limit if there are any.
std::string peaks_text(const plan::MemoryReport& memory) {
  const plan::DeviceMemory* most = nullptr;
  for (const plan::DeviceMemory& device : memory.devices) {
    const bool is_more = most == nullptr || (device.limit && !most->limit) ||
                         (device.limit.has_value() == most->limit.has_value() && device.arena > most->arena);
    if (is_more) most = &device;
  }
  if (most == nullptr) return "";
  std::string text = fmt::format("memory      {}", rough(most->arena));
  if (most->limit) text += fmt::format(" of {}", rough(*most->limit));
  return text + fmt::format(" on {}\n", most->device);
}

}  // namespace

std::string summary_text(const session::Results& results, const study::Sureness* sureness) {
  std::string text = heading(results);
  if (results.simulated) {
    text += "\n" + step_table(*results.simulated) + "\n" + throughput_text(results);
    if (sureness != nullptr) text += "sure        " + sureness_text(*sureness, *results.simulated);
    text += bound_text(*results.simulated) + notes_text(*results.simulated);
  }
  text += peaks_text(results.planned.memory);
  if (results.course) text += failures_text(*results.course);
  if (results.job) text += "\n" + job_text(*results.job, results.simulated->samples_per_second);
  if (results.cost) text += cost_text(*results.cost);
  return text;
}

}  // namespace wt::report
