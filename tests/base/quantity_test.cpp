#include "base/quantity.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "base/quantity_literals.h"

namespace wt {
namespace {

template <class Left, class Right>
concept can_add = requires(Left left, Right right) {
  left + right;
};
template <class Left, class Right>
concept can_multiply = requires(Left left, Right right) {
  left* right;
};
template <class Left, class Right>
concept can_divide = requires(Left left, Right right) {
  left / right;
};
template <class Left, class Right>
concept can_compare = requires(Left left, Right right) {
  left < right;
};

// Operations with a physical meaning compile and have the right type.
static_assert(std::is_same_v<decltype(1_B / 1_Bps), Seconds>);
static_assert(std::is_same_v<decltype(1_Flop / 1_GFlop_per_s), Seconds>);
static_assert(std::is_same_v<decltype(1_B / 1_B), double>);
static_assert(std::is_same_v<decltype(1_s / 1_s), double>);
static_assert(std::is_same_v<decltype(1_s * 0.5), Seconds>);
static_assert(std::is_same_v<decltype(2 * 1_B), Bytes>);
// Other operations don't compile.
static_assert(!can_add<Bytes, Seconds> && !can_add<Bytes, int> && !can_add<Flops, Bytes>);
static_assert(!can_add<BytesPerSecond, FlopsPerSecond>);
static_assert(!can_multiply<Bytes, Bytes> && !can_multiply<Seconds, Seconds> &&
              !can_multiply<Bytes, Seconds>);
static_assert(!can_multiply<Bytes, double> && !can_multiply<Bytes, bool> && !can_divide<Bytes, double>);
static_assert(!can_divide<Bytes, FlopsPerSecond> && !can_divide<Flops, BytesPerSecond>);
static_assert(!can_divide<Bytes, Flops> && !can_divide<int, Seconds> && !can_divide<Seconds, Bytes>);
static_assert(!can_compare<Bytes, Flops> && !can_compare<Seconds, double>);
static_assert(!std::is_convertible_v<int, Bytes> && !std::is_convertible_v<Seconds, double>);
static_assert(!std::is_constructible_v<Bytes, double> && !std::is_constructible_v<Bytes, Flops>);

// Bits and bytes, and decimal and binary units, are different.
static_assert(25_Gbps * 8 == 25_GBps && 1_KiB == 1024_B && 1_KB == 1000_B && 1_GiB > 1_GB);
static_assert(1_GB / 1_GBps == 1_s && 100_Gbps == 12.5_GBps);
static_assert(-(3_B) == Bytes(-3) && 7_B / 2 == 3_B);

TEST(Quantity, RefusesByteCountsThatOverflow) {
  const Bytes most(std::numeric_limits<std::int64_t>::max());
  EXPECT_THROW(static_cast<void>(most + 1_B), InternalError);
  EXPECT_THROW(static_cast<void>(-most - 2_B), InternalError);
  EXPECT_THROW(static_cast<void>(most * 2), InternalError);
  EXPECT_THROW(static_cast<void>(1_B / 0), InternalError);
  EXPECT_EQ(most - 1_B + 1_B, most);
}

TEST(Quantity, ParsesTheLiteralsToTheSameBits) {
  EXPECT_EQ(parse<Bytes>("16 GiB"), 16_GiB);
  EXPECT_EQ(parse<Bytes>("16GB"), 16_GB);
  EXPECT_EQ(parse<Bytes>("1.5 KiB"), 1536_B);
  EXPECT_EQ(parse<Bytes>("0.5 kB"), 500_B);
  EXPECT_EQ(parse<Bytes>("1e3 MB"), 1_GB);
  EXPECT_EQ(parse<Bytes>("9223372036854775807 B").count(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse<BytesPerSecond>("25 GB/s"), 25_GBps);
  EXPECT_EQ(parse<BytesPerSecond>("25 Gb/s"), 25_Gbps);
  EXPECT_EQ(parse<BytesPerSecond>("25 Gbps"), 25_Gbps);
  EXPECT_EQ(parse<BytesPerSecond>("2 GiB/s").count(), 2147483648.0);
  EXPECT_EQ(parse<Seconds>("2 us"), 2_us);
  EXPECT_EQ(parse<Seconds>("2 \u00b5s"), 2_us);
  EXPECT_EQ(parse<Seconds>("0.1 ns"), 0.1_ns);
  EXPECT_EQ(parse<Seconds>("12.5 ms"), 12.5_ms);
  EXPECT_EQ(parse<Flops>("5 GFLOP"), 5_GFlop);
  EXPECT_EQ(parse<FlopsPerSecond>("312 TFLOP/s"), 312_TFlop_per_s);
  EXPECT_EQ(parse<FlopsPerSecond>("312 TFLOPS"), 312_TFlop_per_s);
}

TEST(Quantity, PrintsTheShortestExactForm) {
  EXPECT_EQ(print(0_B), "0 B");
  EXPECT_EQ(print(1023_B), "1023 B");
  EXPECT_EQ(print(1000_B), "1 KB");
  EXPECT_EQ(print(16_GiB), "16 GiB");
  EXPECT_EQ(print(16_GB), "16 GB");
  EXPECT_EQ(print(1536_B), "1.5 KiB");
  EXPECT_EQ(print(12345678_B), "12345678 B");
  EXPECT_EQ(print(Bytes(-2048)), "-2 KiB");
  EXPECT_EQ(print(Bytes(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808 B");
  EXPECT_EQ(print(12.5_us), "12.5 us");
  EXPECT_EQ(print(-(2_ms)), "-2 ms");
  EXPECT_EQ(print(0_s), "0 s");
  EXPECT_EQ(print(3600_s), "3600 s");
  EXPECT_EQ(print(Seconds(5e-13)), "0.5 ps");
  EXPECT_EQ(print(Seconds(1e300)), "1e300 s");
  EXPECT_EQ(print(100_Gbps), "12.5 GB/s");
  EXPECT_EQ(print(999_MBps), "999 MB/s");
  EXPECT_EQ(print(312_TFlop_per_s), "312 TFLOP/s");
  EXPECT_EQ(print(5_GFlop), "5 GFLOP");
  EXPECT_THROW(print(Seconds(NAN)), InternalError);
  EXPECT_EQ(fmt::format("{:>8}", 2_us), "    2 us");
}

template <class Kind>
void expect_fault(std::string_view text, std::string_view fact, std::string_view remedy) {
  const Parsed<Kind> parsed = try_parse<Kind>(text);
  EXPECT_FALSE(parsed.value) << text;
  EXPECT_EQ(parsed.fact, fact);
  EXPECT_EQ(parsed.remedy, remedy);
}

constexpr std::string_view bytes_known = "known: B, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB";
constexpr std::string_view rates_known =
    "known: B/s, KB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, TiB/s, b/s, Kb/s, Mb/s, Gb/s, Tb/s";

TEST(Quantity, RefusesABareNumberAndNamesTheUnits) {
  expect_fault<Bytes>("16", "\"16\" has no unit",
                      fmt::format("bytes are written with a unit, as in \"16 GiB\"; {}", bytes_known));
  expect_fault<Seconds>("2", "\"2\" has no unit",
                        "times are written with a unit, as in \"2 us\"; known: ps, ns, us, ms, s");
  expect_fault<Flops>(
      "", "\"\" is not a number with a unit",
      "counts of operations are written with a unit, as in \"5 GFLOP\"; known: FLOP, KFLOP, MFLOP, "
      "GFLOP, TFLOP, PFLOP, EFLOP");
}

TEST(Quantity, GuessesTheUnitButNeverBetweenBitsAndBytes) {
  expect_fault<BytesPerSecond>("25 Gbs", "unknown unit \"Gbs\" for data rates",
                               fmt::format("did you mean \"Gb/s\"? {}", rates_known));
  expect_fault<BytesPerSecond>("25 gb/s", "unknown unit \"gb/s\" for data rates",
                               fmt::format("did you mean \"GB/s\" or \"Gb/s\"? {}", rates_known));
  expect_fault<Bytes>("16 gib", "unknown unit \"gib\" for bytes",
                      fmt::format("did you mean \"GiB\"? {}", bytes_known));
  expect_fault<Bytes>("16 Gb", "\"16 Gb\" is a number of bits, and bytes are expected",
                      fmt::format("8 bits are a byte: 8 Gb = 1 GB; {}", bytes_known));
  expect_fault<FlopsPerSecond>("3 parsec", "unknown unit \"parsec\" for rates of operations",
                               "known: FLOP/s, KFLOP/s, MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s, EFLOP/s");
}

TEST(Quantity, RefusesWhatIsNotExactTooLargeOrNegative) {
  expect_fault<Bytes>("1.3 B", "\"1.3 B\" is not a whole number of bytes", "");
  expect_fault<Bytes>("1e-30 PiB", "\"1e-30 PiB\" is not a whole number of bytes", "");
  expect_fault<Bytes>("9223372036854775808 B", "\"9223372036854775808 B\" is too large", "");
  expect_fault<Bytes>("8192 PiB", "\"8192 PiB\" is too large", "");
  expect_fault<Bytes>("1e99999999999 B", "\"1e99999999999 B\" is too large", "");
  expect_fault<BytesPerSecond>("1e400 GB/s", "\"1e400 GB/s\" is too large", "");
  expect_fault<Seconds>("-2 us", "\"-2 us\" is negative", "remove the sign");
}

TEST(Quantity, PointsAtThePlaceOfTheText) {
  try {
    parse<Seconds>("2", Place{"x.json", 1, 5, "\"a\":\"2\"", 3});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "x.json:1:5: \"2\" has no unit\n  1 | \"a\":\"2\"\n    |     ^~~\n"
                 "times are written with a unit, as in \"2 us\"; known: ps, ns, us, ms, s");
  }
}

TEST(Quantity, PrintsWhatParsesBackToTheSameBits) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 200) - 150);
    ASSERT_EQ(parse<Seconds>(print(Seconds(value))).count(), value) << value;
    ASSERT_EQ(parse<BytesPerSecond>(print(BytesPerSecond(value))).count(), value) << value;
    const Bytes bytes(static_cast<std::int64_t>(random() >> (1 + random() % 62)));
    ASSERT_EQ(parse<Bytes>(print(bytes)), bytes) << bytes.count();
  }
}

template <class Kind>
void parse_noise(std::mt19937_64& random) {
  constexpr std::string_view alphabet = "0123456789.eE+- KMGTPibBs/uFLOPn\xC2\xB5x";
  std::string text = "12.5 GiB/s";
  for (int change = 0; change < 4; ++change) {
    const std::size_t at = random() % (text.size() + 1);
    const char letter = alphabet[random() % alphabet.size()];
    random() % 2 == 0 && at < text.size() ? text[at] = letter
                                          : *text.insert(text.begin() + static_cast<long>(at), letter);
    if (random() % 3 == 0) text.erase(random() % text.size(), 1);
    if (text.empty()) text = "1";
  }
  const Parsed<Kind> parsed = try_parse<Kind>(text);
  ASSERT_EQ(parsed.value.has_value(), parsed.fact.empty()) << text;
  if (!parsed.value) return;
  ASSERT_EQ(try_parse<Kind>(print(*parsed.value)).value, parsed.value) << text;
}

TEST(Quantity, AnswersAValueOrAFactForAnyText) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 10'000; ++i) {
    parse_noise<Bytes>(random);
    parse_noise<Seconds>(random);
    parse_noise<Flops>(random);
    parse_noise<BytesPerSecond>(random);
    parse_noise<FlopsPerSecond>(random);
  }
}

}  // namespace
}  // namespace wt
