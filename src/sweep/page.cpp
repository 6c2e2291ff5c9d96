#include "sweep/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/rough.h"
#include "report/page/columns.h"
#include "report/page/figures.h"

namespace wt::sweep {

namespace {

using report::Field;
using Rows = std::map<std::int64_t, Row>;

// Figures that span decades are drawn on a logarithmic scale.
constexpr std::array<std::string_view, 10> over_decades{
    "devices",     "replicas",           "machines",          "replica_rows", "global_batch",
    "step_time_s", "samples_per_second", "tokens_per_second", "epoch_time_s", "memory_bytes"};

struct Unit {
  std::string_view ending{};  // of a column's name
  std::string_view unit{};
  bool is_part_of_title = false;
};
constexpr std::array units{
    Unit{"samples_per_second", "samples/s", true},
    Unit{"samples_per_second_per_device", "samples/s", true},
    Unit{"tokens_per_second", "tokens/s", true},
    Unit{"_bytes", "B"},
    Unit{"_s", "s"},
};

const Unit* unit_of(std::string_view column) {
  const auto found =
      std::ranges::find_if(units, [&](const Unit& unit) { return column.ends_with(unit.ending); });
  return found == units.end() ? nullptr : &*found;
}

std::string title_of(std::string_view column) {
  const Unit* unit = unit_of(column);
  if (unit != nullptr && !unit->is_part_of_title) column.remove_suffix(unit->ending.size());
  std::string title(column);
  std::ranges::replace(title, '_', ' ');
  return title;
}

// The names of the axes, which the sweep's identity has (Sweep::identity).
std::vector<std::string> axes_of(const Header& header) {
  std::vector<std::string> names;
  const json::Value sweep = json::parse(header.sweep, "the sweep");
  if (const json::Value* axes = sweep.find("axes"))
    for (const json::Value& axis : axes->elements())
      for (const json::Member& member : axis.members())
        if (member.key != "with") names.push_back(member.key);
  return names;
}

std::size_t column_of(const Header& header, std::string_view name) {
  const auto found = std::ranges::find(header.columns, name);
  WT_EXPECT(found != header.columns.end(), "a sweep without the column {}", name);
  return static_cast<std::size_t>(found - header.columns.begin());
}

std::string_view type_of(const Rows& rows, std::size_t column) {
  bool has_number = false, has_count = false;
  for (const auto& [number, row] : rows) {
    if (std::holds_alternative<std::string>(row[column])) return "text";
    has_number |= std::holds_alternative<double>(row[column]);
    has_count |= std::holds_alternative<std::int64_t>(row[column]);
  }
  return has_number ? "number" : has_count ? "count" : "text";
}

void write_column_heads(json::Writer& out, const Header& header, const Rows& rows) {
  const std::vector<std::string> axes = axes_of(header);
  out.key("columns").begin_array();
  for (std::size_t i = 0; i < header.columns.size(); ++i) {
    const std::string& name = header.columns[i];
    const Unit* unit = unit_of(name);
    const std::string_view type = type_of(rows, i);
    out.begin_object(json::Layout::one_line)
        .member("key", name)
        .member("title", title_of(name))
        .member("unit", unit == nullptr ? "" : unit->unit)
        .member("type", type)
        .member("is_axis", std::ranges::find(axes, name) != axes.end());
    if (type == "text")
      out.key("scale").null();
    else
      out.member("scale", std::ranges::find(over_decades, name) != over_decades.end() ? "log" : "linear");
    out.end_object();
  }
  out.end_array();
}

void write_values(json::Writer& out, const Header& header, const Rows& rows) {
  out.key("values").begin_object();
  for (std::size_t i = 0; i < header.columns.size(); ++i)
    report::write_column(out, header.columns[i], rows,
                         [&](json::Writer& to, const auto& row) { report::write(to, row.second[i]); });
  out.end_object();
}

std::vector<report::Figure> figures_of(const Header& header, const Rows& rows) {
  const std::size_t outcome = column_of(header, "outcome"), rate = column_of(header, "samples_per_second");
  const std::size_t devices = column_of(header, "devices"), platform = column_of(header, "platform");
  std::int64_t timed = 0;
  const Row* fastest = nullptr;
  for (const auto& [number, row] : rows) {
    if (row[outcome] != Field("done")) continue;
    ++timed;
    if (fastest == nullptr || std::get<double>(row[rate]) > std::get<double>((*fastest)[rate]))
      fastest = &row;
  }
  std::vector<report::Figure> figures{{.key = "points",
                                       .label = "points timed",
                                       .value = timed,
                                       .text = fmt::format("{} of {}", timed, rows.size()),
                                       .basis = "the others have their reasons in the table"}};
  if (fastest == nullptr) return figures;
  const double most = std::get<double>((*fastest)[rate]);
  const std::string where = report::csv((*fastest)[platform]);
  figures.push_back({.key = "samples_per_second",
                     .label = "fastest",
                     .value = most,
                     .unit = "samples/s",
                     .text = report::rate_text(most),
                     .basis = fmt::format("{} devices{}{}", report::csv((*fastest)[devices]),
                                          where.empty() ? "" : " of ", where)});
  return figures;
}

}  // namespace

void write_page(json::Writer& out, const Header& header, const Rows& rows) {
  out.begin_object().member("kind", "sweep").member("format_version", 1).member("name", header.name);
  report::write_headline(out, figures_of(header, rows));
  out.key("notes").begin_array();
  if (!header.shard.empty()) out.value(fmt::format("a shard: {}", header.shard));
  if (static_cast<std::int64_t>(rows.size()) < header.points)
    out.value(fmt::format("{} of {} have rows", rows.size(), counted(header.points, "point")));
  out.end_array();
  write_column_heads(out, header, rows);
  out.member("points", rows.size());
  write_values(out, header, rows);
  out.key("suggested")
      .begin_object(json::Layout::one_line)
      .member("x", "devices")
      .member("y", "samples_per_second")
      .member("series", "platform")
      .end_object();
  out.end_object();
}

}  // namespace wt::sweep
