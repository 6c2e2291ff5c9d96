#include "cli/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "base/rough.h"
#include "cli/forecast.h"
#include "report/records.h"
#include "scenario/parse.h"
#include "scenario/variant.h"

namespace wt {

namespace {

using report::Cell, report::cell, report::Forecast;

struct ScalingRow {
  Forecast forecast{};
  const Forecast* first = nullptr;  // of the table, among those that fit
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
                                    : cell(report::peak_memory(row.forecast.planned));
}

// Nothing where the step doesn't fit.
template <class Value>
Cell simulated(R row, Value value) {
  return row.forecast.simulated ? value(*row.forecast.simulated) : Cell{};
}
template <Seconds report::Simulated::*part>
Cell seconds(R row) {
  return simulated(row, [](const report::Simulated& told) { return cell(told.*part); });
}
Cell samples(R row) {
  return simulated(row,
                   [](const report::Simulated& told) { return report::number(told.samples_per_second, 0); });
}
Cell samples_each(R row) {
  return simulated(row,
                   [&](const report::Simulated&) { return report::number(per_device(row.forecast), 0); });
}
Cell speed_up(R row) {
  return simulated(row, [&](const report::Simulated& told) {
    return report::number(told.samples_per_second / row.first->simulated->samples_per_second, 2);
  });
}
Cell efficiency(R row) {
  return simulated(row, [&](const report::Simulated&) {
    return report::share(per_device(row.forecast) / per_device(*row.first));
  });
}
Cell epoch(R row) {
  return simulated(row, [&](const report::Simulated& told) {
    const auto& steps = row.forecast.planned.steps_per_epoch;
    return steps ? cell(told.step * *steps) : Cell{};
  });
}
Cell epoch_steps(R row) {
  const auto& steps = row.forecast.planned.steps_per_epoch;
  return steps ? cell(*steps) : Cell{};
}
Cell outcome(R row) { return {std::string(row.forecast.out_of_memory ? "out_of_memory" : "done"), ""}; }

constexpr std::array columns{
    report::Column<ScalingRow>{{"replicas", "replicas"},
                               [](R row) { return cell(row.forecast.planned.replicas); }},
    report::Column<ScalingRow>{{"machines", "machines"},
                               [](R row) { return cell(row.forecast.planned.workers); }},
    report::Column<ScalingRow>{{"rows each", "replica_rows"}, rows_each},
    report::Column<ScalingRow>{{"global batch", "global_batch"},
                               [](R row) { return cell(row.forecast.planned.global_batch); }},
    report::Column<ScalingRow>{{"memory", "memory_bytes"}, bytes_of_memory},
    report::Column<ScalingRow>{{"step", "step_time_s"}, seconds<&report::Simulated::step>},
    report::Column<ScalingRow>{{"compute", "compute_s"}, seconds<&report::Simulated::compute>},
    report::Column<ScalingRow>{{"exposed", "exposed_communication_s"}, seconds<&report::Simulated::exposed>},
    report::Column<ScalingRow>{{"", "bound_s"}, seconds<&report::Simulated::bound>},
    report::Column<ScalingRow>{{"samples/s", "samples_per_second"}, samples},
    report::Column<ScalingRow>{{"per device", "samples_per_second_per_device"}, samples_each},
    report::Column<ScalingRow>{{"speed-up", "speed_up"}, speed_up},
    report::Column<ScalingRow>{{"efficiency", "scaling_efficiency"}, efficiency},
    report::Column<ScalingRow>{{"steps", "steps_per_epoch"}, epoch_steps},
    report::Column<ScalingRow>{{"epoch", "epoch_time_s"}, epoch},
    report::Column<ScalingRow>{{"", "outcome"}, outcome}};

// ---- The forecasts

// What is wrong with any of the counts, before the first one is simulated.
std::vector<scenario::Overrides> variants(const scenario::Scenario& scenario,
                                          const std::vector<int>& counts) {
  Problems problems;
  std::vector<scenario::Overrides> variants;
  for (const int count : counts)
    if (count < 1) problems.add({}, fmt::format("--replicas {}: there must be one at least", count), "");
  problems.throw_if_any();
  const scenario::Machine machine = scenario::build_machine(scenario);
  for (const int count : counts) {
    try {
      variants.push_back(scenario::with_replicas(scenario, machine, count));
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    }
  }
  problems.throw_if_any();
  return variants;
}

Forecast forecast_of(const RunOptions& options, const scenario::Overrides& variant, int replicas,
                     const WhatIf& measured) {
  try {
    Forecast found = forecast(options.files.front(), options.overrides, variant, measured);
    WT_EXPECT(found.planned.replicas == replicas, "{} replicas where {} were wanted", found.planned.replicas,
              replicas);
    return found;
  } catch (const InputError& error) {
    Problems problems;
    for (Problem problem : error.problems()) {
      problem.fact = fmt::format("{}: {}", counted(replicas, "replica"), problem.fact);
      problems.add(problem);
    }
    problems.throw_if_any();
    throw;
  }
}

std::string heading(const scenario::Scenario& scenario) {
  const auto& each = scenario.training.per_replica_batch;
  return fmt::format("{}: {}; shapes only, nothing is trained\n", scenario.name,
                     each ? fmt::format("weak scaling, {} for each replica", counted(*each, "row"))
                          : fmt::format("strong scaling, {} for all replicas together",
                                        counted(*scenario.training.global_batch, "row")));
}

std::string footing(const std::vector<ScalingRow>& rows) {
  const Forecast* first = rows.front().first;
  if (first == nullptr) return "no step fits\n";
  return fmt::format(
      "speed-up and efficiency (of samples/s per device) are against {}; times are simulated, an epoch is "
      "its "
      "steps\n",
      counted(first->planned.replicas, "replica"));
}

}  // namespace

Exit run_scaling(const RunOptions& options, const Streams& streams) {
  const scenario::Scenario scenario = scenario::parse_file(options.files.front(), options.overrides);
  require_platform(scenario);
  const std::vector<scenario::Overrides> wanted = variants(scenario, options.replicas);
  const WhatIf measured{.scale = measured_scale(scenario)};
  std::vector<ScalingRow> rows;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    rows.push_back({forecast_of(options, wanted[i], options.replicas[i], measured)});
  const auto first = std::ranges::find_if(rows, [](R row) { return row.forecast.simulated.has_value(); });
  if (first != rows.end())
    for (ScalingRow& row : rows) row.first = &first->forecast;
  const report::Records records =
      report::records_of<ScalingRow>(std::span<const report::Column<ScalingRow>>(columns), rows);
  if (options.csv) {
    streams.results << report::csv(records);
  } else if (options.json) {
    json::Writer out;
    out.begin_object()
        .member("name", scenario.name)
        .member("scaling", scenario.training.per_replica_batch ? "weak" : "strong")
        .key("rows");
    write(out, records);
    streams.results << out.end_object().text();
  } else {
    streams.results << heading(scenario) << report::table(records) << footing(rows);
  }
  const bool all_fit =
      std::ranges::none_of(rows, [](R row) { return row.forecast.out_of_memory.has_value(); });
  return all_fit ? Exit::done : Exit::job_failed;
}

}  // namespace wt
