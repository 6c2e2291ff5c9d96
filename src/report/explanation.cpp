#include "report/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/rough.h"
#include "report/baseline.h"
#include "report/pool.h"
#include "report/records.h"
#include "report/simulated.h"
#include "report/sureness.h"

namespace wt::report {

namespace {

constexpr std::size_t shown = 8;  // rows of a table; JSON contains all rows
constexpr std::size_t all = static_cast<std::size_t>(-1);

template <class Row>
using Columns = std::span<const Column<Row>>;

template <class Row, std::size_t count>
Records records(const std::array<Column<Row>, count>& columns, std::vector<Row> rows, std::size_t most) {
  rows.resize(std::min(rows.size(), most));
  return records_of<Row>(Columns<Row>(columns), rows);
}

// ---- The parts of a step

struct Piece {
  std::string name{};
  std::string key{};
  Seconds time{};
  Seconds step{};
};

std::vector<Piece> pieces(const study::Explanation& e) {
  const timing::Simulated& summary = *e.now.simulated;
  return {{"compute", "compute_s", summary.compute, summary.step},
          {"exposed communication", "exposed_communication_s", summary.exposed, summary.step},
          {"waiting for rows", "input_s", summary.input, summary.step},
          {"the framework's software", "software_s", summary.software, summary.step},
          {"waiting for others", "waiting_s", summary.waiting, summary.step}};
}

std::string whole_percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

// "42 % of it arithmetic, ..."
std::string compute_text(const plan::Parts& compute) {
  const Seconds sum = compute.sum();
  return fmt::format("kernels spend {} on arithmetic, {} on memory, {} on gaps between launches",
                     whole_percent(compute.arithmetic / sum), whole_percent(compute.memory / sum),
                     whole_percent(compute.gap / sum));
}

std::vector<Piece> sorted_pieces(const study::Explanation& e) {
  std::vector<Piece> sorted = pieces(e);
  std::ranges::stable_sort(sorted, [](const Piece& a, const Piece& b) { return a.time > b.time; });
  return sorted;
}

// "compute: 84 % of the step", and the smaller parts.
std::string step_sentence(const std::vector<Piece>& sorted, std::string_view step) {
  std::string text =
      fmt::format("{}: {} of {}", sorted[0].name, whole_percent(sorted[0].time / sorted[0].step), step);
  std::string_view separator = "; ";
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].time / sorted[i].step < 0.005) continue;  // it would be printed as 0 %
    text += fmt::format("{}{} {}", separator, sorted[i].name, whole_percent(sorted[i].time / sorted[i].step));
    separator = ", ";
  }
  return text;
}

// What bounds workers that don't wait for each other is shared by all of them, so it isn't a part of a step.
std::string pool_sentence(const timing::PoolTime& pool, const std::vector<Piece>& sorted) {
  return fmt::format("{}; alone, each would allow an update every: {}; {}; {}", pool.bottleneck(),
                     limits_text(pool), waiting_text(pool), step_sentence(sorted, "a worker's step"));
}

std::string sentence(const study::Explanation& e) {
  const std::vector<Piece> sorted = sorted_pieces(e);
  const auto& pool = e.now.simulated->pool;
  return fmt::format("bound by {}; {}",
                     pool ? pool_sentence(*pool, sorted) : step_sentence(sorted, "the step"),
                     compute_text(e.account.compute));
}

// ---- Tables

template <Seconds plan::Parts::*part, class Row>
Cell part_share(const Row& row) {
  return share(row.time.*part / row.time.sum());
}

constexpr std::array kernel_columns{
    Column<timing::KernelAccount>{{"kernel", "kernel", 'l'},
                                  [](const timing::KernelAccount& row) { return cell(row.kernel); }},
    Column<timing::KernelAccount>{{"runs", "runs"},
                                  [](const timing::KernelAccount& row) { return cell(row.runs); }},
    Column<timing::KernelAccount>{{"time", "time_s"},
                                  [](const timing::KernelAccount& row) { return cell(row.time.sum()); }},
    Column<timing::KernelAccount>{{"arithmetic", "arithmetic_share"}, part_share<&plan::Parts::arithmetic>},
    Column<timing::KernelAccount>{{"memory", "memory_share"}, part_share<&plan::Parts::memory>},
    Column<timing::KernelAccount>{{"gaps", "gap_share"}, part_share<&plan::Parts::gap>}};

Cell longest_part(const timing::KernelRun& run) {
  const plan::Parts& time = run.time;
  if (time.gap >= std::max(time.arithmetic, time.memory)) return cell("launch gap");
  return cell(time.arithmetic >= time.memory ? "arithmetic" : "memory");
}

constexpr std::array run_columns{
    Column<timing::KernelRun>{{"longest", "scope", 'l'},
                              [](const timing::KernelRun& row) { return cell(row.scope); }},
    Column<timing::KernelRun>{{"kernel", "kernel", 'l'},
                              [](const timing::KernelRun& row) { return cell(row.kernel); }},
    Column<timing::KernelRun>{{"time", "time_s"},
                              [](const timing::KernelRun& row) { return cell(row.time.sum()); }},
    Column<timing::KernelRun>{{"bound by", "bound_by", 'l'}, longest_part}};

constexpr std::array collective_columns{
    Column<timing::CollectiveAccount>{{"communication", "name", 'l'},
                                      [](const timing::CollectiveAccount& row) { return cell(row.name); }},
    Column<timing::CollectiveAccount>{{"time", "time_s"},
                                      [](const timing::CollectiveAccount& row) { return cell(row.time); }},
    Column<timing::CollectiveAccount>{
        {"exposed", "exposed_s"}, [](const timing::CollectiveAccount& row) { return cell(row.exposed); }}};

struct LinkRow {
  timing::LinkAccount account{};
  Seconds step{};
};

Cell link_name(const LinkRow& row) {
  const std::string& name = row.account.link.name;
  return {name, row.account.count > 1 ? fmt::format("{} and {} like it", name, row.account.count - 1) : name};
}

constexpr std::array link_columns{
    Column<LinkRow>{{"link", "name", 'l'}, link_name},
    Column<LinkRow>{{"", "links"}, [](const LinkRow& row) { return cell(row.account.count); }},
    Column<LinkRow>{{"rate", "bytes_per_second"},
                    [](const LinkRow& row) {
                      const BytesPerSecond rate = row.account.link.bandwidth;
                      return Cell{rate.count(), rough(rate)};
                    }},
    Column<LinkRow>{{"carries", "carried_bytes"},
                    [](const LinkRow& row) { return cell(row.account.link.carried); }},
    Column<LinkRow>{{"busy", "busy_share"},
                    [](const LinkRow& row) { return share(row.account.link.busy / row.step); }}};

std::vector<LinkRow> link_rows(const study::Explanation& e) {
  std::vector<LinkRow> rows;
  for (const timing::LinkAccount& link : e.account.links) rows.push_back({link, e.now.simulated->step});
  return rows;
}

// ---- Changes that would reduce the time

struct ChangeRow {
  std::string name{};
  const timing::Simulated* before = nullptr;
  const timing::Simulated* after = nullptr;  // null: the changed step does not fit, or is not possible
  std::string why{};
};

std::vector<ChangeRow> change_rows(const study::Explanation& e) {
  std::vector<ChangeRow> rows;
  const timing::Simulated* now = &*e.now.simulated;
  rows.push_back({"as it is", now, now, ""});
  for (const study::Change& change : e.changes) {
    ChangeRow& row = rows.emplace_back(ChangeRow{.name = change.name, .before = now, .why = change.refusal});
    if (!change.forecast) continue;
    if (change.forecast->simulated) row.after = &*change.forecast->simulated;
    if (change.forecast->out_of_memory) row.why = "does not fit";
  }
  return rows;
}

template <class Value>
Cell after(const ChangeRow& row, Value value) {
  return row.after != nullptr ? value(*row.after) : Cell{};
}
Cell gain(const ChangeRow& row) {
  return after(row, [&](const timing::Simulated& summary) {
    const double gain = summary.samples_per_second / row.before->samples_per_second - 1;
    return Cell{gain, row.before == row.after ? "" : fmt::format("{:+.1f} %", 100 * gain)};
  });
}

constexpr std::array change_columns{
    Column<ChangeRow>{{"change", "change", 'l'}, [](const ChangeRow& row) { return cell(row.name); }},
    Column<ChangeRow>{{"step", "step_time_s"},
                      [](const ChangeRow& row) {
                        return after(row,
                                     [](const timing::Simulated& summary) { return cell(summary.step); });
                      }},
    Column<ChangeRow>{{"compute", "compute_s"},
                      [](const ChangeRow& row) {
                        return after(row,
                                     [](const timing::Simulated& summary) { return cell(summary.compute); });
                      }},
    Column<ChangeRow>{{"exposed", "exposed_communication_s"},
                      [](const ChangeRow& row) {
                        return after(row,
                                     [](const timing::Simulated& summary) { return cell(summary.exposed); });
                      }},
    Column<ChangeRow>{{"samples/s", "samples_per_second"},
                      [](const ChangeRow& row) {
                        return after(row, [](const timing::Simulated& summary) {
                          return number(summary.samples_per_second, 0);
                        });
                      }},
    Column<ChangeRow>{{"gain", "gain"}, gain},
    Column<ChangeRow>{{"why not", "why_not", 'l'}, [](const ChangeRow& row) { return cell(row.why); }}};

// Of workers that don't wait for each other.
constexpr std::array pool_columns{
    Column<ChangeRow>{{"updates/s", "updates_per_second"},
                      [](const ChangeRow& row) {
                        return row.after != nullptr && row.after->pool
                                   ? number(row.after->pool->updates_per_second(), 1)
                                   : Cell{};
                      }},
    Column<ChangeRow>{{"bound by", "bottleneck", 'l'}, [](const ChangeRow& row) {
                        return row.after != nullptr && row.after->pool ? cell(row.after->pool->bottleneck())
                                                                       : Cell{};
                      }}};

Records changes_of(const study::Explanation& e) {
  std::vector<Column<ChangeRow>> columns(change_columns.begin(), change_columns.end());
  if (e.now.simulated->pool) {
    const auto gain_column = std::ranges::find(
        columns, "gain", [](const Column<ChangeRow>& column) { return column.heading.key; });
    columns.insert(gain_column, pool_columns.begin(), pool_columns.end());
  }
  return records_of<ChangeRow>(columns, change_rows(e));
}

constexpr std::string_view footing =
    "twice the compute: kernels take half as long, all else stays; twice the network: every link carries "
    "twice "
    "as much,\nlatencies and what software reaches (LL's rate, gRPC's copies) stay; each row is "
    "simulated\n";

constexpr std::string_view pool_footing =
    "one more worker or server: \"cluster\" with one more task, on a machine like its job's others; steps a "
    "dispatch: steps_per_execution\n";

}  // namespace

std::string bound_sentence(const study::Explanation& e) { return sentence(e); }
std::string bound_by(const study::Explanation& e) {
  const auto& pool = e.now.simulated->pool;
  return pool ? pool->bottleneck() : sorted_pieces(e).front().name;
}
Records kernel_records(const study::Explanation& e) {
  return records(kernel_columns, e.account.kernels, all);
}
Records run_records(const study::Explanation& e) { return records(run_columns, e.account.runs, all); }
Records change_records(const study::Explanation& e) { return changes_of(e); }

std::string explanation_text(const study::Explanation& e) {
  std::string text = fmt::format("{}\n{}\n", e.name, sentence(e));
  text += simulated_text(e.now.planned, *e.now.simulated) +
          "how sure: " + sureness_text(e.sureness, *e.now.simulated);
  for (const std::string& cause : e.causes) text += "- " + cause + "\n";
  for (const std::string& table : {table(records(kernel_columns, e.account.kernels, shown)),
                                   table(records(run_columns, e.account.runs, shown)),
                                   table(records(collective_columns, e.account.collectives, shown)),
                                   table(records(link_columns, link_rows(e), shown))})
    if (!table.empty()) text += "\n" + table;
  text += "\n" + table(changes_of(e)) + std::string(footing);
  return e.now.simulated->pool ? text + std::string(pool_footing) : text;
}

std::string explanation_json(const study::Explanation& e) {
  json::Writer out;
  out.begin_object()
      .member("name", e.name)
      .member("bound_by", sentence(e))
      .member("step_time_s", e.now.simulated->step.count())
      .member("samples_per_second", e.now.simulated->samples_per_second);
  write_baseline(out, *e.now.simulated);
  if (e.now.simulated->pool) write_pool(out, *e.now.simulated->pool);
  write_sureness(out, e.sureness, *e.now.simulated);
  out.key("causes").begin_array();
  for (const std::string& cause : e.causes) out.value(cause);
  out.end_array();
  out.key("split").begin_object(json::Layout::one_line);
  for (const Piece& piece : pieces(e)) out.member(piece.key, piece.time.count());
  out.end_object().key("compute").begin_object(json::Layout::one_line);
  out.member("arithmetic_s", e.account.compute.arithmetic.count())
      .member("memory_s", e.account.compute.memory.count())
      .member("gap_s", e.account.compute.gap.count());
  out.end_object().key("kernels");
  write(out, kernel_records(e));
  write(out.key("collectives"), records(collective_columns, e.account.collectives, all));
  write(out.key("links"), records(link_columns, link_rows(e), all));
  write(out.key("changes"), change_records(e));
  return out.end_object().text();
}

}  // namespace wt::report
