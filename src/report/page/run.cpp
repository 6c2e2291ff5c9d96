#include "report/page/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/duration.h"
#include "base/id.h"
#include "base/rough.h"
#include "report/baseline.h"
#include "report/explanation.h"
#include "report/page/columns.h"
#include "report/page/figures.h"
#include "report/page/machine.h"
#include "report/page/memory.h"
#include "report/page/timeline.h"
#include "report/page/training.h"
#include "report/sureness.h"
#include "timing/collective_facts.h"

namespace wt::report {

namespace {

using json::Layout;

// Copies members of results.json.
template <std::size_t count>
void copy_members(json::Writer& out, const json::Value& from,
                  const std::array<std::string_view, count>& keys) {
  for (const std::string_view key : keys)
    if (const json::Value* value = from.find(key)) write_value(out.key(key), *value);
}

void copy_all_but(json::Writer& out, const json::Value& from, std::string_view left_out) {
  for (const json::Member& member : from.members())
    if (member.key != left_out) write_value(out.key(member.key), member.value);
}

// ---- Headline

// True throughput is the predicted one over the ratio of both.
Figure throughput(const ShownStep& step) {
  const double rate = step.summary.samples_per_second;
  const evidence::Band& band = step.sureness.band;
  return {.key = "samples_per_second",
          .label = "throughput",
          .value = rate,
          .unit = "samples/s",
          .text = rate_text(rate),
          .low = rate / band.high,
          .high = rate / band.low,
          .low_text = rate_text(rate / band.high),
          .high_text = rate_text(rate / band.low),
          .basis = fmt::format("{:.0f} of 100 predictions of published rows are as near; known from: {}",
                               100 * (1 - 2 * step.sureness.quantile), name(step.sureness.known))};
}

Figure step_time(const ShownStep& step) {
  const Seconds time = step.summary.step;
  const evidence::Band& band = step.sureness.band;
  return {.key = "step_time_s",
          .label = "step",
          .value = time.count(),
          .unit = "s",
          .text = rough(time),
          .low = (time * band.low).count(),
          .high = (time * band.high).count(),
          .low_text = rough(time * band.low),
          .high_text = rough(time * band.high),
          .basis = "simulated; times of kernels: " + step.summary.basis};
}

void add_efficiency(std::vector<Figure>& figures, const timing::Simulated& summary) {
  if (!summary.baseline) return;
  figures.push_back({.key = "scaling_efficiency",
                     .label = "scaling efficiency",
                     .value = summary.efficiency,
                     .text = fmt::format("{:.1f} %", 100 * summary.efficiency),
                     .basis = fmt::format("{} scaling, relative to {}", scaling_name(*summary.baseline),
                                          alone_text(*summary.baseline))});
}

// The share of the job's time that lasts: of the failures that were played, or else of those that are expected.
void add_goodput(std::vector<Figure>& figures, const json::Value& results) {
  const auto add = [&](double share, std::string basis) {
    figures.push_back({.key = "goodput",
                       .label = "goodput",
                       .value = share,
                       .text = fmt::format("{:.1f} %", 100 * share),
                       .basis = std::move(basis)});
  };
  if (const json::Value* failures = results.find("failures"))
    return add(failures->find("goodput")->real(),
               fmt::format("{}, {} trained again", counted(failures->find("restarts")->integer(), "restart"),
                           counted(failures->find("lost_steps")->integer(), "step")));
  const json::Value* job = results.find("job");
  if (const json::Value* expected = job == nullptr ? nullptr : job->find("goodput"))
    add(expected->find("share")->real(),
        fmt::format("steps that last, with a failure in {}",
                    duration(Seconds(expected->find("between_failures_s")->real()))));
}

std::vector<Figure> figures_of(const ShownRun& run) {
  std::vector<Figure> figures;
  if (run.step) {
    figures = {throughput(*run.step), step_time(*run.step)};
    add_efficiency(figures, run.step->summary);
    const double mfu = run.step->summary.utilization;
    figures.push_back({.key = "mfu",
                       .label = "model FLOP utilisation",
                       .value = mfu,
                       .text = fmt::format("{:.1f} %", 100 * mfu),
                       .basis = "FLOPs of products and convolutions over those at peak rate"});
  }
  add_goodput(figures, run.results);
  const Bytes memory = session::peak_memory(run.planned);
  figures.push_back({.key = "memory_bytes",
                     .label = "memory",
                     .value = memory.count(),
                     .unit = "B",
                     .text = rough(memory),
                     .basis = "planned, on the fullest device"});
  return figures;
}

// ---- The step

using Split = timing::StepSplit;
constexpr std::array split_columns{
    Column<Split>{{"", "device"}, [](const Split& row) { return cell(row.device); }},
    Column<Split>{{"", "step_time_s"}, [](const Split& row) { return cell(row.step); }},
    Column<Split>{{"", "compute_s"}, [](const Split& row) { return cell(row.compute); }},
    Column<Split>{{"", "exposed_communication_s"}, [](const Split& row) { return cell(row.exposed); }},
    Column<Split>{{"", "hidden_communication_s"},
                  [](const Split& row) { return cell(row.communication - row.exposed); }},
    Column<Split>{{"", "input_s"}, [](const Split& row) { return cell(row.input); }},
    Column<Split>{{"", "software_s"}, [](const Split& row) { return cell(row.software); }},
    Column<Split>{{"", "waiting_s"}, [](const Split& row) { return cell(row.waiting); }}};

void write_split(json::Writer& out, const ShownRun& run) {
  const std::vector<Split>& splits = run.step->simulation.splits;
  write_columns(out.key("split"), records_of<Split>(split_columns, splits));
  const std::int64_t devices = run.planned.devices(), shown = std::ssize(splits);
  if (shown < devices)
    out.member("split_note", fmt::format("{} of one task are simulated, and stand for all {}",
                                         counted(shown, "device"), devices));
}

struct Communication {
  timing::CollectiveAccount account{};
  timing::CollectiveFacts facts{};
};
template <class Value>
Cell unless_empty(bool is_known, Value value) {
  return is_known ? cell(value) : Cell{};
}
constexpr std::array communication_columns{
    Column<Communication>{{"", "name"}, [](const Communication& row) { return cell(row.account.name); }},
    Column<Communication>{{"", "algorithm"},
                          [](const Communication& row) { return cell(row.facts.algorithm); }},
    Column<Communication>{{"", "protocol"},
                          [](const Communication& row) { return cell(row.facts.protocol); }},
    Column<Communication>{{"", "bytes"}, [](const Communication& row) { return cell(row.facts.bytes); }},
    Column<Communication>{
        {"", "ranks"},
        [](const Communication& row) { return unless_empty(row.facts.ranks > 0, row.facts.ranks); }},
    Column<Communication>{{"", "time_s"}, [](const Communication& row) { return cell(row.account.time); }},
    Column<Communication>{{"", "exposed_s"},
                          [](const Communication& row) { return cell(row.account.exposed); }},
    Column<Communication>{
        {"", "bound_s"},
        [](const Communication& row) { return row.facts.bound ? cell(*row.facts.bound) : Cell{}; }},
    Column<Communication>{{"", "bound_share"}, [](const Communication& row) {
                            const bool has_share = row.facts.bound && row.account.time > Seconds(0);
                            return has_share ? share(*row.facts.bound / row.account.time) : Cell{};
                          }}};

void write_communication(json::Writer& out, const ShownRun& run) {
  std::vector<Communication> rows;
  const std::vector<timing::CollectiveFacts> facts = timing::collective_facts(run.plan, run.machine);
  for (const timing::CollectiveAccount& account : run.step->explanation.account.collectives) {
    Communication& row = rows.emplace_back(Communication{.account = account});
    const auto found = std::ranges::find(facts, account.name, &timing::CollectiveFacts::name);
    if (found != facts.end()) row.facts = *found;
  }
  write_columns(out.key("collectives"), records_of<Communication>(communication_columns, rows));
}

void write_explanation(json::Writer& out, const study::Explanation& explanation) {
  constexpr std::size_t most_runs = 100;
  Records runs = run_records(explanation);
  runs.rows.resize(std::min(runs.rows.size(), most_runs));
  const plan::Parts& compute = explanation.account.compute;
  out.key("explanation")
      .begin_object()
      .member("sentence", bound_sentence(explanation))
      .member("bound_by", bound_by(explanation))
      .key("compute")
      .begin_object(Layout::one_line)
      .member("arithmetic_s", compute.arithmetic.count())
      .member("memory_s", compute.memory.count())
      .member("gap_s", compute.gap.count())
      .end_object();
  write_columns(out.key("kernels"), kernel_records(explanation));
  write_columns(out.key("longest_runs"), runs);
  write_columns(out.key("changes"), change_records(explanation));
  out.end_object();
}

void write_assumed(json::Writer& out, const std::vector<study::Assumed>& rows) {
  out.key("assumptions").begin_array();
  for (const study::Assumed& row : rows) {
    out.begin_object(Layout::one_line).member("name", row.name).member("value", row.value);
    out.member("source", row.source);
    if (!row.note.empty()) out.member("note", row.note);
    out.end_object();
  }
  out.end_array();
}

void write_step(json::Writer& out, const ShownRun& run) {
  const ShownStep& step = *run.step;
  const timing::Simulation& simulation = step.simulation;
  const platform::Platform& platform = *run.machine.platform;
  write_sureness(out, step.sureness, step.summary);
  write_split(out, run);
  write_timeline(out, timing::picture_of(run.plan, simulation.timeline, simulation.shown, platform,
                                         timing::endpoints_of(run.plan, run.machine)));
  write_machine(out, platform::drawing_of(platform), simulation.timeline.links, simulation.summary.step);
  write_communication(out, run);
  write_explanation(out, step.explanation);
  write_assumed(out, step.assumed);
}

void write_planned(json::Writer& out, const ShownRun& run) {
  out.key("planned").begin_object();
  if (const json::Value* planned = run.results.find("planned")) copy_all_but(out, *planned, "memory");
  out.member("devices", run.planned.devices()).end_object();
}

}  // namespace

void write_run(json::Writer& out, const ShownRun& run) {
  out.begin_object().member("kind", "run").member("format_version", 1);
  copy_members(out, run.results,
               std::array<std::string_view, 7>{"name", "strategy", "semantics", "numerics", "outcome",
                                               "message", "model"});
  write_headline(out, figures_of(run));
  out.key("notes").begin_array();
  for (const std::string& note : run.notes) out.value(note);
  out.end_array();
  write_planned(out, run);
  if (const json::Value* simulated = run.results.find("simulated")) {
    out.key("simulated").begin_object();
    copy_all_but(out, *simulated, "links");
    out.end_object();
  }
  copy_members(
      out, run.results,
      std::array<std::string_view, 6>{"job", "cost", "failures", "lost_worker", "timed_out", "turns"});
  write_training(out, run.results);
  write_memory(out, run.plan, run.planned.memory, run.step ? &run.step->simulation.timeline : nullptr);
  if (run.step) write_step(out, run);
  out.end_object();
}

}  // namespace wt::report
