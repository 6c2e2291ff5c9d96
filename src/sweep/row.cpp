#include "sweep/row.h"

#include <algorithm>
#include <array>
#include <new>

#include "report/baseline.h"
#include "session/compute_times.h"
#include "session/training.h"
#include "study/sureness.h"
#include "sweep/reason.h"

namespace wt::sweep {

namespace {

using report::Field;

// What is known about a point.
struct Outcome {
  std::string name{};
  std::string platform{};
  std::string strategy{};
  std::string outcome = "done";
  std::string reason{};
  std::optional<session::Forecast> forecast{};
  std::optional<study::Sureness> sureness{};  // set if the step is simulated

  const session::Planned* planned() const { return forecast ? &forecast->planned : nullptr; }
  const timing::Simulated* simulated() const {
    return forecast && forecast->simulated ? &*forecast->simulated : nullptr;
  }
};

// ---- Columns

using R = const Outcome&;

Field text(const std::string& text) { return text.empty() ? Field{} : Field{text}; }

template <class Value>
Field planned(R row, Value value) {
  return row.planned() == nullptr ? Field{} : Field{value(*row.planned())};
}
template <std::int64_t session::Planned::*count>
Field planned_count(R row) {
  return planned(row, [](const session::Planned& plan) { return plan.*count; });
}
template <class Value>
Field simulated(R row, Value value) {
  return row.simulated() == nullptr ? Field{} : Field{value(*row.simulated())};
}
template <Seconds timing::Simulated::*part>
Field seconds(R row) {
  return simulated(row, [](const timing::Simulated& step) { return (step.*part).count(); });
}

std::int64_t devices_of(const session::Planned& plan) { return plan.replicas * plan.devices_of_each; }

Field rows_of_replica(R row) {
  return planned(row, [](const session::Planned& plan) {
    return plan.replica_rows.empty() ? std::int64_t{0} : std::ranges::max(plan.replica_rows);
  });
}

Field reduction(R row) {
  return row.planned() != nullptr && row.planned()->reduction ? Field{print(*row.planned()->reduction)}
                                                              : Field{};
}

Field tokens(R row) {
  const bool has_tokens = row.planned() != nullptr && row.planned()->tokens_per_row > 0;
  return !has_tokens ? Field{} : simulated(row, [&](const timing::Simulated& step) {
    return step.samples_per_second * static_cast<double>(row.planned()->tokens_per_row);
  });
}

Field samples_per_device(R row) {
  return simulated(row, [&](const timing::Simulated& step) {
    return step.samples_per_second / static_cast<double>(devices_of(*row.planned()));
  });
}

template <report::Cell (*cell)(const timing::Simulated&)>
Field of_baseline(R row) {
  const timing::Simulated* step = row.simulated();
  return step == nullptr || !step->baseline ? Field{} : cell(*step).field;
}

Field epoch(R row) {
  const auto* plan = row.planned();
  if (plan == nullptr || !plan->steps_per_epoch) return {};
  return simulated(row, [&](const timing::Simulated& step) {
    return (step.each_step() * *plan->steps_per_epoch).count();
  });
}

// The part of the step that takes the most of its time.
Field bound_by(R row) {
  return simulated(row, [](const timing::Simulated& step) {
    const std::array<std::pair<Seconds, const char*>, 5> parts{{{step.compute, "compute"},
                                                                {step.exposed, "communication"},
                                                                {step.input, "input"},
                                                                {step.software, "software"},
                                                                {step.waiting, "waiting"}}};
    return std::string(std::ranges::max(parts, {}, [](const auto& part) { return part.first; }).second);
  });
}

template <class Value>
Field of_cost(R row, Value value) {
  return row.forecast && row.forecast->cost ? Field{value(*row.forecast->cost)} : Field{};
}

Field job_time(R row) {
  return row.forecast && row.forecast->job ? Field{row.forecast->job->total().count()} : Field{};
}

template <class Value>
Field of_goodput(R row, Value value) {
  if (!row.forecast || !row.forecast->job || !row.forecast->job->goodput) return {};
  return Field{value(*row.forecast->job->goodput)};
}

template <class Value>
Field sureness(R row, Value value) {
  return row.sureness ? Field{value(*row.sureness)} : Field{};
}
template <double evidence::Band::*end>
Field predicted_over_true(R row) {
  return sureness(row, [](const study::Sureness& of) { return of.band.*end; });
}

struct Column {
  std::string_view name{};
  Field (*field)(R row) = nullptr;
};
constexpr std::array columns{
    Column{"name", [](R row) { return text(row.name); }},
    Column{"platform", [](R row) { return text(row.platform); }},
    Column{"device", [](R row) { return simulated(row, [](const auto& step) { return step.device; }); }},
    Column{"strategy", [](R row) { return text(row.strategy); }},
    Column{"devices", [](R row) { return planned(row, devices_of); }},
    Column{"replicas", planned_count<&session::Planned::replicas>},
    Column{"machines", planned_count<&session::Planned::workers>},
    Column{"replica_rows", rows_of_replica},
    Column{"global_batch", planned_count<&session::Planned::global_batch>},
    Column{"precision",
           [](R row) { return simulated(row, [](const auto& step) { return step.precision; }); }},
    Column{"reduction", reduction},
    Column{"step_time_s", seconds<&timing::Simulated::step>},
    Column{"compute_s", seconds<&timing::Simulated::compute>},
    Column{"input_s", seconds<&timing::Simulated::input>},
    Column{"exposed_communication_s", seconds<&timing::Simulated::exposed>},
    Column{"software_s", seconds<&timing::Simulated::software>},
    Column{"waiting_s", seconds<&timing::Simulated::waiting>},
    Column{"communication_s", seconds<&timing::Simulated::communication>},
    Column{"bound_s", seconds<&timing::Simulated::bound>},
    Column{"bound_by", bound_by},
    Column{"samples_per_second",
           [](R row) { return simulated(row, [](const auto& step) { return step.samples_per_second; }); }},
    Column{"samples_per_second_per_device", samples_per_device},
    Column{"tokens_per_second", tokens},
    Column{"mfu", [](R row) { return simulated(row, [](const auto& step) { return step.utilization; }); }},
    Column{"speed_up", of_baseline<report::speed_up_cell>},
    Column{"scaling_efficiency", of_baseline<report::efficiency_cell>},
    Column{"baseline", of_baseline<report::baseline_cell>},
    Column{"baseline_devices", of_baseline<report::baseline_devices_cell>},
    Column{"baseline_rows", of_baseline<report::baseline_rows_cell>},
    Column{"baseline_samples_per_second", of_baseline<report::baseline_rate_cell>},
    Column{"baseline_memory", of_baseline<report::baseline_memory_cell>},
    Column{"memory_bytes",
           [](R row) {
             return planned(row, [](const auto& plan) { return session::peak_memory(plan).count(); });
           }},
    Column{"steps_per_epoch",
           [](R row) {
             return row.planned() != nullptr && row.planned()->steps_per_epoch
                        ? Field{*row.planned()->steps_per_epoch}
                        : Field{};
           }},
    Column{"epoch_time_s", epoch},
    Column{"job_time_s", job_time},
    Column{"goodput", [](R row) { return of_goodput(row, [](const auto& of) { return of.share; }); }},
    Column{"checkpoint_interval_s",
           [](R row) { return of_goodput(row, [](const auto& of) { return of.segments.work.count(); }); }},
    Column{"currency",
           [](R row) { return of_cost(row, [](const cost::Cost& cost) { return cost.job.currency(); }); }},
    Column{"cost_per_hour",
           [](R row) { return of_cost(row, [](const cost::Cost& cost) { return cost.hour.amount(); }); }},
    Column{"cost_per_job",
           [](R row) { return of_cost(row, [](const cost::Cost& cost) { return cost.job.amount(); }); }},
    Column{"cost_per_epoch",
           [](R row) {
             return row.forecast && row.forecast->cost && row.forecast->cost->epoch
                        ? Field{row.forecast->cost->epoch->amount()}
                        : Field{};
           }},
    Column{"cost_per_million_samples",
           [](R row) {
             return of_cost(row, [](const cost::Cost& cost) { return cost.million_samples.amount(); });
           }},
    Column{"predicted_over_true_low", predicted_over_true<&evidence::Band::low>},
    Column{"predicted_over_true_median", predicted_over_true<&evidence::Band::bias>},
    Column{"predicted_over_true_high", predicted_over_true<&evidence::Band::high>},
    Column{"known_from",
           [](R row) { return sureness(row, [](const auto& of) { return std::string(name(of.known)); }); }},
    Column{"expected_error_basis",
           [](R row) { return sureness(row, [](const auto& of) { return basis(of); }); }},
    Column{"outcome", [](R row) { return text(row.outcome); }},
    Column{"reason", [](R row) { return text(row.reason); }},
};

// ---- A point

std::string platform_of(const scenario::Scenario& scenario) {
  const auto& written = scenario.platform.written;
  if (!written) return {};
  if (written->kind() == json::Kind::string) return written->string();
  const json::Value* file = written->find("file");
  return file != nullptr && file->kind() == json::Kind::string ? file->string() : "";
}

void refuse_measurement(const scenario::Scenario& scenario) {
  const auto* word = std::get_if<scenario::Compute>(&scenario.time.compute.form);
  if (word != nullptr && *word == scenario::Compute::measured)
    throw InputError(Problem{scenario.place("time.compute"),
                             "the processes of a sweep would disturb each other's measurements",
                             "measure once, with `windtunnel calibrate --as FILE`, and name that profile"});
}

void time_step(scenario::Scenario scenario, session::Shared& known, Outcome& outcome) {
  scenario.numerics = scenario::Numerics::none;
  refuse_measurement(scenario);
  session::ComputeTimes times(scenario, {});
  session::Training training(scenario, scenario::build(scenario),
                             {.shared = &known, .asks_nccl = false, .simulation = {.times = &times}});
  outcome.forecast = training.forecast();
  if (outcome.forecast->simulated) {
    outcome.sureness = study::sureness_of(scenario, training.machine(), outcome.forecast->planned,
                                          *outcome.forecast->simulated);
    return;
  }
  if (outcome.forecast->out_of_memory) {
    outcome.outcome = "out_of_memory";
    outcome.reason = first_line(*outcome.forecast->out_of_memory);
  } else {
    throw InputError(Problem{scenario.place("platform"), "the scenario has no platform, so it can't be timed",
                             "add an axis or --set platform=dgx_a100"});
  }
}

Outcome outcome_of(const Points& points, const Point& point, session::Shared& known) {
  Outcome outcome;
  const auto fail = [&](const char* kind, std::string reason) {
    outcome.outcome = kind;
    outcome.reason = std::move(reason);
    outcome.forecast.reset();
  };
  try {
    const scenario::Scenario scenario = points.scenario(point);
    outcome.name = scenario.name;
    outcome.platform = platform_of(scenario);
    outcome.strategy = std::string(scenario.strategy->name());
    time_step(scenario, known, outcome);
  } catch (const InputError& error) {
    fail("refused", reason_of(error));
  } catch (const std::bad_alloc&) {
    fail("failed", "this machine has too little memory to plan the step");
  } catch (const std::exception& error) {
    fail("failed", first_line(error.what()));
  }
  return outcome;
}

// ---- The row

Field field_of(const Setting& setting) {
  switch (setting.value.kind()) {
    case json::Kind::null:
      return {};
    case json::Kind::integer:
      return setting.value.integer();
    case json::Kind::real:
      return setting.value.real();
    default:
      return setting.text;
  }
}

const Column* column_named(std::string_view name) {
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? nullptr : &*found;
}

std::vector<Field> fields_of(const Sweep& sweep, const Point& point, const Outcome& outcome) {
  const std::vector<std::string> axes = sweep.columns();
  std::vector<Field> fields{point.number};
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (column_named(axes[i]) == nullptr) fields.push_back(field_of(*point.settings[i]));
  for (const Column& column : columns) {
    Field field = column.field(outcome);
    const auto axis = std::ranges::find(axes, column.name);
    if (std::holds_alternative<std::monostate>(field) && axis != axes.end())
      field = field_of(*point.settings[static_cast<std::size_t>(axis - axes.begin())]);
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace

// An axis whose name is that of a column is no column of its own: "machines" is what the point has.
std::vector<std::string> column_names(const Sweep& sweep) {
  std::vector<std::string> names{"point"};
  for (const std::string& axis : sweep.columns())
    if (column_named(axis) == nullptr) names.push_back(axis);
  for (const Column& column : columns) names.emplace_back(column.name);
  return names;
}

std::vector<Field> row_of(const Sweep& sweep, const Points& points, const Point& point,
                          session::Shared& known) {
  return fields_of(sweep, point, outcome_of(points, point, known));
}

std::vector<Field> lost_row(const Sweep& sweep, const Point& point, const std::string& reason) {
  return fields_of(sweep, point, {.outcome = "failed", .reason = reason});
}

}  // namespace wt::sweep
