#include "cost/bill.h"

#include <fmt/format.h>

#include "base/rough.h"

namespace wt::cost {

namespace {

constexpr Seconds hour_long(3600);

Per unit_of(const Price& price) { return price.rent ? price.rent->per : price.per.value_or(Per::machine); }

std::int64_t count(const Rented& rented, Per per) {
  switch (per) {
    case Per::chip:
      return rented.chips;
    case Per::slice:
      return rented.slices;
    case Per::hour:
    case Per::machine:
      break;
  }
  return rented.machines;
}

struct Refusal {
  std::string fact{};
  std::string remedy{};
};

std::optional<Refusal> refusal(const Price& price, const Rented& rented) {
  const Per per = unit_of(price);
  if (per == Per::slice && rented.slices == 0)
    return Refusal{"the price is that of a slice, and the platform has no slices",
                   "give the price of a chip-hour or a machine-hour"};
  if (per == Per::hour && rented.slices > 0)
    return Refusal{"of a TPU, an hour may be that of a chip, of a machine or of a slice",
                   R"(write "USD/chip-hour", "USD/machine-hour" or "USD/slice-hour")"};
  if (price.energy && !price.power && !rented.power)
    return Refusal{fmt::format("electricity has a price, and the power is unknown: {}", rented.why_no_power),
                   R"(add "power" to the price, as in "10.2 kW")"};
  const std::string& currency = price.rent ? price.rent->money.currency() : price.purchase->currency();
  for (const Money& other : {price.energy ? price.energy->kilowatt_hour : Money(0, currency),
                             rented.host_price ? rented.host_price->money : Money(0, currency)})
    if (other.currency() != currency)
      return Refusal{fmt::format("{} and {} are never added", currency, other.currency()),
                     "give all prices of a job in one currency"};
  return std::nullopt;
}

Money electricity(const Price& price, const Rented& rented, std::int64_t units) {
  const Watts power = price.power ? *price.power * units : *rented.power;
  return price.energy->kilowatt_hour * (kilowatt_hours(power, hour_long) * price.overhead.value_or(1));
}

// The units that a purchase buys work for `utilization` of their lifetime.
Money hour_of_purchase(const Price& price, std::int64_t units) {
  const double hours = *price.lifetime / hour_long * price.utilization.value_or(1);
  return *price.purchase * (static_cast<double>(units) / hours);
}

}  // namespace

Parsed<Cost> bill(const Price& price, const Rented& rented, const Usage& usage) {
  if (const auto why = refusal(price, rented))
    return {.value = std::nullopt, .fact = why->fact, .remedy = why->remedy};
  const std::int64_t units = count(rented, unit_of(price));
  Cost cost{.price = price, .rented = rented};
  cost.hour = price.rent ? price.rent->money * static_cast<double>(units) : hour_of_purchase(price, units);
  if (price.energy) cost.electricity = electricity(price, rented, units);
  if (cost.electricity) cost.hour = cost.hour + *cost.electricity;
  if (rented.hosts > 0) cost.hour = cost.hour + rented.host_price->money * static_cast<double>(rented.hosts);
  cost.job = cost.hour * (usage.job / hour_long);
  if (usage.epochs) cost.epoch = cost.job / *usage.epochs;
  cost.million_samples = cost.job * (1e6 / usage.samples);
  return {.value = std::move(cost)};
}

std::string basis(const Cost& cost) {
  const Price& price = cost.price;
  const Rented& rented = cost.rented;
  const Per per = unit_of(price);
  std::string text = counted(count(rented, per), name(per));
  if (rented.spares > 0) text += fmt::format(", {} of them spare", rented.spares);
  if (rented.services > 0)
    text += fmt::format(", {} of them for servers, coordinators and evaluators", rented.services);
  if (price.rent) {
    text += fmt::format(" at {}", print(*price.rent));
    if (price.terms) text += fmt::format(", {}", name(*price.terms));
  } else {
    text += fmt::format(", bought for {} each, used {:g} % of {:g} days", print(*price.purchase),
                        100 * price.utilization.value_or(1), *price.lifetime / (24 * hour_long));
  }
  if (cost.electricity)
    text += fmt::format("; electricity at {}, PUE {:g}, {} an hour", print(*price.energy),
                        price.overhead.value_or(1), rough(*cost.electricity));
  else if (price.purchase)
    text += "; electricity not counted";
  if (rented.hosts > 0)
    text += fmt::format("; {} at {}", counted(rented.hosts, "further host"), print(*rented.host_price));
  if (price.date) text += ", " + *price.date;
  if (price.source) text += ", " + *price.source;
  return text;
}

}  // namespace wt::cost
