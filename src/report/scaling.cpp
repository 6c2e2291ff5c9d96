#include "report/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/rough.h"
#include "report/job.h"
#include "report/planned.h"

namespace wt::report {

namespace {

using session::Forecast;

struct ScalingRow {
  Forecast forecast{};
  const Forecast* first = nullptr;  // the first row of the table whose step fits
};

// ---- Columns

using R = const ScalingRow&;

double per_device(const Forecast& forecast) {
  return forecast.simulated->samples_per_second / static_cast<double>(forecast.planned.replicas);
}

Cell rows_each(R row) {
  const auto [least, most] = std::ranges::minmax(row.forecast.planned.replica_rows);
  if (least == most) return cell(most);
  return {most, fmt::format("{} to {}", least, most)};
}

Cell bytes_of_memory(R row) {
  return row.forecast.out_of_memory ? Cell{{}, "does not fit"}
                                    : cell(session::peak_memory(row.forecast.planned));
}

// The cell is empty where the step does not fit in memory.
template <class Value>
Cell simulated(R row, Value value) {
  return row.forecast.simulated ? value(*row.forecast.simulated) : Cell{};
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
  return simulated(row, [&](const timing::Simulated&) { return number(per_device(row.forecast), 0); });
}
Cell speed_up(R row) {
  return simulated(row, [&](const timing::Simulated& summary) {
    return number(summary.samples_per_second / row.first->simulated->samples_per_second, 2);
  });
}
Cell efficiency(R row) {
  return simulated(row, [&](const timing::Simulated&) {
    return share(per_device(row.forecast) / per_device(*row.first));
  });
}
Cell epoch(R row) {
  return simulated(row, [&](const timing::Simulated& summary) {
    const auto& steps = row.forecast.planned.steps_per_epoch;
    return steps ? cell(summary.step * *steps) : Cell{};
  });
}
Cell epoch_steps(R row) {
  const auto& steps = row.forecast.planned.steps_per_epoch;
  return steps ? cell(*steps) : Cell{};
}
Cell outcome(R row) { return {std::string(row.forecast.out_of_memory ? "out_of_memory" : "done"), ""}; }

constexpr std::array columns{
    Column<ScalingRow>{{"replicas", "replicas"}, [](R row) { return cell(row.forecast.planned.replicas); }},
    Column<ScalingRow>{{"machines", "machines"}, [](R row) { return cell(row.forecast.planned.workers); }},
    Column<ScalingRow>{{"rows each", "replica_rows"}, rows_each},
    Column<ScalingRow>{{"global batch", "global_batch"},
                       [](R row) { return cell(row.forecast.planned.global_batch); }},
    Column<ScalingRow>{{"memory", "memory_bytes"}, bytes_of_memory},
    Column<ScalingRow>{{"step", "step_time_s"}, seconds<&timing::Simulated::step>},
    Column<ScalingRow>{{"compute", "compute_s"}, seconds<&timing::Simulated::compute>},
    Column<ScalingRow>{{"exposed", "exposed_communication_s"}, seconds<&timing::Simulated::exposed>},
    Column<ScalingRow>{{"", "bound_s"}, seconds<&timing::Simulated::bound>},
    Column<ScalingRow>{{"samples/s", "samples_per_second"}, samples},
    Column<ScalingRow>{{"per device", "samples_per_second_per_device"}, samples_each},
    Column<ScalingRow>{{"speed-up", "speed_up"}, speed_up},
    Column<ScalingRow>{{"efficiency", "scaling_efficiency"}, efficiency},
    Column<ScalingRow>{{"steps", "steps_per_epoch"}, epoch_steps},
    Column<ScalingRow>{{"epoch", "epoch_time_s"}, epoch},
    Column<ScalingRow>{{"", "outcome"}, outcome}};

std::string heading(const study::Scaling& scaling) {
  return fmt::format(
      "{}: {}; shapes only, nothing is trained\n", scaling.name,
      scaling.is_weak
          ? fmt::format("weak scaling, {} for each replica", counted(scaling.batch, "row"))
          : fmt::format("strong scaling, {} for all replicas together", counted(scaling.batch, "row")));
}

std::string footing(const study::Scaling& scaling) {
  const session::Forecast* first = scaling.first();
  if (first == nullptr) return "no step fits\n";
  const session::Forecast& last = scaling.forecasts.back();
  const std::string cost =
      last.cost
          ? fmt::format("cost of {}: {}\n", counted(last.planned.replicas, "replica"), basis(*last.cost))
          : "";
  return cost + fmt::format(
                    "speed-up and efficiency (of samples/s per device) are against {}; times are simulated, "
                    "an epoch is "
                    "its "
                    "steps\n",
                    counted(first->planned.replicas, "replica"));
}

}  // namespace

Records scaling_records(const study::Scaling& scaling) {
  std::vector<ScalingRow> rows;
  std::vector<JobAndCost> jobs;
  for (const Forecast& forecast : scaling.forecasts) {
    rows.push_back({forecast, scaling.first()});
    jobs.push_back(job_and_cost(forecast));
  }
  Records records = records_of<ScalingRow>(std::span<const Column<ScalingRow>>(columns), rows);
  add_job_columns(records, jobs);
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
