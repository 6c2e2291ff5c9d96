// Claims: a job's cost is the hours of what it occupies times the price, worked out by hand here; a chip's, a
// machine's and a slice's price of the same offer agree; what has no answer is refused with a remedy.

#include "cost/bill.h"

#include <gtest/gtest.h>

namespace wt::cost {
namespace {

Price rent(std::string_view text) {
  const Parsed<Price> parsed = parse_price(text);
  EXPECT_TRUE(parsed.value) << parsed.fact;
  return parsed.value.value_or(Price{});
}

// Half an hour, in which 2.5 epochs of 400,000 samples are trained.
const Usage half_an_hour{.job = Seconds(1800), .samples = 1e6, .epochs = 2.5};
const Rented two_machines{.chips = 16, .machines = 2, .power = Watts(12'800)};

Cost bill_of(const Price& price, const Rented& rented) {
  const Parsed<Cost> parsed = bill(price, rented, half_an_hour);
  EXPECT_TRUE(parsed.value) << parsed.fact;
  return parsed.value.value_or(Cost{});
}

TEST(Bill, IsHoursOfMachinesTimesTheirPrice) {
  const Cost cost = bill_of(rent("100 USD/h"), two_machines);
  EXPECT_EQ(cost.hour, Money(200, "USD"));
  EXPECT_EQ(cost.job, Money(100, "USD"));
  EXPECT_EQ(*cost.epoch, Money(40, "USD"));
  EXPECT_EQ(cost.million_samples, Money(100, "USD"));
  EXPECT_FALSE(cost.electricity);
}

TEST(Bill, OfAChipAMachineAndASliceAgree) {
  const Rented slices{.chips = 64, .machines = 16, .slices = 2};  // 32 chips and 8 hosts in each
  const Money by_chip = bill_of(rent("3 USD/chip-hour"), slices).job;
  EXPECT_EQ(by_chip, Money(96, "USD"));
  EXPECT_EQ(bill_of(rent("12 USD/machine-hour"), slices).job, by_chip);
  EXPECT_EQ(bill_of(rent("96 USD/slice-hour"), slices).job, by_chip);
}

TEST(Bill, CountsFurtherHostsAndHasNoEpochWhereRowsHaveNoEnd) {
  Rented rented = two_machines;
  rented.hosts = 3;
  rented.host_price = HourlyRate{Money(2, "USD"), Per::hour};
  const Parsed<Cost> parsed =
      bill(rent("100 USD/h"), rented, {.job = Seconds(3600), .samples = 4e6, .epochs = std::nullopt});
  ASSERT_TRUE(parsed.value);
  EXPECT_EQ(parsed.value->job, Money(206, "USD"));
  EXPECT_EQ(parsed.value->million_samples, Money(51.5, "USD"));
  EXPECT_FALSE(parsed.value->epoch);
}

// 262,800 USD over 3 years of 8,760 hours, half of them used: 20 USD for each machine and hour.
Price bought() {
  return {.purchase = Money(262'800, "USD"), .lifetime = Seconds(3 * 365 * 86'400.0), .utilization = 0.5};
}

TEST(Bill, OfAPurchaseSpreadsItOverTheHoursInUse) {
  Price price = bought();
  EXPECT_DOUBLE_EQ(bill_of(price, two_machines).hour.amount(), 40);
  price.utilization = 1;
  EXPECT_DOUBLE_EQ(bill_of(price, two_machines).hour.amount(), 20);
  price.per = Per::chip;
  EXPECT_DOUBLE_EQ(bill_of(price, two_machines).hour.amount(), 160);
}

// 12.8 kW by the data sheets at a PUE of 1.25 are 16 kW: 1.60 USD an hour at 0.10 USD/kWh.
TEST(Bill, OfAPurchaseAddsElectricity) {
  Price price = bought();
  price.overhead = 1.25;
  price.energy = EnergyPrice{Money(0.10, "USD")};
  const Cost cost = bill_of(price, two_machines);
  EXPECT_DOUBLE_EQ(cost.electricity->amount(), 1.6);
  EXPECT_DOUBLE_EQ(cost.hour.amount(), 41.6);
  price.power = Watts(10'000);  // of each machine, in place of the data sheets'
  EXPECT_DOUBLE_EQ(bill_of(price, two_machines).electricity->amount(), 2.5);
}

void expect_refused(const Price& price, const Rented& rented, std::string_view fact,
                    std::string_view remedy) {
  const Parsed<Cost> parsed = bill(price, rented, half_an_hour);
  ASSERT_FALSE(parsed.value);
  EXPECT_NE(parsed.fact.find(fact), std::string::npos) << parsed.fact;
  EXPECT_NE(parsed.remedy.find(remedy), std::string::npos) << parsed.remedy;
}

TEST(Bill, RefusesWhatHasNoAnswer) {
  expect_refused(rent("9 USD/slice-hour"), two_machines, "no slices", "machine-hour");
  expect_refused(rent("9 USD/h"), {.chips = 4, .machines = 1, .slices = 1}, "of a TPU", "USD/chip-hour");
  Rented rented = two_machines;
  rented.hosts = 1;
  rented.host_price = HourlyRate{Money(2, "EUR"), Per::hour};
  expect_refused(rent("9 USD/h"), rented, "USD and EUR are never added", "one currency");
  Price price = bought();
  price.energy = EnergyPrice{Money(0.1, "EUR")};
  expect_refused(price, two_machines, "USD and EUR are never added", "one currency");
  price.energy = EnergyPrice{Money(0.1, "USD")};
  expect_refused(price, {.chips = 8, .machines = 1, .why_no_power = "tpu_v3 has none"}, "tpu_v3 has none",
                 "\"power\"");
}

TEST(Price, IsWrittenInOneLine) {
  const Price price = rent("98.32 USD/h, spot, 2026-11-01, example.com, page 3");
  EXPECT_EQ(price.rent->money, Money(98.32, "USD"));
  EXPECT_EQ(price.rent->per, Per::hour);
  EXPECT_EQ(price.terms, Terms::spot);
  EXPECT_EQ(price.date, "2026-11-01");
  EXPECT_EQ(price.source, "example.com, page 3");
}

TEST(Price, NamesItsUnits) {
  for (const auto& [text, per] :
       {std::pair("1 USD/h", Per::hour), std::pair("1 USD/hour", Per::hour),
        std::pair("1 USD/chip-h", Per::chip), std::pair("1 USD/machine-hour", Per::machine),
        std::pair("1 USD/slice-hour", Per::slice)})
    EXPECT_EQ(parse_rate(text).value->per, per) << text;
  EXPECT_EQ(print(*parse_rate("98.32 USD/chip-h").value), "98.32 USD/chip-hour");
  EXPECT_NE(parse_price("3 USD/chiphour").remedy.find("did you mean \"chip-hour\""), std::string::npos);
  for (const char* text : {"", "3 USD", "3/h", "free", "3 USD/kWh", "-3 USD/h"}) {
    EXPECT_FALSE(parse_price(text).value) << text;
    EXPECT_NE(parse_price(text).remedy.find("98.32 USD/h"), std::string::npos) << text;
  }
  EXPECT_EQ(print(*parse_energy_price("0.12 EUR/kWh").value), "0.12 EUR/kWh");
  EXPECT_FALSE(parse_energy_price("0.12 EUR/h").value);
}

TEST(Price, HasADate) {
  EXPECT_TRUE(is_date("2026-11-23"));
  for (const char* text :
       {"2026-13-01", "2026-1-01", "2026-11-00", "2026-11-32", "23-11-2026", "", "2026/11/23"})
    EXPECT_FALSE(is_date(text)) << text;
}

TEST(Bill, NamesItsFacts) {
  EXPECT_EQ(basis(bill_of(rent("98.32 USD/h, spot, 2026-11-01, example.com"), two_machines)),
            "2 machines at 98.32 USD/h, spot, 2026-11-01, example.com");
  Rented rented = two_machines;
  rented.spares = 1;
  EXPECT_EQ(
      basis(bill_of(bought(), rented)),
      "2 machines, 1 of them spare, bought for 262800 USD each, used 50 % of 1095 days; electricity not "
      "counted");
}

}  // namespace
}  // namespace wt::cost
