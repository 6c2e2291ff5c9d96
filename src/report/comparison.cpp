#include "report/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <set>

#include "report/baseline.h"
#include "report/planned.h"

namespace wt::report {

namespace {

using R = const session::Results&;
using ResultsColumn = Column<session::Results>;

Cell planned_steps(R run) { return cell(run.planned.steps); }

template <class Value>
Cell simulated(R run, Value value) {
  return run.simulated ? value(*run.simulated) : Cell{};
}
template <Seconds timing::Simulated::*part>
Cell seconds(R run) {
  return simulated(run, [](const timing::Simulated& summary) { return cell(summary.*part); });
}
Cell memory(R run) { return run.out_of_memory ? Cell{} : cell(session::peak_memory(run.planned)); }
Cell step(R run) {
  return run.out_of_memory ? Cell{{}, "out of memory"} : seconds<&timing::Simulated::step>(run);
}
Cell samples(R run) {
  return simulated(run,
                   [](const timing::Simulated& summary) { return number(summary.samples_per_second, 0); });
}
Cell samples_each(R run) {
  return simulated(run, [&](const timing::Simulated& summary) {
    return number(summary.samples_per_second / static_cast<double>(run.planned.devices()), 0);
  });
}
Cell utilization(R run) {
  return simulated(run, [](const timing::Simulated& summary) { return share(summary.utilization); });
}
template <Cell (*of)(const timing::Simulated&)>
Cell compared(R run) {
  return simulated(run,
                   [](const timing::Simulated& summary) { return summary.baseline ? of(summary) : Cell{}; });
}
Cell loss(R run) { return run.epochs.empty() ? Cell{} : number(run.epochs.back().training.loss, 4); }
Cell outcome(R run) { return {std::string(run.out_of_memory ? "out_of_memory" : "done"), ""}; }

constexpr std::array columns{
    ResultsColumn{{"name", "name", 'l'}, [](R run) { return cell(run.name); }},
    ResultsColumn{{"strategy", "strategy", 'l'}, [](R run) { return cell(run.strategy); }},
    ResultsColumn{{"replicas", "replicas"}, [](R run) { return cell(run.planned.replicas); }},
    ResultsColumn{{"global batch", "global_batch"}, [](R run) { return cell(run.planned.global_batch); }},
    ResultsColumn{{"", "steps"}, planned_steps},
    ResultsColumn{{"reduction", "reduction", 'l'},
                  [](R run) { return cell((run.planned.reduction ? print(*run.planned.reduction) : "")); }},
    ResultsColumn{{"memory", "memory_bytes"}, memory},
    ResultsColumn{{"step", "step_time_s"}, step},
    ResultsColumn{{"compute", "compute_s"}, seconds<&timing::Simulated::compute>},
    ResultsColumn{{"exposed", "exposed_communication_s"}, seconds<&timing::Simulated::exposed>},
    ResultsColumn{{"samples/s", "samples_per_second"}, samples},
    ResultsColumn{{"per device", "samples_per_second_per_device"}, samples_each},
    ResultsColumn{{"MFU", "mfu"}, utilization},
    ResultsColumn{{"speed-up", "speed_up"}, compared<speed_up_cell>},
    ResultsColumn{{"efficiency", "scaling_efficiency"}, compared<efficiency_cell>},
    ResultsColumn{{"relative to", "baseline", 'l'}, compared<baseline_cell>},
    ResultsColumn{{"", "baseline_devices"}, compared<baseline_devices_cell>},
    ResultsColumn{{"", "baseline_rows"}, compared<baseline_rows_cell>},
    ResultsColumn{{"", "baseline_samples_per_second"}, compared<baseline_rate_cell>},
    ResultsColumn{{"", "baseline_memory"}, compared<baseline_memory_cell>},
    ResultsColumn{{"loss", "loss"}, loss},
    ResultsColumn{{"", "outcome"}, outcome},
    ResultsColumn{{"", "constants_version"},
                  [](R run) { return cell(static_cast<std::int64_t>(run.constants)); }}};

}  // namespace

Records comparison(const std::vector<session::Results>& runs) {
  return records_of<session::Results>(std::span<const ResultsColumn>(columns), runs);
}

std::string warning_of_versions(const std::vector<session::Results>& runs) {
  std::set<int> versions;
  for (const session::Results& run : runs) versions.insert(run.constants);
  if (versions.size() < 2) return {};
  return fmt::format(
      "the model's constants have different versions ({}), which move times by themselves: "
      "CHANGELOG.md says what and by how much",
      fmt::join(versions, ", "));
}

}  // namespace wt::report
