#pragma once
// Amounts of money. An amount has a currency, and amounts of two currencies are never added or compared: no
// rate of exchange is known here.
//
//   const Money hour = *try_parse_money("98.32 USD").value;
//   print(hour * 2.5)                                         // "245.8 USD"
//   hour + *try_parse_money("1 EUR").value                    // InternalError: the caller has to check first
//
// A currency is the three capital letters of ISO 4217.

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/quantity.h"

namespace wt {

class Money {
 public:
  // Requires: a finite amount, and a currency of three capital letters.
  Money(double amount, std::string currency);

  double amount() const { return amount_; }
  const std::string& currency() const { return currency_; }

  // Requires, where there are two amounts: both have the same currency.
  friend Money operator+(const Money& left, const Money& right) {
    return {left.amount_ + left.same(right), left.currency_};
  }
  friend Money operator*(const Money& money, double times) {
    return {money.amount_ * times, money.currency_};
  }
  friend Money operator/(const Money& money, double by) { return {money.amount_ / by, money.currency_}; }
  friend bool operator==(const Money& left, const Money& right) = default;
  friend bool operator<(const Money& left, const Money& right) { return left.amount_ < left.same(right); }

 private:
  // The amount of `other`, which must have this currency.
  double same(const Money& other) const;

  double amount_;
  std::string currency_;
};

// An amount for each of something: "98.32 USD/h" is 98.32 USD for each "h".
struct MoneyPer {
  Money money;
  std::string unit{};
};

// These parse "250000 USD" and "0.12 USD/kWh". The space is optional. An amount is at most 1e15.
Parsed<Money> try_parse_money(std::string_view text);
Parsed<MoneyPer> try_parse_money_per(std::string_view text);

bool is_currency(std::string_view text);  // three capital letters

std::string print(const Money& money);  // the shortest form that parses back: "98.32 USD"
std::string rough(const Money& money);  // for tables: "1234.50 USD", "0.00123 USD"

}  // namespace wt
