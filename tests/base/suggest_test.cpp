#include "base/suggest.h"

#include <gtest/gtest.h>

#include <array>

namespace wt {
namespace {

constexpr std::array<std::string_view, 4> strategies{"default", "mirrored", "one_device", "tpu"};

TEST(Suggest, CountsInsertionsDeletionsSubstitutionsAndSwaps) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("mirored", "mirrored"), 1U);
  EXPECT_EQ(edit_distance("mriroed", "mirrored"), 2U);
  EXPECT_EQ(edit_distance("tup", "tpu"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("TPU", "tpu"), 0U);
}

TEST(Suggest, ProposesTheNearestName) {
  EXPECT_EQ(did_you_mean("mirored", strategies),
            "did you mean \"mirrored\"? known: default, mirrored, one_device, tpu");
  EXPECT_EQ(nearest("TPU", strategies), "tpu");
  EXPECT_EQ(nearest("one-device", strategies), "one_device");
}

TEST(Suggest, ProposesNothingFarAway) {
  EXPECT_EQ(did_you_mean("horovod", strategies), "known: default, mirrored, one_device, tpu");
  EXPECT_EQ(nearest("", strategies), "");
  EXPECT_EQ(nearest("x", std::array<std::string_view, 1>{"y"}), "");
  EXPECT_EQ(nearest(std::string(1000, 'm'), strategies), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(Suggest, PrefersTheSameCaseAmongEquallyNear) {
  EXPECT_EQ(nearest("Gbs", std::array<std::string_view, 2>{"GB/s", "Gb/s"}), "Gb/s");
  EXPECT_EQ(nearest("GBs", std::array<std::string_view, 2>{"Gb/s", "GB/s"}), "GB/s");
  EXPECT_EQ(nearest("ab", std::array<std::string_view, 2>{"ac", "ad"}), "ac");
}

TEST(Suggest, ListsTheBeginningOfALongListAndCountsTheRest) {
  const std::vector<std::string_view> known(38, "a");
  EXPECT_TRUE(list_known(known).ends_with("a, a and 6 more")) << list_known(known);
}

}  // namespace
}  // namespace wt
