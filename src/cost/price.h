// cost/ computes what a job costs. It knows no machines and no scenarios, only how much of a machine is paid
// for (Rented), at which price, and for how long:
//
//   const Price price = *parse_price("98.32 USD/h, on_demand, 2026-11-01, the provider's page").value;
//   bill(price, {.chips = 16, .machines = 2}, {.job = Seconds(1800), .samples = 2e6}).job  // 98.32 USD
//
// What must hold: no price is shipped with the program, because prices change by the day; every price is the
// user's, has a currency, and may name its date and its source, which the results repeat. Amounts of two
// currencies are never added (base/money.h).
//
// A price is either a rent by the hour, or a purchase: the amount is spread evenly over the hours in which the
// machine is used during its lifetime, and electricity is added, with the data centre's overhead (power usage
// effectiveness: all power over that of the computers; The Green Grid, 2007). Read on in cost/bill.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/power.h"

namespace wt::cost {

// What a price is paid for. `hour`: the price names an hour and nothing else, which means an hour of a machine
// and is refused where machines are parts of a slice.
enum class Per : std::uint8_t { hour, chip, machine, slice };
enum class Terms : std::uint8_t { on_demand, committed, spot };
std::string_view name(Per per);      // "machine"
std::string_view name(Terms terms);  // "on_demand"

// "98.32 USD/h", "4.10 USD/chip-hour".
struct HourlyRate {
  Money money{0, "USD"};
  Per per = Per::hour;
};

// "0.12 USD/kWh".
struct EnergyPrice {
  Money kilowatt_hour{0, "USD"};
};

// Exactly one of `rent` and `purchase` is set.
struct Price {
  std::optional<HourlyRate> rent{};
  std::optional<Terms> terms{};  // of a rent

  std::optional<Money> purchase{};
  // Of a purchase. Unset: it buys a machine, in whose whole lifetime jobs run, with an overhead of 1.
  std::optional<Per> per{};
  std::optional<Seconds> lifetime{};    // always set with a purchase
  std::optional<double> utilization{};  // the share of the lifetime in which jobs run
  std::optional<double> overhead{};     // power usage effectiveness
  std::optional<EnergyPrice> energy{};  // unset: electricity is not counted
  std::optional<Watts> power{};         // of what the amount buys; unset: the data sheets' power

  std::optional<std::string> date{};  // "2026-11-01"
  std::optional<std::string> source{};
};

Parsed<HourlyRate> parse_rate(std::string_view text);
Parsed<EnergyPrice> parse_energy_price(std::string_view text);
// A rent in one line: the rate, then in any order terms, a date and a source, separated by commas.
Parsed<Price> parse_price(std::string_view text);
bool is_date(std::string_view text);  // "2026-11-01"

std::string print(const HourlyRate& rate);
std::string print(const EnergyPrice& price);

}  // namespace wt::cost
