#include "report/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/rough.h"
#include "report/baseline.h"
#include "report/job.h"
#include "report/planned.h"
#include "report/sureness.h"

namespace wt::report {

namespace {

using session::Forecast;

// ---- Columns

using R = const Forecast&;
using ForecastColumn = Column<Forecast>;

// People see it only where it may differ from row to row.
Cell strategy(R row) { return {row.strategy, row.chosen_strategy.empty() ? "" : row.strategy}; }

Cell rows_each(R row) {
  const auto [least, most] = std::ranges::minmax(row.planned.replica_rows);
  if (least == most) return cell(most);
  return {most, fmt::format("{} to {}", least, most)};
}

Cell bytes_of_memory(R row) {
  return row.out_of_memory ? Cell{{}, "does not fit"} : cell(session::peak_memory(row.planned));
}

// The cell is empty where the step does not fit in memory.
template <class Value>
Cell simulated(R row, Value value) {
  return row.simulated ? value(*row.simulated) : Cell{};
}
template <Seconds timing::Simulated::*part>
Cell seconds(R row) {
  return simulated(row, [](const timing::Simulated& summary) { return cell(summary.*part); });
}
Cell samples(R row) {
  return simulated(row,
                   [](const timing::Simulated& summary) { return number(summary.samples_per_second, 0); });
}
Cell samples_each(R row) {
  return simulated(row, [&](const timing::Simulated& summary) {
    return number(summary.samples_per_second / static_cast<double>(row.planned.devices()), 0);
  });
}
template <Cell (*of)(const timing::Simulated&)>
Cell compared(R row) {
  return simulated(row,
                   [](const timing::Simulated& summary) { return summary.baseline ? of(summary) : Cell{}; });
}
Cell epoch(R row) {
  return simulated(row, [&](const timing::Simulated& summary) {
    const auto& steps = row.planned.steps_per_epoch;
    return steps ? cell(summary.each_step() * *steps) : Cell{};
  });
}
Cell epoch_steps(R row) {
  const auto& steps = row.planned.steps_per_epoch;
  return steps ? cell(*steps) : Cell{};
}
Cell outcome(R row) { return {std::string(row.out_of_memory ? "out_of_memory" : "done"), ""}; }

constexpr std::array columns{
    ForecastColumn{{"replicas", "replicas"}, [](R row) { return cell(row.planned.replicas); }},
    ForecastColumn{{"machines", "machines"}, [](R row) { return cell(row.planned.workers); }},
    ForecastColumn{{"strategy", "strategy", 'l'}, strategy},
    ForecastColumn{{"rows each", "replica_rows"}, rows_each},
    ForecastColumn{{"global batch", "global_batch"}, [](R row) { return cell(row.planned.global_batch); }},
    ForecastColumn{{"memory", "memory_bytes"}, bytes_of_memory},
    ForecastColumn{{"step", "step_time_s"}, seconds<&timing::Simulated::step>},
    ForecastColumn{{"compute", "compute_s"}, seconds<&timing::Simulated::compute>},
    ForecastColumn{{"exposed", "exposed_communication_s"}, seconds<&timing::Simulated::exposed>},
    ForecastColumn{{"", "bound_s"}, seconds<&timing::Simulated::bound>},
    ForecastColumn{{"samples/s", "samples_per_second"}, samples},
    ForecastColumn{{"per device", "samples_per_second_per_device"}, samples_each},
    ForecastColumn{{"speed-up", "speed_up"}, compared<speed_up_cell>},
    ForecastColumn{{"efficiency", "scaling_efficiency"}, compared<efficiency_cell>},
    ForecastColumn{{"", "baseline"}, compared<baseline_cell>},
    ForecastColumn{{"", "baseline_devices"}, compared<baseline_devices_cell>},
    ForecastColumn{{"", "baseline_rows"}, compared<baseline_rows_cell>},
    ForecastColumn{{"", "baseline_samples_per_second"}, compared<baseline_rate_cell>},
    ForecastColumn{{"", "baseline_memory"}, compared<baseline_memory_cell>},
    ForecastColumn{{"steps", "steps_per_epoch"}, epoch_steps},
    ForecastColumn{{"epoch", "epoch_time_s"}, epoch},
    ForecastColumn{{"", "outcome"}, outcome}};

std::string heading(const study::Scaling& scaling) {
  return fmt::format(
      "{}: {}; shapes only, nothing is trained\n", scaling.name,
      scaling.is_weak
          ? fmt::format("weak scaling, {} for each replica", counted(scaling.batch, "row"))
          : fmt::format("strong scaling, {} for all replicas together", counted(scaling.batch, "row")));
}

// The baseline of the first row that fits stands for all rows: the same device with the same rows.
std::string footing(const study::Scaling& scaling) {
  const auto fits = std::ranges::find_if(
      scaling.forecasts, [](const Forecast& forecast) { return forecast.simulated.has_value(); });
  if (fits == scaling.forecasts.end()) return "no step fits\n";
  const timing::Baseline& baseline = *fits->simulated->baseline;
  const Forecast& last = scaling.forecasts.back();
  const std::string cost =
      last.cost
          ? fmt::format("cost of {}: {}\n", counted(last.planned.replicas, "replica"), basis(*last.cost))
          : "";
  return cost +
         fmt::format(
             "speed-up and efficiency (of samples/s per device) are against {} alone: {:.0f} samples/s ({} "
             "scaling){}\ntimes are simulated, an epoch is its steps\n",
             alone_text(baseline), baseline.samples_per_second, scaling_name(baseline),
             memory_text(baseline));
}

}  // namespace

Records scaling_records(const study::Scaling& scaling) {
  std::vector<JobAndCost> jobs;
  for (const Forecast& forecast : scaling.forecasts) jobs.push_back(job_and_cost(forecast));
  Records records = records_of<Forecast>(std::span<const ForecastColumn>(columns), scaling.forecasts);
  add_job_columns(records, jobs);
  std::vector<const study::Sureness*> sureness;
  std::vector<double> rates;
  for (std::size_t i = 0; i < scaling.forecasts.size(); ++i) {
    const auto& simulated = scaling.forecasts[i].simulated;
    sureness.push_back(scaling.sureness[i] ? &*scaling.sureness[i] : nullptr);
    rates.push_back(simulated ? simulated->samples_per_second : 0);
  }
  add_sureness_columns(records, sureness, rates);
  return records;
}

std::string scaling_text(const study::Scaling& scaling) {
  return heading(scaling) + table(scaling_records(scaling)) + footing(scaling);
}

std::string scaling_json(const study::Scaling& scaling) {
  json::Writer out;
  out.begin_object()
      .member("name", scaling.name)
      .member("scaling", scaling.is_weak ? "weak" : "strong")
      .key("rows");
  write(out, scaling_records(scaling));
  return out.end_object().text();
}

}  // namespace wt::report
