// Claims: integers get the buckets that TensorFlow's tf.strings.to_hash_bucket_fast and to_hash_bucket_strong give their
// decimal digits, for every length of them; tokens without an index are refused in TensorFlow's words.

#include <gtest/gtest.h>

#include <limits>

#include "kernel/apply.h"

namespace wt {
namespace {

using Numbers64 = std::vector<std::int64_t>;

const Numbers64 numbers_of_each_length{0,
                                       7,
                                       -3,
                                       42,
                                       999,
                                       -123,
                                       1234,
                                       98765,
                                       1234567,
                                       -7654321,
                                       12345678,
                                       123456789012,
                                       -123456789012345,
                                       1234567890123456,
                                       12345678901234567,
                                       -1234567890123456789,
                                       std::numeric_limits<std::int64_t>::max(),
                                       std::numeric_limits<std::int64_t>::min()};

Numbers64 buckets_of(const Numbers64& x, const HashAttributes& attributes) {
  return numbers<std::int64_t>(apply(
      "hash_bucket", {Tensor::of<std::int64_t>({static_cast<std::int64_t>(x.size())}, x)}, attributes)[0]);
}

// Recorded from TensorFlow 2.21.
TEST(HashBucket, IsTensorFlowsFastOne) {
  EXPECT_EQ(buckets_of(numbers_of_each_length, {.buckets = 1000000007}),
            (Numbers64{859788559, 386741321, 132311520, 917532362, 116846896, 973643327, 618853028, 805469137,
                       746605221, 376350706, 980357041, 867769367, 188124989, 966051395, 270977572, 858898636,
                       734228218, 754750623}));
}

TEST(HashBucket, IsTensorFlowsStrongOne) {
  EXPECT_EQ(
      buckets_of(numbers_of_each_length, {.buckets = 1000000007, .is_salted = true, .salt = {133, -137}}),
      (Numbers64{909926646, 655138743, 409699280, 725304794, 13194384, 91369529, 603588613, 660374829,
                 773974253, 11280103, 597063215, 696089352, 960860448, 790163847, 354926949, 435948838,
                 957663559, 382705363}));
}

TEST(HashBucket, IsTheSameForBothWidths) {
  const std::vector<std::int32_t> narrow{-5, 0, 1234567};
  EXPECT_EQ(numbers<std::int64_t>(apply("hash_bucket", {Tensor::of<std::int32_t>({3}, narrow)},
                                        HashAttributes{.buckets = 97})[0]),
            buckets_of({-5, 0, 1234567}, {.buckets = 97}));
}

Numbers64 known(const Numbers64& index, const Numbers64& tokens) {
  const auto tensor = [](const Numbers64& x) {
    return Tensor::of<std::int64_t>({static_cast<std::int64_t>(x.size())}, x);
  };
  return numbers<std::int64_t>(apply("known_index", {tensor(index), tensor(tokens)}, {})[0]);
}

std::string unknown(const Numbers64& index, const Numbers64& tokens) {
  try {
    known(index, tokens);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// Recorded from TensorFlow 2.15 and 2.21.
TEST(KnownIndex, RefusesTokensWithoutOne) {
  EXPECT_EQ(known({0, 7, 2}, {5, 6, 7}), (Numbers64{0, 7, 2}));
  EXPECT_EQ(
      unknown({0, -1, 2, -1}, {5, 4, 7, 0}),
      "[known_index] When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values [4 0], "
      "consider setting `num_oov_indices=1`.");
  EXPECT_NE(unknown(Numbers64(8, -1), {1, 2, 3, 4, 5, 6, 7, 8}).find("OOV values [1 2 3 ... 6 7 8],"),
            std::string::npos);
  EXPECT_NE(unknown(Numbers64(6, -1), {1, 2, 3, 4, 5, 6}).find("OOV values [1 2 3 4 5 6],"),
            std::string::npos);
}

TEST(HashBucket, RefusesOtherTypesAndNoBuckets) {
  EXPECT_EQ(refusal("hash_bucket", {{Type::float32, {3}}}, HashAttributes{}),
            "[hash_bucket] x is float32[3]; it must be of int32 or int64");
  EXPECT_EQ(refusal("hash_bucket", {{Type::int64, {3}}}, HashAttributes{.buckets = 0}),
            "[hash_bucket] there are 0 buckets; at least one is needed");
}

}  // namespace
}  // namespace wt
