// Claim: quantities beyond what any machine has are refused with the range, and all others are accepted.

#include "base/plausible.h"

#include <gtest/gtest.h>

#include "base/quantity_literals.h"

namespace wt {
namespace {

template <class Kind>
std::string refusal(std::string_view text) {
  const Parsed<Kind> parsed = parse_plausible<Kind>(text);
  return parsed.value ? "accepted" : parsed.fact + " | " + parsed.remedy;
}

TEST(Plausible, RefusesWhatNoMachineHas) {
  EXPECT_EQ(refusal<BytesPerSecond>("1e18 GB/s"),
            "\"1e18 GB/s\" is too large | it must be from 0.001 B/s to 1000000 TB/s");
  EXPECT_EQ(refusal<BytesPerSecond>("1e-300 B/s"),
            "\"1e-300 B/s\" is too small | it must be from 0.001 B/s to 1000000 TB/s");
  EXPECT_EQ(refusal<Seconds>("1e300 s"),
            "\"1e300 s\" is too large | it must be from 0.001 ps to 1000000000 s");
  EXPECT_EQ(refusal<Bytes>("8191 PiB"), "\"8191 PiB\" is too large | it must be from 1 B to 8 PiB");
  EXPECT_EQ(refusal<FlopsPerSecond>("1e300 FLOP/s"),
            "\"1e300 FLOP/s\" is too large | it must be from 0.001 FLOP/s to 1000000 EFLOP/s");
}

TEST(Plausible, AcceptsZeroAndWhatMachinesHave) {
  EXPECT_EQ(refusal<Seconds>("0 s"), "accepted");
  EXPECT_EQ(refusal<Seconds>("1 ps"), "accepted");
  EXPECT_EQ(refusal<Bytes>("8 PiB"), "accepted");
  EXPECT_EQ(refusal<BytesPerSecond>("100 Tb/s"), "accepted");
  EXPECT_EQ(refusal<FlopsPerSecond>("10 EFLOP/s"), "accepted");
  EXPECT_FALSE(is_plausible(Seconds(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_FALSE(is_plausible(Seconds(std::numeric_limits<double>::infinity())));
}

}  // namespace
}  // namespace wt
