#include "report/collective_figures.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/json_writer.h"
#include "base/median.h"

namespace wt::report {

namespace {

constexpr std::int64_t largest_element = 8;  // bytes

constexpr std::array bases{
    Basis{
        "class constants",
        "schedules move on achieved link rates; latencies, protocols and the launch are those of this class "
        "of machine"},
    Basis{"tiny message",
          "as class constants, with the launch that makes a tiny all-reduce take the time given"},
    Basis{"wires alone",
          "schedules move on achieved link rates, sums take the memory's time; nothing of a library"},
};

}  // namespace

Speed speed(const CollectiveTable& table, const communication::CollectiveRow& row, Seconds time) {
  const double algbw = static_cast<double>(row.bytes.count()) / time.count() / 1e9;
  return {time.count() * 1e6, algbw, algbw * collective::bus_factor(table.operation, table.ranks)};
}

std::optional<double> share_of_bound(const communication::CollectiveRow& row) {
  return row.bound ? std::optional(*row.bound / row.time) : std::nullopt;
}

double mean_busbw(const CollectiveTable& table) {
  double sum = 0;
  for (const communication::CollectiveRow& row : table.rows)
    sum += speed(table, row, row.time).busbw + speed(table, row, row.in_place_time()).busbw;
  return sum / 2 / static_cast<double>(table.rows.size());
}

void write_common(json::Writer& out, const CollectiveTable& table) {
  out.member("platform", table.platform)
      .member("machines", table.machines)
      .member("operation", collective::name(table.operation))
      .member("ranks", table.ranks)
      .member("concurrent", table.groups)
      .member("type", table.type)
      .member("redop", table.reduction)
      .member("root", table.root);
  const auto text_or_null = [&](std::string_view key, const std::string& text) {
    if (text.empty())
      out.key(key).null();
    else
      out.member(key, text);
  };
  text_or_null("launch", table.launch);
  text_or_null("rank_order", table.order);
}

std::vector<Basis> bases_of(const CollectiveTable& table) {
  std::vector<Basis> found;
  for (const Basis& basis : bases)
    if (std::ranges::any_of(table.rows, [&](const auto& row) { return row.basis == basis.name; }))
      found.push_back(basis);
  return found;
}

std::vector<std::string> series_of(const CollectiveTable& table) {
  std::vector<std::string> series;
  for (const communication::CollectiveRow& row : table.rows)
    if (std::ranges::find(series, row.series) == series.end()) series.push_back(row.series);
  return series;
}

std::optional<Prediction> prediction(const CollectiveTable& table, std::string_view series,
                                     const communication::MeasuredRow& measured) {
  // Where every rank has an equal part, a size is rounded down to whole elements for each.
  const std::int64_t unit = std::min(table.ranks * largest_element, measured.bytes.count() / 8 + 1);
  const communication::CollectiveRow* row = nullptr;
  for (const communication::CollectiveRow& each : table.rows) {
    const std::int64_t rest = (measured.bytes - each.bytes).count();
    if (each.series == series && rest >= 0 && rest < unit && (row == nullptr || each.bytes > row->bytes))
      row = &each;
  }
  if (row == nullptr) return std::nullopt;
  return Prediction{.time = row->time, .error = row->time / measured.out_of_place.time - 1};
}

std::optional<MedianError> median_error(const CollectiveTable& table, std::string_view series,
                                        const communication::MeasuredTable& measured) {
  std::vector<double> errors;
  for (const communication::MeasuredRow& row : measured.rows)
    if (const auto found = prediction(table, series, row)) errors.push_back(std::abs(found->error));
  if (errors.empty()) return std::nullopt;
  const auto sizes = static_cast<std::int64_t>(errors.size());
  return MedianError{.median = median(std::move(errors)), .sizes = sizes};
}

}  // namespace wt::report
