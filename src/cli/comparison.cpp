#include "cli/comparison.h"

#include <array>

#include "report/forecast.h"

namespace wt {

namespace {

using report::Cell, report::cell;
using R = const report::Results&;
using Column = report::Column<report::Results>;

Cell planned_steps(R run) { return cell(run.planned.steps); }

template <class Value>
Cell simulated(R run, Value value) {
  return run.simulated ? value(*run.simulated) : Cell{};
}
template <Seconds report::Simulated::*part>
Cell seconds(R run) {
  return simulated(run, [](const report::Simulated& told) { return cell(told.*part); });
}
Cell memory(R run) { return run.out_of_memory ? Cell{} : cell(report::peak_memory(run.planned)); }
Cell step(R run) {
  return run.out_of_memory ? Cell{{}, "out of memory"} : seconds<&report::Simulated::step>(run);
}
Cell samples(R run) {
  return simulated(run,
                   [](const report::Simulated& told) { return report::number(told.samples_per_second, 0); });
}
Cell samples_each(R run) {
  return simulated(run, [&](const report::Simulated& told) {
    return report::number(told.samples_per_second / static_cast<double>(run.planned.replicas), 0);
  });
}
Cell utilization(R run) {
  return simulated(run, [](const report::Simulated& told) { return report::share(told.utilization); });
}
Cell efficiency(R run) {
  return simulated(run, [](const report::Simulated& told) {
    return told.baseline ? report::share(told.efficiency) : Cell{};
  });
}
Cell loss(R run) { return run.epochs.empty() ? Cell{} : report::number(run.epochs.back().training.loss, 4); }
Cell outcome(R run) { return {std::string(run.out_of_memory ? "out_of_memory" : "done"), ""}; }

constexpr std::array columns{
    Column{{"name", "name", 'l'}, [](R run) { return cell(run.name); }},
    Column{{"strategy", "strategy", 'l'}, [](R run) { return cell(run.strategy); }},
    Column{{"replicas", "replicas"}, [](R run) { return cell(run.planned.replicas); }},
    Column{{"global batch", "global_batch"}, [](R run) { return cell(run.planned.global_batch); }},
    Column{{"", "steps"}, planned_steps},
    Column{{"reduction", "reduction", 'l'}, [](R run) { return cell(report::reduction_text(run.planned)); }},
    Column{{"memory", "memory_bytes"}, memory},
    Column{{"step", "step_time_s"}, step},
    Column{{"compute", "compute_s"}, seconds<&report::Simulated::compute>},
    Column{{"exposed", "exposed_communication_s"}, seconds<&report::Simulated::exposed>},
    Column{{"samples/s", "samples_per_second"}, samples},
    Column{{"per device", "samples_per_second_per_device"}, samples_each},
    Column{{"MFU", "mfu"}, utilization},
    Column{{"efficiency", "scaling_efficiency"}, efficiency},
    Column{{"loss", "loss"}, loss},
    Column{{"", "outcome"}, outcome}};

}  // namespace

report::Records comparison(const std::vector<report::Results>& runs) {
  return report::records_of<report::Results>(std::span<const Column>(columns), runs);
}

}  // namespace wt
