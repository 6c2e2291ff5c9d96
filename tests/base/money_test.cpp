// Claims: an amount keeps its currency through every operation, two currencies are never mixed, and every text
// that is no amount is refused with a remedy. Durations and powers have the units in which people pay.

#include "base/money.h"

#include <gtest/gtest.h>

#include "base/duration.h"
#include "base/plausible.h"
#include "base/power.h"

namespace wt {
namespace {

TEST(Money, KeepsItsCurrency) {
  const Money hour = *try_parse_money("98.32 USD").value;
  EXPECT_EQ(hour, Money(98.32, "USD"));
  EXPECT_EQ(hour * 2 + Money(1, "USD"), Money(197.64, "USD"));
  EXPECT_EQ(Money(9, "CHF") / 4, Money(2.25, "CHF"));
  EXPECT_TRUE(Money(1, "EUR") < Money(2, "EUR"));
  EXPECT_FALSE(Money(1, "EUR") == Money(1, "USD"));
}

TEST(Money, OfTwoCurrenciesIsNeverAddedNorCompared) {
  EXPECT_THROW(Money(1, "EUR") + Money(1, "USD"), InternalError);
  EXPECT_THROW((void)(Money(1, "EUR") < Money(1, "USD")), InternalError);
  EXPECT_THROW(Money(1, "eur"), InternalError);
}

TEST(Money, IsParsedAndPrintedWithoutLoss) {
  for (const char* text : {"98.32 USD", "250000 USD", "0.12 EUR", "0 JPY", "1000000000000000 USD"})
    EXPECT_EQ(print(*try_parse_money(text).value), text);
  EXPECT_EQ(*try_parse_money("3USD").value, Money(3, "USD"));
  for (const char* text : {"", "USD", "3", "3 usd", "3 dollars", "-1 USD", "nan USD", "inf USD", "1e16 USD",
                           "$3", "3 USD ", "3  USD"}) {
    const Parsed<Money> parsed = try_parse_money(text);
    EXPECT_FALSE(parsed.value) << text;
    EXPECT_NE(parsed.fact.find(text), std::string::npos) << parsed.fact;
    EXPECT_NE(parsed.remedy.find("98.32 USD"), std::string::npos);
  }
}

TEST(Money, HasWhatItIsPaidFor) {
  const MoneyPer rate = *try_parse_money_per("0.12 EUR/kWh").value;
  EXPECT_EQ(rate.money, Money(0.12, "EUR"));
  EXPECT_EQ(rate.unit, "kWh");
  for (const char* text : {"0.12 EUR", "0.12 EUR/", "kWh", "1/kWh"})
    EXPECT_FALSE(try_parse_money_per(text).value) << text;
}

TEST(Money, IsRoundedForTables) {
  EXPECT_EQ(rough(Money(1234.5, "USD")), "1234.50 USD");
  EXPECT_EQ(rough(Money(0.001234, "USD")), "0.00123 USD");
  EXPECT_EQ(rough(Money(0, "USD")), "0.00 USD");
}

TEST(Times, HaveUnitsOfHoursAndYears) {
  EXPECT_EQ(parse<Seconds>("5 min"), Seconds(300));
  EXPECT_EQ(parse<Seconds>("1.5 h"), Seconds(5400));
  EXPECT_EQ(parse<Seconds>("2 days"), Seconds(172'800));
  EXPECT_EQ(parse<Seconds>("4 years"), Seconds(4 * 365 * 86'400.0));
  EXPECT_FALSE(parse_plausible<Seconds>("400 years").value);
  EXPECT_EQ(print(Seconds(7200)), "7200 s");
}

TEST(Times, OfTrainingsArePrintedInTheUnitThatFits) {
  EXPECT_EQ(duration(Seconds(0.25)), "250.0 ms");
  EXPECT_EQ(duration(Seconds(119)), "119.0 s");
  EXPECT_EQ(duration(Seconds(300)), "5.0 min");
  EXPECT_EQ(duration(Seconds(7560)), "2.1 h");
  EXPECT_EQ(duration(Seconds(86'400 * 3.4)), "3.4 days");
}

TEST(Power, IsAQuantity) {
  EXPECT_EQ(parse<Watts>("10.2 kW"), Watts(10'200));
  EXPECT_EQ(print(Watts(700)), "700 W");
  EXPECT_EQ(kilowatt_hours(Watts(10'200), Seconds(1800)), 5.1);
  EXPECT_FALSE(try_parse<Watts>("700").value);
}

}  // namespace
}  // namespace wt
