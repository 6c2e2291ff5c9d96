#include "cost/price.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/suggest.h"
#include "base/utf8.h"

namespace wt::cost {

namespace {

template <class T>
struct Named {
  std::string_view name{};
  T value{};
};

constexpr std::array<Named<Terms>, 3> all_terms{
    {{"on_demand", Terms::on_demand}, {"committed", Terms::committed}, {"spot", Terms::spot}}};

// The first name of each unit is the one that is printed.
constexpr std::array<Named<Per>, 8> units{{{"h", Per::hour},
                                           {"chip-hour", Per::chip},
                                           {"machine-hour", Per::machine},
                                           {"slice-hour", Per::slice},
                                           {"hour", Per::hour},
                                           {"chip-h", Per::chip},
                                           {"machine-h", Per::machine},
                                           {"slice-h", Per::slice}}};

constexpr std::string_view rate_example = R"("98.32 USD/h", "4.10 USD/chip-hour")";

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

template <class Kind, class From>
Parsed<Kind> refused(const Parsed<From>& parsed) {
  return {.value = std::nullopt, .fact = parsed.fact, .remedy = parsed.remedy};
}

std::optional<Terms> terms_of(std::string_view text) {
  const auto found = std::ranges::find(all_terms, text, &Named<Terms>::name);
  return found == all_terms.end() ? std::nullopt : std::optional(found->value);
}

}  // namespace

std::string_view name(Per per) {
  constexpr std::array<std::string_view, 4> names{"machine", "chip", "machine", "slice"};
  return names[static_cast<std::size_t>(per)];
}

std::string_view name(Terms terms) { return std::ranges::find(all_terms, terms, &Named<Terms>::value)->name; }

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t at : {0, 1, 2, 3, 5, 6, 8, 9})
    if (text[at] < '0' || text[at] > '9') return false;
  const int month = (text[5] - '0') * 10 + text[6] - '0', day = (text[8] - '0') * 10 + text[9] - '0';
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

Parsed<HourlyRate> parse_rate(std::string_view text) {
  const Parsed<MoneyPer> parsed = try_parse_money_per(text);
  if (!parsed.value) return refused<HourlyRate>(parsed);
  const auto unit = std::ranges::find(units, std::string_view(parsed.value->unit), &Named<Per>::name);
  if (unit != units.end()) return {.value = HourlyRate{parsed.value->money, unit->value}};
  std::vector<std::string_view> names;
  for (const Named<Per>& row : units) names.push_back(row.name);
  return {.value = std::nullopt,
          .fact = fmt::format("\"{}\" is not what a price is paid for", printable(parsed.value->unit)),
          .remedy = did_you_mean(parsed.value->unit, names)};
}

Parsed<EnergyPrice> parse_energy_price(std::string_view text) {
  const Parsed<MoneyPer> parsed = try_parse_money_per(text);
  if (!parsed.value) return refused<EnergyPrice>(parsed);
  if (parsed.value->unit == "kWh") return {.value = EnergyPrice{parsed.value->money}};
  return {.value = std::nullopt,
          .fact = fmt::format("\"{}\" is not a price of a kilowatt hour", printable(text)),
          .remedy = R"(write it as in "0.12 USD/kWh")"};
}

Parsed<Price> parse_price(std::string_view text) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const Parsed<HourlyRate> rate = parse_rate(trimmed(text.substr(0, comma)));
  if (!rate.value)
    return {.value = std::nullopt,
            .fact = rate.fact,
            .remedy = fmt::format("{}; a price is written as in {}", rate.remedy, rate_example)};
  Price price{.rent = rate.value};
  for (std::size_t begin = comma + 1; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = trimmed(text.substr(begin, end - begin));
    if (const auto terms = terms_of(part); terms && !price.terms)
      price.terms = terms;
    else if (is_date(part) && !price.date)
      price.date = part;
    else if (!part.empty())
      price.source = (price.source ? *price.source + ", " : "") + std::string(part);
    begin = end + 1;
  }
  return {.value = std::move(price)};
}

std::string print(const HourlyRate& rate) {
  return fmt::format("{}/{}", print(rate.money),
                     std::ranges::find(units, rate.per, &Named<Per>::value)->name);
}

std::string print(const EnergyPrice& price) { return print(price.kilowatt_hour) + "/kWh"; }

}  // namespace wt::cost
