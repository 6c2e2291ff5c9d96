#include "recommend/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_writer.h"
#include "base/quantity.h"
#include "base/rough.h"
#include "base/table.h"
#include "report/page/figures.h"

namespace wt::recommend {

namespace {

// ---- Text

std::string interval(const Choice& choice) {
  if (!choice.at_least) return "-";
  const std::int64_t least = choice.at_least->size.count;
  if (choice.at_most && choice.at_most->size.count == least) return counted(least, choice.unit);
  return choice.at_most ? fmt::format("{} to {}", least, counted(choice.at_most->size.count, choice.unit))
                        : fmt::format("{} or more", counted(least, choice.unit));
}

std::string percent(double ratio) { return fmt::format("{:+.0f} %", 100 * (ratio - 1)); }

std::string reduction(const Timed& timed) { return timed.reduction.empty() ? "-" : timed.reduction; }

std::string cost(const Timed& timed) {
  return timed.has_price() ? fmt::format("{:.2f} {}/h, {:.3g} a million samples", timed.cost_per_hour,
                                         timed.currency, timed.cost_per_million_samples)
                           : "no price";
}

bool has_price(const Answer& answer) {
  return std::ranges::any_of(answer.choices,
                             [](const Choice& each) { return each.found.smallest->timed.has_price(); });
}

TableRow row_of(const Choice& choice, const Sized& sized, bool is_first) {
  return {choice.platform,
          sized.size.text,
          interval(choice),
          cost(sized.timed),
          std::to_string(sized.size.replicas),
          sized.timed.strategy,
          std::to_string(sized.rows),
          std::to_string(sized.timed.global_batch),
          sized.timed.precision,
          reduction(sized.timed),
          fmt::format("{:.0f}", sized.timed.samples_per_second),
          is_first        ? "first"
          : choice.is_tie ? "a tie"
                          : "",
          choice.limit};
}

const TableRow heading{"platform",  "smallest",  "interval",     "cost",      "devices",
                       "strategy",  "rows each", "global batch", "precision", "all-reduce",
                       "samples/s", "rank",      "limited by"};
constexpr std::string_view sides = "llllrlrrllrll";
constexpr std::ptrdiff_t cost_column = 3;

std::string choices_text(const Answer& answer) {
  if (answer.choices.empty()) return "no machine reaches the target\n";
  std::vector<TableRow> rows{heading};
  for (const Choice& choice : answer.choices)
    rows.push_back(row_of(choice, *choice.found.smallest, &choice == &answer.choices.front()));
  if (has_price(answer)) return print_table(rows, sides);
  for (TableRow& row : rows) row.erase(row.begin() + cost_column);
  return print_table(rows, std::string(sides).erase(cost_column, 1));
}

std::string order_text(const Answer& answer) {
  if (answer.choices.empty()) return "";
  if (!has_price(answer)) return "The first has the fewest devices, which is no cost: no prices are given.\n";
  std::string text =
      "The first costs the least by the hour. Platforms without a price stand behind the others.\n";
  for (const Choice& choice : answer.choices)
    if (const Timed& timed = choice.found.smallest->timed; timed.has_price())
      text += fmt::format("  {}: {}\n", choice.platform, timed.price);
  return text;
}

std::string too_slow_text(const Answer& answer) {
  if (answer.too_slow.empty()) return {};
  std::string text = "\nToo slow, with the most that each was found to reach:\n";
  std::vector<TableRow> rows{{"platform", "samples/s", "with", "rows each", "why no more"}};
  for (const Choice& choice : answer.too_slow) {
    const Sized& most = *choice.found.fastest;
    rows.push_back({choice.platform, fmt::format("{:.0f}", most.timed.samples_per_second), most.size.text,
                    std::to_string(most.rows), choice.found.why_not});
  }
  return text + print_table(rows, "lrlrl", "  ");
}

std::string impossible_text(const Answer& answer) {
  if (answer.impossible.empty()) return {};
  std::string text = "\nNot possible:\n";
  std::vector<TableRow> rows;
  for (const Choice& choice : answer.impossible) rows.push_back({choice.platform, choice.found.why_not});
  return text + print_table(rows, "l", "  ");
}

std::string proof(const Sizing& found) {
  if (found.is_proven)
    return fmt::format("{} tried, every smaller one is excluded", counted(found.tried, "size"));
  return fmt::format("{} tried, and more devices are taken to be faster between them",
                     counted(found.tried, "size"));
}

std::string sureness_text(const Choice& choice, double quantile) {
  if (choice.kernels_basis.empty()) return {};
  std::string text = fmt::format(
      "  {}: known from: {}; predictions are {} in the median, and {} to {} in {:.0f} of "
      "100 cases; {}\n",
      choice.platform, name(choice.known), percent(choice.band.bias), percent(choice.band.low),
      percent(choice.band.high), 100 * (1 - 2 * quantile), proof(choice.found));
  text += fmt::format("    kernels: {}\n", choice.kernels_basis);
  if (!choice.communication_basis.empty())
    text += fmt::format("    communication: {}\n", choice.communication_basis);
  if (choice.nearest)
    text += fmt::format("    nearest: {}; ours {}\n", choice.nearest->text, percent(choice.nearest->ratio));
  if (!choice.extrapolation.empty()) text += fmt::format("    extrapolated: {}\n", choice.extrapolation);
  return text;
}

std::string all_sureness(const Answer& answer) {
  std::string text;
  for (const Choice& choice : answer.choices) text += sureness_text(choice, answer.quantile);
  return text.empty() ? text : "\nHow sure (predicted over true throughput):\n" + text;
}

std::string assumptions_text(const Answer& answer) {
  if (answer.assumptions.empty()) return {};
  std::vector<TableRow> rows{
      {"assumption", "value", "20 % less", "20 % more", "changes the first", "source"}};
  for (const Assumption& each : answer.assumptions) {
    std::string changes = each.changes_first ? (*each.changes_first ? "yes" : "no") : "-";
    if (!each.note.empty()) changes += fmt::format(" ({})", each.note);
    rows.push_back({each.name, each.value, each.with_less, each.with_more, changes, each.source});
  }
  return fmt::format("\nAssumptions, varied for {} and the next choices:\n{}",
                     answer.choices.front().platform, print_table(rows, "l", "  "));
}

std::string back_tests_text(const Answer& answer) {
  std::string text;
  if (!answer.back_tests.empty()) {
    std::vector<TableRow> rows{{"your row", "measured", "predicted", "error", "corrected", "error"}};
    for (const BackTest& each : answer.back_tests)
      rows.push_back({each.row, fmt::format("{:.1f}", each.measured), fmt::format("{:.1f}", each.before),
                      percent(each.before / each.measured), fmt::format("{:.1f}", each.after),
                      percent(each.after / each.measured)});
    text += "\nYour measurements, in samples/s:\n" + print_table(rows, "lrrrrr", "  ");
  }
  for (const std::string& reason : answer.unused_rows) text += fmt::format("  not used: {}\n", reason);
  return text;
}

// ---- JSON

void write(json::Writer& out, const Sized& sized) {
  const Timed& timed = sized.timed;
  out.begin_object();
  out.member("size", sized.size.text)
      .member("count", sized.size.count)
      .member("machines", sized.size.machines);
  out.member("devices", sized.size.replicas).member("rows_each", sized.rows);
  out.member("global_batch", timed.global_batch).member("strategy", timed.strategy);
  out.member("precision", timed.precision).member("all_reduce", timed.reduction);
  out.member("samples_per_second", timed.samples_per_second).member("step_time_s", timed.step);
  if (timed.epoch > 0) out.member("epoch_time_s", timed.epoch);
  if (timed.has_price())
    out.member("cost_per_hour", timed.cost_per_hour)
        .member("cost_per_million_samples", timed.cost_per_million_samples)
        .member("currency", timed.currency)
        .member("price", timed.price);
  out.member("memory_bytes", timed.memory).end_object();
}

void write(json::Writer& out, std::string_view key, const std::optional<Sized>& sized) {
  out.key(key);
  if (sized)
    write(out, *sized);
  else
    out.null();
}

void write(json::Writer& out, const Choice& choice, double quantile) {
  out.begin_object().member("platform", choice.platform).member("device", choice.device);
  write(out, "smallest", choice.found.smallest);
  if (!choice.found.smallest) {
    write(out, "fastest", choice.found.fastest);
    out.member("why_not", choice.found.why_not);
  }
  out.member("is_proven", choice.found.is_proven).member("is_monotone", choice.found.is_monotone);
  out.member("sizes_tried", choice.found.tried);
  if (!choice.kernels_basis.empty()) {
    write(out, "at_least", choice.at_least);
    write(out, "at_most", choice.at_most);
    out.key("predicted_over_true").begin_object(json::Layout::one_line);
    out.member("quantile", quantile).member("low", choice.band.low).member("median", choice.band.bias);
    out.member("high", choice.band.high).end_object();
    out.member("known_from", name(choice.known)).member("kernels_basis", choice.kernels_basis);
    out.member("communication_basis", choice.communication_basis);
    if (choice.nearest) {
      out.key("nearest").begin_object().member("row", choice.nearest->text);
      out.member("predicted_over_published", choice.nearest->ratio).end_object();
    }
    out.member("extrapolation", choice.extrapolation);
  }
  out.member("limited_by", choice.limit).member("is_tie", choice.is_tie).end_object();
}

void write(json::Writer& out, std::string_view key, const std::vector<Choice>& choices, double quantile) {
  out.key(key).begin_array();
  for (const Choice& choice : choices) write(out, choice, quantile);
  out.end_array();
}

void write(json::Writer& out, const Assumption& each) {
  out.begin_object().member("name", each.name).member("value", each.value).member("source", each.source);
  if (!each.with_less.empty()) out.member("with_20_percent_less", each.with_less);
  if (!each.with_more.empty()) out.member("with_20_percent_more", each.with_more);
  if (each.changes_first) out.member("changes_first", *each.changes_first);
  out.member("note", each.note).end_object();
}

void write(json::Writer& out, std::string_view key, const std::vector<std::string>& lines) {
  out.key(key).begin_array();
  for (const std::string& line : lines) out.value(line);
  out.end_array();
}

}  // namespace

std::string text(const Answer& answer) {
  std::string text = fmt::format("{}: {}\n\nHeld fixed:\n", answer.name, answer.target);
  for (const std::string& line : answer.fixed) text += fmt::format("  {}\n", line);
  text += "\n" + choices_text(answer) + order_text(answer);
  text += too_slow_text(answer) + impossible_text(answer) + all_sureness(answer) + back_tests_text(answer) +
          assumptions_text(answer);
  if (!answer.best_measurement.empty())
    text += fmt::format("\nThe measurement that would narrow the answer most: {}\n", answer.best_measurement);
  return text + fmt::format("\n{} made\n", counted(answer.forecasts, "forecast"));
}

namespace {

// Everything that is known about the answer.
void write_members(json::Writer& out, const Answer& answer) {
  out.member("name", answer.name).member("target", answer.target);
  write(out, "held_fixed", answer.fixed);
  write(out, "choices", answer.choices, answer.quantile);
  write(out, "too_slow", answer.too_slow, answer.quantile);
  write(out, "impossible", answer.impossible, answer.quantile);
  out.key("assumptions").begin_array();
  for (const Assumption& each : answer.assumptions) write(out, each);
  out.end_array().key("back_tests").begin_array();
  for (const BackTest& each : answer.back_tests) {
    out.begin_object(json::Layout::one_line).member("row", each.row).member("measured", each.measured);
    out.member("predicted", each.before).member("corrected", each.after).end_object();
  }
  out.end_array();
  write(out, "unused_rows", answer.unused_rows);
  out.member("best_measurement", answer.best_measurement).member("forecasts", answer.forecasts);
}

std::string sentence_of(const Answer& answer) {
  if (answer.choices.empty()) return "no machine reaches the target";
  const Choice& first = answer.choices.front();
  const std::string range = interval(first);
  return fmt::format("{} of {}{}", first.found.smallest->size.text, first.platform,
                     range == "-" ? "" : ", " + range);
}

std::vector<report::Figure> figures_of(const Answer& answer) {
  if (answer.choices.empty()) return {};
  const Choice& first = answer.choices.front();
  const Sized& found = *first.found.smallest;
  report::Figure size{.key = "answer",
                      .label = "smallest machine",
                      .value = found.size.count,
                      .unit = first.unit,
                      .text = fmt::format("{} of {}", found.size.text, first.platform),
                      .basis = fmt::format("for {}; known from: {}", answer.target, name(first.known))};
  if (first.at_least && first.at_most) {
    size.low = static_cast<double>(first.at_least->size.count), size.low_text = first.at_least->size.text;
    size.high = static_cast<double>(first.at_most->size.count), size.high_text = first.at_most->size.text;
  }
  const double rate = found.timed.samples_per_second;
  std::vector<report::Figure> figures{std::move(size),
                                      {.key = "samples_per_second",
                                       .label = "its throughput",
                                       .value = rate,
                                       .unit = "samples/s",
                                       .text = report::rate_text(rate),
                                       .low = rate / first.band.high,
                                       .high = rate / first.band.low,
                                       .low_text = report::rate_text(rate / first.band.high),
                                       .high_text = report::rate_text(rate / first.band.low)}};
  if (found.timed.has_price())
    figures.push_back({.key = "cost_per_hour",
                       .label = "its price",
                       .value = found.timed.cost_per_hour,
                       .unit = found.timed.currency + "/h",
                       .text = fmt::format("{:.2f} {}/h", found.timed.cost_per_hour, found.timed.currency),
                       .basis = found.timed.price});
  return figures;
}

}  // namespace

std::string json(const Answer& answer) {
  json::Writer out;
  out.begin_object().member("format", "windtunnel recommendation");
  write_members(out, answer);
  return out.end_object().text();
}

void write_page(json::Writer& out, const Answer& answer) {
  out.begin_object().member("kind", "recommendation").member("format_version", 1);
  report::write_headline(out, figures_of(answer));
  out.member("sentence", sentence_of(answer))
      .member("ranked_by", has_price(answer) ? "cost_per_hour" : "devices");
  write_members(out, answer);
  out.end_object();
}

}  // namespace wt::recommend
