#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace wt {
namespace {

std::vector<float> normals(const PhiloxStream& stream, std::size_t count) {
  std::vector<float> values(count);
  fill_normal(values, stream);
  return values;
}

// The published test vectors of Random123 by Salmon et al. (kat_vectors, philox4x32 10).
TEST(Philox, GivesThePublishedVectors) {
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, CarriesThroughTheWholeCounter) {
  constexpr std::uint32_t ones = 0xffffffff;
  const PhiloxStream stream{{ones, ones, ones, 4}, {1, 2}};
  EXPECT_EQ(stream.block(1), philox({0, 0, 0, 5}, {1, 2}));
  EXPECT_EQ((PhiloxStream{{ones, 0, 0, 0}, {}}.block(2)), philox({1, 1, 0, 0}, {}));
}

// The result of tf.random.experimental.stateless_split([1, 2], num=3), which consists of six raw words.
// TensorFlow's documentation contains it.
TEST(Random, DerivesTensorFlowsStreamFromASeedPair) {
  std::vector<std::uint32_t> words(6);
  fill_words(words, stream_of({1, 2}));
  const std::vector<std::int32_t> signed_words(words.begin(), words.end());
  EXPECT_EQ(signed_words,
            (std::vector<std::int32_t>{1105988140, 1738052849, -335576002, 370444179, 10670227, -246211131}));
}

// The results in the doctests of stateless_split and stateless_fold_in, which TensorFlow runs on CPUs, with 8
// decimals.
TEST(Random, GivesTheNormalsOfTensorFlowsDoctests) {
  const std::vector<float> of_split = normals(stream_of({1105988140, 1738052849}), 3);
  const std::vector<float> of_fold_in = normals(stream_of({1105988140, 3}), 3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(of_split[i], (std::vector<float>{-0.59835213F, -0.9578608F, 0.9002807F}[i]), 0.5e-8F);
    EXPECT_NEAR(of_fold_in[i], (std::vector<float>{0.03197195F, 0.8979765F, 0.13253039F}[i]), 0.5e-8F);
  }
}

// Results in TensorFlow's guide "Random number generation". They were computed by a GPU, whose sine and
// logarithm differ in the last bit. The first is stateless_normal([2, 3], seed=[1, 2]), and the second is
// from Generator.from_seed(1), whose counter is 1 and whose key is 0.
TEST(Random, GivesTheNormalsOfTensorFlowsGuideUpToTheLastBit) {
  const std::vector<float> stateless{0.5441101F,  0.20738031F, 0.07356433F,
                                     0.04643455F, -1.30159F,   -0.95385665F};
  const std::vector<float> generator{0.43842277F, -0.53439844F, -0.07710262F,
                                     1.5658045F,  -0.1012345F,  -0.2744976F};
  const std::vector<float> ours = normals(stream_of({1, 2}), 6);
  const std::vector<float> ours_of_generator = normals({{1, 0, 0, 0}, {0, 0}}, 6);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(ours[i], stateless[i], 2.4e-7F * std::abs(stateless[i]));
    EXPECT_NEAR(ours_of_generator[i], generator[i], 2.4e-7F * std::abs(generator[i]));
  }
}

TEST(Random, MakesUniformsOf23BitsOfEachWord) {
  std::vector<std::uint32_t> words(7);
  std::vector<float> values(7);
  fill_words(words, stream_of({42, 0}));
  fill_uniform(values, stream_of({42, 0}), -0.5F, 1.5F);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(values[i], static_cast<float>(words[i] & 0x7fffffU) / 8388608.0F * 2.0F - 0.5F);
  }
}

// A group has four values and begins at block 256 * group. Values beyond 2 standard deviations are skipped
// within the group.
TEST(Random, DrawsTruncatedNormalsInGroupsOfTheirOwn) {
  const PhiloxStream stream = stream_of({5, 0});
  std::vector<float> values(4002);
  fill_truncated_normal(values, stream);
  std::size_t passed_over = 0;
  for (std::size_t group = 0; group * 4 < values.size(); ++group) {
    std::vector<float> kept;
    for (std::uint64_t block = 256 * group; kept.size() < 4; ++block) {
      const PhiloxStream at{stream.counter, stream.key};
      std::vector<float> four(4 * (block + 1 - 256 * group));
      PhiloxStream start = at;
      start.counter[0] += static_cast<std::uint32_t>(256 * group);
      fill_normal(four, start);
      for (std::size_t i = four.size() - 4; i < four.size(); ++i) {
        if (std::abs(four[i]) < 2)
          kept.push_back(four[i]);
        else
          ++passed_over;
      }
    }
    for (std::size_t i = 0; i < 4 && group * 4 + i < values.size(); ++i) {
      ASSERT_EQ(values[group * 4 + i], kept[i]) << group;
    }
  }
  EXPECT_GT(passed_over, 100U);
}

TEST(Random, FillsAPrefixWithTheSameValues) {
  const PhiloxStream stream = stream_of({9, 9});
  std::vector<float> all(101);
  std::vector<float> some(50);
  for (auto fill : {fill_uniform, fill_normal, fill_truncated_normal}) {
    fill(all, stream, 0, 1);
    fill(some, stream, 0, 1);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin()));
  }
}

TEST(Random, HasTheMomentsOfItsDistributions) {
  std::vector<float> values(200'000);
  auto moments = [&] {
    double sum = 0;
    double squares = 0;
    for (float value : values) sum += value;
    const double mean = sum / static_cast<double>(values.size());
    for (float value : values) squares += (value - mean) * (value - mean);
    return std::pair(mean, std::sqrt(squares / static_cast<double>(values.size())));
  };
  fill_uniform(values, stream_of({1, 0}), 2, 4);
  EXPECT_NEAR(moments().first, 3, 0.01);
  EXPECT_NEAR(moments().second, 2 / std::sqrt(12.0), 0.01);
  fill_normal(values, stream_of({1, 0}), 3, 2);
  EXPECT_NEAR(moments().first, 3, 0.02);
  EXPECT_NEAR(moments().second, 2, 0.02);
  // The standard deviation of a truncated normal distribution, by which Keras's VarianceScaling divides.
  fill_truncated_normal(values, stream_of({1, 0}), 0, 1);
  EXPECT_NEAR(moments().second, 0.87962566103423978, 0.005);
}

}  // namespace
}  // namespace wt
