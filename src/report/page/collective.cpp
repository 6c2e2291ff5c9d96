#include "report/page/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/rough.h"
#include "report/collective_figures.h"
#include "report/page/columns.h"
#include "report/page/figures.h"
#include "report/page/machine.h"

namespace wt::report {

namespace {

using communication::CollectiveRow, communication::MeasuredRow, communication::MeasuredTable;

template <class Value>
void write_or_null(json::Writer& out, const std::optional<Value>& value) {
  if (value)
    out.value(*value);
  else
    out.null();
}
void write_or_null(json::Writer& out, const std::string& text) {
  if (text.empty())
    out.null();
  else
    out.value(text);
}

// ---- Headline

std::vector<Figure> figures_of(const CollectiveTable& table) {
  const double mean = mean_busbw(table);
  std::vector<Figure> figures{{.key = "mean_busbw_gb_per_s",
                               .label = "mean bus bandwidth",
                               .value = mean,
                               .unit = "GB/s",
                               .text = fmt::format("{:.2f} GB/s", mean),
                               .basis = series_of(table).size() == 1 ? "over all sizes, as nccl-tests has it"
                                                                     : "over all sizes and algorithms"}};
  const auto best = std::ranges::max_element(
      table.rows, {}, [&](const CollectiveRow& row) { return speed(table, row, row.time).busbw; });
  const double most = speed(table, *best, best->time).busbw;
  figures.push_back({.key = "most_busbw_gb_per_s",
                     .label = "most bus bandwidth",
                     .value = most,
                     .unit = "GB/s",
                     .text = fmt::format("{:.2f} GB/s", most),
                     .basis = fmt::format("{} at {}", best->algorithm, rough(best->bytes))});
  for (const MeasuredTable& measured : table.measured)
    if (const auto error = median_error(table, table.rows.front().series, measured))
      figures.push_back({.key = "median_error",
                         .label = "median error of predictions",
                         .value = error->median,
                         .text = fmt::format("{:.1f} %", 100 * error->median),
                         .basis = fmt::format("{} against {}, {}", table.rows.front().series, measured.name,
                                              counted(error->sizes, "size"))});
  return figures;
}

// ---- Rows

void write_rows(json::Writer& out, const CollectiveTable& table) {
  const auto column = [&](std::string_view key, auto value) {
    write_column(out, key, table.rows,
                 [&](json::Writer& to, const CollectiveRow& row) { write_or_null(to, value(row)); });
  };
  using Number = std::optional<double>;
  using Count = std::optional<std::int64_t>;
  const auto bound_busbw = [&](const CollectiveRow& row) {
    return row.bound ? Number(speed(table, row, *row.bound).busbw) : Number();
  };
  const auto in_place = [&](const CollectiveRow& row) { return speed(table, row, row.in_place_time()); };
  out.key("rows").begin_object();
  column("series", [](const auto& row) { return row.series; });
  column("algorithm", [](const auto& row) { return row.algorithm; });
  column("protocol", [](const auto& row) { return row.protocol; });
  column("runner_up", [](const auto& row) { return row.runner_up; });
  column("basis", [](const auto& row) { return row.basis; });
  column("bytes", [](const auto& row) { return Count(row.bytes.count()); });
  column("count", [](const auto& row) { return Count(row.count); });
  column("time_s", [](const auto& row) { return Number(row.time.count()); });
  column("algbw_gb_per_s", [&](const auto& row) { return Number(speed(table, row, row.time).algbw); });
  column("busbw_gb_per_s", [&](const auto& row) { return Number(speed(table, row, row.time).busbw); });
  column("in_place_time_s", [](const auto& row) { return Number(row.in_place_time().count()); });
  column("in_place_algbw_gb_per_s", [&](const auto& row) { return Number(in_place(row).algbw); });
  column("in_place_busbw_gb_per_s", [&](const auto& row) { return Number(in_place(row).busbw); });
  column("bound_s", [](const auto& row) { return row.bound ? Number(row.bound->count()) : Number(); });
  column("bound_busbw_gb_per_s", bound_busbw);
  column("bound_share", [](const auto& row) { return share_of_bound(row); });
  column("moves", [](const auto& row) { return Count(row.moves); });
  column("moves_played", [](const auto& row) { return Count(row.played); });
  out.end_object();
}

// ---- Measured

void write_measured(json::Writer& out, const CollectiveTable& table, const MeasuredTable& measured) {
  using Number = std::optional<double>;
  const auto column = [&](std::string_view key, auto value) {
    write_column(out, key, measured.rows,
                 [&](json::Writer& to, const MeasuredRow& row) { write_or_null(to, value(row)); });
  };
  const auto predicted = [&](const MeasuredRow& row) {
    return prediction(table, table.rows.front().series, row);
  };
  const auto in_place = [](const MeasuredRow& row, auto figure) {
    return row.in_place ? Number(figure(*row.in_place)) : Number();
  };
  out.begin_object().member("name", measured.name).member("tool", "nccl-tests");
  if (measured.operation) out.member("operation", collective::name(*measured.operation));
  out.key("rows").begin_object();
  column("bytes", [](const auto& row) { return std::optional(row.bytes.count()); });
  column("time_s", [](const auto& row) { return Number(row.out_of_place.time.count()); });
  column("algbw_gb_per_s", [](const auto& row) { return Number(row.out_of_place.algbw); });
  column("busbw_gb_per_s", [](const auto& row) { return Number(row.out_of_place.busbw); });
  column("in_place_time_s",
         [&](const auto& row) { return in_place(row, [](const auto& time) { return time.time.count(); }); });
  column("in_place_algbw_gb_per_s",
         [&](const auto& row) { return in_place(row, [](const auto& time) { return time.algbw; }); });
  column("in_place_busbw_gb_per_s",
         [&](const auto& row) { return in_place(row, [](const auto& time) { return time.busbw; }); });
  column("wrong", [](const auto& row) { return row.out_of_place.wrong; });
  column("predicted_s", [&](const auto& row) {
    const auto found = predicted(row);
    return found ? Number(found->time.count()) : Number();
  });
  column("error", [&](const auto& row) {
    const auto found = predicted(row);
    return found ? Number(found->error) : Number();
  });
  out.end_object().end_object();
}

// ---- Schedule

struct DrawnMove {
  std::int32_t from = 0, to = 0;
  std::int64_t round = 0;
  Bytes bytes{};
  plan::Span span{};
};

// A move is one round after the last move that it depends on, or behind which its bytes flow.
std::vector<DrawnMove> moves_of(const communication::Recording& recording) {
  const plan::Plan& plan = recording.played.plan;
  const auto device = [&](const plan::Operand& operand) {
    return static_cast<std::int32_t>(plan.buffers[static_cast<std::size_t>(operand.buffer)].device);
  };
  std::vector<DrawnMove> moves;
  std::vector<std::int64_t> rounds(plan.nodes.size(), 0);  // of the moves up to each node
  for (std::size_t id = 0; id < plan.nodes.size(); ++id) {
    const plan::Node& node = plan.nodes[id];
    for (const plan::NodeId before : node.after)
      rounds[id] = std::max(rounds[id], rounds[static_cast<std::size_t>(before)]);
    if (node.behind) rounds[id] = std::max(rounds[id], rounds[static_cast<std::size_t>(*node.behind)]);
    const auto* move = std::get_if<plan::Move>(&node.action);
    if (move == nullptr || device(move->source) == device(move->target)) continue;
    moves.push_back({.from = device(move->source),
                     .to = device(move->target),
                     .round = rounds[id]++,
                     .bytes = payload(*move),
                     .span = recording.timeline.nodes[id]});
  }
  return moves;
}

// The ranks, then what helps them: parameter servers, or switches that add.
std::vector<std::string> members_of(const CollectiveTable& table, const ShownSchedule& schedule) {
  std::vector<std::string> names;
  for (const plan::Device& device : schedule.recording.played.plan.devices) {
    const auto number = std::ssize(names);
    names.push_back(number < std::int64_t{table.ranks} * table.groups ? fmt::format("rank {}", number)
                                                                      : device.name);
  }
  return names;
}

void write_schedule(json::Writer& out, const CollectiveTable& table, const ShownSchedule& schedule) {
  const std::vector<DrawnMove> moves = moves_of(schedule.recording);
  std::int64_t steps = 0;
  for (const DrawnMove& move : moves) steps = std::max(steps, move.round + 1);
  out.key("schedule")
      .begin_object()
      .member("algorithm", schedule.algorithm)
      .member("bytes", schedule.bytes.count())
      .member("ranks", table.ranks * table.groups)
      .member("steps", steps);
  write_column(out, "members", members_of(table, schedule),
               [](json::Writer& to, const std::string& name) { to.value(name); });
  const auto column = [&](std::string_view key, auto value) {
    write_column(out, key, moves, [&](json::Writer& to, const DrawnMove& move) { to.value(value(move)); });
  };
  out.key("moves").begin_object();
  column("from", [](const auto& move) { return move.from; });
  column("to", [](const auto& move) { return move.to; });
  column("round", [](const auto& move) { return move.round; });
  column("bytes", [](const auto& move) { return move.bytes.count(); });
  column("start_us", [](const auto& move) { return move.span.start.count() * 1e6; });
  column("duration_us", [](const auto& move) { return (move.span.end - move.span.start).count() * 1e6; });
  out.end_object().end_object();
}

// ---- The machine, with its load by the largest size of the first series

void write_load(json::Writer& out, const ShownCollective& shown) {
  const std::vector<CollectiveRow>& rows = shown.table.rows;
  const CollectiveRow* largest = &rows.front();
  for (const CollectiveRow& row : rows)
    if (row.series == largest->series && row.bytes > largest->bytes) largest = &row;
  out.member("load_of", fmt::format("{} at {}", largest->algorithm, rough(largest->bytes)));
  write_machine(out, platform::drawing_of(shown.platform), largest->links, largest->time);
}

}  // namespace

std::string name_of(const CollectiveTable& table) {
  return fmt::format("{} of {} on {}{}", collective::name(table.operation), counted(table.ranks, "rank"),
                     table.machines > 1 ? fmt::format("{} machines of ", table.machines) : "",
                     table.platform);
}

void write_collective(json::Writer& out, const ShownCollective& shown) {
  const CollectiveTable& table = shown.table;
  out.begin_object().member("kind", "collective").member("format_version", 1).member("name", name_of(table));
  write_common(out, table);
  out.member("mean_busbw_gb_per_s", mean_busbw(table)).key("warnings").begin_array();
  for (const std::string& warning : table.warnings) out.value(warning);
  out.end_array();
  write_headline(out, figures_of(table));
  out.key("notes").begin_array().end_array();
  write_rows(out, table);
  if (!table.measured.empty()) {
    out.key("measured").begin_array();
    for (const MeasuredTable& measured : table.measured) write_measured(out, table, measured);
    out.end_array();
  }
  out.key("assumptions").begin_array();
  for (const Basis& basis : bases_of(table))
    out.begin_object(json::Layout::one_line)
        .member("name", basis.name)
        .member("value", basis.meaning)
        .member("source", basis.name == "wires alone" ? shown.table.platform : "platforms/communication.json")
        .end_object();
  out.end_array();
  if (shown.schedule) write_schedule(out, table, *shown.schedule);
  write_load(out, shown);
  out.end_object();
}

}  // namespace wt::report
