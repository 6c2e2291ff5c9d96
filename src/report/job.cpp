#include "report/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/duration.h"
#include "base/rough.h"
#include "base/table.h"

namespace wt::report {

namespace {

using json::Layout;

// "3" or, of an expected number, "0.0123".
std::string times(double count) {
  return count == std::floor(count) ? fmt::format("{:.0f}", count) : fmt::format("{:.3g}", count);
}

std::string long_time(Seconds time) { return time == Seconds(0) ? "0" : duration(time); }

std::string basis_text(const timing::JobItem& item) {
  std::string text = item.basis == timing::Basis::given ? fmt::format("given by \"{}\"", item.key)
                     : item.basis == timing::Basis::unmeasured
                         ? fmt::format("unmeasured, counted as zero; \"{}\" sets it", item.key)
                         : std::string(name(item.basis));
  if (!item.note.empty()) text += "; " + item.note;
  return text;
}

void write_goodput(json::Writer& out, const timing::Goodput& goodput) {
  const timing::Segments& segments = goodput.segments;
  out.key("goodput")
      .begin_object()
      .member("share", goodput.share)
      .member("between_failures_s", segments.between_failures.count())
      .member("checkpoints", goodput.checkpoints)
      .member("interval_s", segments.work.count())
      .member("checkpoint_s", segments.checkpoint.count())
      .member("restart_s", segments.restart.count());
  if (goodput.best)
    out.member("best_interval_s", goodput.best->count())
        .member("best_interval_steps", *goodput.best_steps)
        .member("best_interval_by_daly_s", goodput.daly->count())
        .member("best_share", goodput.best_share);
  if (const auto& played = goodput.played)
    out.key("played")
        .begin_object(Layout::one_line)
        .member("jobs", played->jobs)
        .member("mean_s", played->mean.count())
        .member("tenth_s", played->low.count())
        .member("nine_tenths_s", played->high.count())
        .member("failures", played->failures)
        .end_object();
  out.end_object();
}

std::string goodput_text(const timing::Goodput& goodput) {
  const timing::Segments& segments = goodput.segments;
  const std::string saved = goodput.checkpoints > 0
                                ? fmt::format("a checkpoint after {} of work", long_time(segments.work))
                                : "no checkpoints";
  std::string text = fmt::format("goodput     {:.1f} % of the time is steps that last; a failure in {}, {}\n",
                                 100 * goodput.share, duration(segments.between_failures), saved);
  if (goodput.best)
    text += fmt::format(
        "best        a checkpoint after {} of work ({}; by Daly's formula {}): goodput {:.1f} %\n",
        duration(*goodput.best), counted(*goodput.best_steps, "step"), duration(*goodput.daly),
        100 * goodput.best_share);
  if (const auto& played = goodput.played; played && played->failures > 0)
    text +=
        fmt::format("played      {} with failures at random took {} on average, 80 of 100 from {} to {}\n",
                    counted(played->jobs, "such job"), duration(played->mean), duration(played->low),
                    duration(played->high));
  return text;
}

Cell money(const Money& money) { return {money.amount(), rough(money)}; }
Cell money(const std::optional<Money>& amount) { return amount ? money(*amount) : Cell{}; }

constexpr std::array job_columns{
    Column<timing::JobTime>{{"job", "job_s"},
                            [](const timing::JobTime& job) {
                              return Cell{job.total().count(), duration(job.total())};
                            }},
    Column<timing::JobTime>{{"samples/s of job", "samples_per_second_of_job"},
                            [](const timing::JobTime& job) { return number(job.samples_per_second(), 0); }},
    Column<timing::JobTime>{{"goodput", "goodput"}, [](const timing::JobTime& job) {
                              return job.goodput ? share(job.goodput->share) : Cell{};
                            }}};

constexpr std::array cost_columns{
    Column<cost::Cost>{{"per hour", "cost_per_hour"},
                       [](const cost::Cost& cost) { return money(cost.hour); }},
    Column<cost::Cost>{{"per epoch", "cost_per_epoch"},
                       [](const cost::Cost& cost) { return money(cost.epoch); }},
    Column<cost::Cost>{{"per job", "cost_per_job"}, [](const cost::Cost& cost) { return money(cost.job); }},
    Column<cost::Cost>{{"per million samples", "cost_per_million_samples"},
                       [](const cost::Cost& cost) { return money(cost.million_samples); }},
    Column<cost::Cost>{{"", "currency"}, [](const cost::Cost& cost) { return cell(cost.hour.currency()); }},
    Column<cost::Cost>{{"", "cost_basis"}, [](const cost::Cost& cost) { return cell(basis(cost)); }}};

// A column for rows of which some have no value.
template <class Value, class Columns>
void add_columns(Records& records, const Columns& columns, const std::vector<JobAndCost>& rows,
                 const Value* JobAndCost::*member) {
  if (std::ranges::none_of(rows, [&](const JobAndCost& row) { return row.*member != nullptr; })) return;
  for (const Column<Value>& column : columns) {
    records.headings.push_back(column.heading);
    for (std::size_t i = 0; i < rows.size(); ++i)
      records.rows[i].push_back(rows[i].*member == nullptr ? Cell{} : column.cell(*(rows[i].*member)));
  }
}

}  // namespace

void write_job(json::Writer& out, const timing::JobTime& job) {
  out.key("job")
      .begin_object()
      .member("time_s", job.total().count())
      .member("samples", job.samples)
      .member("samples_per_second", job.samples_per_second())
      .key("items")
      .begin_array();
  for (const timing::JobItem& item : job.items) {
    out.begin_object(Layout::one_line)
        .member("name", item.name)
        .member("key", item.key)
        .member("count", item.count)
        .member("each_s", item.each.count())
        .member("time_s", item.time().count())
        .member("basis", name(item.basis));
    if (!item.note.empty()) out.member("note", item.note);
    out.end_object();
  }
  out.end_array();
  if (job.goodput) write_goodput(out, *job.goodput);
  out.end_object();
}

void write_cost(json::Writer& out, const cost::Cost& cost) {
  out.key("cost")
      .begin_object()
      .member("currency", cost.hour.currency())
      .member("per_hour", cost.hour.amount());
  if (cost.electricity) out.member("electricity_per_hour", cost.electricity->amount());
  if (cost.epoch) out.member("per_epoch", cost.epoch->amount());
  out.member("per_job", cost.job.amount())
      .member("per_million_samples", cost.million_samples.amount())
      .member("basis", basis(cost));
  if (cost.price.terms) out.member("terms", cost::name(*cost.price.terms));
  if (cost.price.date) out.member("date", *cost.price.date);
  if (cost.price.source) out.member("source", *cost.price.source);
  out.key("rented")
      .begin_object(Layout::one_line)
      .member("chips", cost.rented.chips)
      .member("machines", cost.rented.machines)
      .member("slices", cost.rented.slices)
      .member("spares", cost.rented.spares)
      .member("services", cost.rented.services)
      .member("hosts", cost.rented.hosts)
      .end_object()
      .end_object();
}

std::string job_text(const timing::JobTime& job, double steady) {
  std::vector<TableRow> rows{{"whole training", "times", "each", "time", "share", "basis"}};
  const auto share = [&](Seconds time) { return fmt::format("{:.1f} %", 100 * (time / job.total())); };
  for (const timing::JobItem& item : job.items)
    rows.push_back({"  " + item.name, times(item.count), long_time(item.each), long_time(item.time()),
                    share(item.time()), basis_text(item)});
  rows.push_back({"  all", "", "", duration(job.total()), share(job.total()), ""});
  return print_table(rows, "lrrrrl") +
         fmt::format("samples/s   {:.0f} in steady steps, {:.0f} over the whole training\n", steady,
                     job.samples_per_second()) +
         (job.goodput ? goodput_text(*job.goodput) : "");
}

std::string cost_text(const cost::Cost& cost) {
  std::string text = fmt::format("cost        {} per job", rough(cost.job));
  if (cost.epoch) text += fmt::format(", {} per epoch", rough(*cost.epoch));
  return text + fmt::format(", {} per million samples; {} per hour\n            {}\n",
                            rough(cost.million_samples), rough(cost.hour), basis(cost));
}

void add_job_columns(Records& records, const std::vector<JobAndCost>& rows) {
  add_columns<timing::JobTime>(records, job_columns, rows, &JobAndCost::job);
  add_columns<cost::Cost>(records, cost_columns, rows, &JobAndCost::cost);
}

}  // namespace wt::report
