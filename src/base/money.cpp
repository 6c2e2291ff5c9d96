#include "base/money.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/json_writer.h"

namespace wt {

namespace {

constexpr double largest_amount = 1e15;
constexpr std::string_view remedy = R"(write the amount and the letters of the currency, as in "98.32 USD")";

template <class Kind>
Parsed<Kind> refused(const std::string& fact) {
  return {.value = std::nullopt, .fact = fact, .remedy = std::string(remedy)};
}

// Amounts are written as people write them, so that "250000 USD" does not become "250000.0 USD".
std::string digits(double amount) {
  std::string text = json::print_number(amount);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

bool is_currency(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

Money::Money(double amount, std::string currency) : amount_(amount), currency_(std::move(currency)) {
  WT_EXPECT(std::isfinite(amount_), "an amount of {}", amount_);
  WT_EXPECT(is_currency(currency_), "a currency \"{}\"", currency_);
}

double Money::same(const Money& other) const {
  WT_EXPECT(currency_ == other.currency_, "{} and {} have different currencies", print(*this), print(other));
  return other.amount_;
}

Parsed<Money> try_parse_money(std::string_view text) {
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (error != std::errc{}) return refused<Money>(fmt::format("\"{}\" is not an amount of money", text));
  if (!is_currency(rest))
    return refused<Money>(fmt::format("\"{}\" has no currency of three capital letters", text));
  if (!(amount >= 0) || amount > largest_amount)
    return refused<Money>(fmt::format("\"{}\" is not an amount from 0 to {:g}", text, largest_amount));
  return {.value = Money(amount, std::string(rest))};
}

Parsed<MoneyPer> try_parse_money_per(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  Parsed<Money> money = try_parse_money(text.substr(0, slash));
  if (!money.value) return {.value = std::nullopt, .fact = money.fact, .remedy = money.remedy};
  std::string unit(text.substr(std::min(slash + 1, text.size())));
  if (unit.empty())
    return {.value = std::nullopt,
            .fact = fmt::format("\"{}\" is an amount, and not an amount for each of something", text),
            .remedy = R"(add what it is paid for, as in "98.32 USD/h" or "0.12 USD/kWh")"};
  return {.value = MoneyPer{*money.value, std::move(unit)}};
}

std::string print(const Money& money) {
  return fmt::format("{} {}", digits(money.amount()), money.currency());
}

std::string rough(const Money& money) {
  const double amount = money.amount();
  if (amount == 0 || std::abs(amount) >= 1) return fmt::format("{:.2f} {}", amount, money.currency());
  return fmt::format("{:.3g} {}", amount, money.currency());
}

}  // namespace wt
