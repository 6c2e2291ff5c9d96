#include "data/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "data/dataset.h"

namespace wt::data {
namespace {

std::vector<std::int64_t> numbers(std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(end - begin));
  std::iota(all.begin(), all.end(), begin);
  return all;
}

bool are_equal(const Tensor& left, const Tensor& right) {
  return left.spec() == right.spec() && std::ranges::equal(left.bytes(), right.bytes());
}

std::vector<std::shared_ptr<const Rows>> each_kind(std::int64_t seed) {
  const std::int64_t trillion = 1'000'000'000'000;
  return {synthetic_rows(Classification{.rows = trillion, .seed = seed}),
          synthetic_rows(Classification{.rows = trillion, .shape = {5}, .classes = 3, .seed = seed}),
          synthetic_rows(Regression{.rows = trillion, .features = 3, .targets = 2, .seed = seed}),
          synthetic_rows(TokenSequences{.rows = trillion, .length = 9, .vocabulary = 30, .seed = seed}),
          synthetic_rows(Kinds{.rows = trillion,
                               .inputs = {{{Type::int32, {9}}, 30}, {{Type::float32, {2, 3}}, 0}},
                               .labels = {{{Type::int32, {4}}, 7}},
                               .seed = seed})};
}

// A scenario without numbers takes the shapes of rows and never reads one.
TEST(Synthetic, DrawsHiddenNumbersWhenARowIsRead) {
  const auto rows = synthetic_rows(Classification{.rows = 2, .shape = {1 << 20}, .classes = 1 << 24});
  EXPECT_EQ(rows->count(), 2);
  EXPECT_THROW(rows->gather(std::array<std::int64_t, 1>{0}), InputError);
  const auto pictures = synthetic_rows(Classification{.rows = 2, .shape = {1 << 20, 1 << 20, 1}});
  EXPECT_EQ(pictures->count(), 2);
  EXPECT_THROW(pictures->gather(std::array<std::int64_t, 1>{0}), InputError);
}

TEST(Synthetic, AShuffleThatMemoryCannotHoldIsRefusedBeforeItIsFilled) {
  const std::int64_t trillion = 1'000'000'000'000;
  const Dataset all = Dataset::from_rows(synthetic_rows(Classification{.rows = trillion}));
  EXPECT_TRUE(all.shuffle(1000, {1, 2}).iterate().next());
  try {
    all.shuffle(trillion, {1, 2}).iterate().next();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("a shuffle of 1000000000000 elements needs "))
        << error.what();
  }
}

TEST(Synthetic, ARowDependsOnTheSeedAndItsNumberAlone) {
  const auto rows = each_kind(4), same = each_kind(4), other = each_kind(5);
  for (std::size_t kind = 0; kind < rows.size(); ++kind) {
    const Element together = rows[kind]->gather(std::array<std::int64_t, 3>{7, 999'999'999'999, 3});
    const Element alone = same[kind]->gather(std::array<std::int64_t, 1>{999'999'999'999});
    for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(are_equal(together[i].rows(1, 2), alone[i])) << kind;
    EXPECT_FALSE(are_equal(together[0].rows(0, 1), together[0].rows(2, 3))) << kind;
    EXPECT_FALSE(are_equal(other[kind]->gather(std::array<std::int64_t, 1>{7})[0], together[0].rows(0, 1)))
        << kind;
  }
}

TEST(P1, AStandInHasFashionMnistsShapes) {
  const auto rows = synthetic_rows(Classification{.rows = 60000});
  EXPECT_EQ(rows->count(), 60000);
  const Element batch = rows->gather(numbers(0, 64));
  EXPECT_EQ(print(batch[0].spec()), "float32[64,28,28,1]");
  EXPECT_EQ(print(batch[1].spec()), "int32[64]");
  for (const float value : batch[0].values<float>()) ASSERT_TRUE(value >= 0 && value < 1) << value;
  std::array<int, 10> seen{};
  const Element many = rows->gather(numbers(0, 2000));
  for (const std::int32_t label : many[1].values<std::int32_t>()) ++seen.at(static_cast<std::size_t>(label));
  for (const int count : seen) EXPECT_NEAR(count, 200, 60);
}

// The accuracy of a nearest-mean classifier, which is trained with the first rows and tested with the later
// ones.
double share_named_by_nearest_mean(const Classification& wanted) {
  const auto rows = synthetic_rows(wanted);
  const auto size = static_cast<std::size_t>(wanted.shape.elements());
  const auto classes = static_cast<std::size_t>(wanted.classes);
  std::vector<double> sums(classes * size), counts(classes);
  const Element learned = rows->gather(numbers(0, 300));
  for (std::size_t i = 0; i < 300; ++i) {
    const auto label = static_cast<std::size_t>(learned[1].values<std::int32_t>()[i]);
    ++counts[label];
    for (std::size_t j = 0; j < size; ++j) sums[label * size + j] += learned[0].values<float>()[i * size + j];
  }
  const Element asked = rows->gather(numbers(300, 500));
  int right = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    std::vector<double> distances(classes);
    for (std::size_t label = 0; label < classes; ++label)
      for (std::size_t j = 0; j < size; ++j)
        distances[label] +=
            std::pow(sums[label * size + j] / counts[label] - asked[0].values<float>()[i * size + j], 2);
    const auto nearest = std::ranges::min_element(distances) - distances.begin();
    right += nearest == asked[1].values<std::int32_t>()[i] ? 1 : 0;
  }
  return right / 200.0;
}

TEST(Synthetic, ClassesCanBeLearnedFromOtherRows) {
  EXPECT_GT(share_named_by_nearest_mean({.rows = 500}), 0.99);
  EXPECT_GT(share_named_by_nearest_mean({.rows = 500, .shape = {20}, .classes = 4}), 0.95);
  EXPECT_LT(share_named_by_nearest_mean({.rows = 500, .noise = 1}), 0.3);
}

TEST(Synthetic, RegressionIsLinearUpToItsNoise) {
  const auto rows = synthetic_rows(Regression{.rows = 1000, .features = 1, .noise = 0.01, .seed = 2});
  const Element data = rows->gather(numbers(0, 1000));
  const auto x = data[0].values<float>(), y = data[1].values<float>();
  // The other rows must lie on the line through the rows with the smallest and the largest x.
  const auto low = static_cast<std::size_t>(std::ranges::min_element(x) - x.begin());
  const auto high = static_cast<std::size_t>(std::ranges::max_element(x) - x.begin());
  EXPECT_LT(x[low], -0.9F);
  EXPECT_GT(x[high], 0.9F);
  const float slope = (y[high] - y[low]) / (x[high] - x[low]);
  EXPECT_GT(std::abs(slope), 0.05F);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], y[low] + slope * (x[i] - x[low]), 0.04) << i;
}

// Two rows of the same kind have the same labels and mostly the same ids, and every id occurs.
TEST(Synthetic, RowsOfOneKindHaveEqualLabelsAndSimilarIds) {
  const Kinds wanted{.rows = 400,
                     .inputs = {{{Type::int32, {30}}, 50}, {{Type::int32, {30}}, 2}},
                     .labels = {{{Type::int32, {5}}, 50}, {{Type::float32, {2}}, 0}},
                     .kinds = 4,
                     .noise = 0.1};
  const Element data = synthetic_rows(wanted)->gather(numbers(0, 400));
  ASSERT_EQ(data.size(), 4u);
  std::map<std::vector<std::int32_t>, std::vector<std::size_t>> rows_of_labels;
  for (std::size_t row = 0; row < 400; ++row) {
    const auto labels = data[2].values<std::int32_t>().subspan(5 * row, 5);
    rows_of_labels[{labels.begin(), labels.end()}].push_back(row);
  }
  EXPECT_EQ(rows_of_labels.size(), 4u);
  const auto ids = data[0].values<std::int32_t>(), segments = data[1].values<std::int32_t>();
  const auto targets = data[3].values<float>();
  int same = 0, all = 0;
  for (const auto& [labels, rows] : rows_of_labels)
    for (std::size_t i = 1; i < rows.size(); ++i) {
      EXPECT_EQ(targets[2 * rows[i]], targets[2 * rows[0]]);
      for (std::size_t j = 0; j < 30; ++j, ++all)
        same += ids[30 * rows[i] + j] == ids[30 * rows[0] + j] ? 1 : 0;
    }
  EXPECT_NEAR(static_cast<double>(same) / all, 0.81, 0.05);  // 0.9 squared: neither id was replaced
  EXPECT_EQ(*std::ranges::min_element(ids), 0);
  EXPECT_EQ(*std::ranges::max_element(ids), 49);
  EXPECT_EQ(*std::ranges::min_element(segments), 0);
  EXPECT_EQ(*std::ranges::max_element(segments), 1);
}

TEST(Synthetic, TheNextTokenFollowsFromTheTokenUpToNoise) {
  const TokenSequences wanted{.rows = 200, .length = 50, .vocabulary = 20, .noise = 0.1};
  const Element data = synthetic_rows(wanted)->gather(numbers(0, 200));
  const auto x = data[0].values<std::int32_t>(), y = data[1].values<std::int32_t>();
  std::map<std::int32_t, std::map<std::int32_t, int>> followers;
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_TRUE(x[i] >= 0 && x[i] < 20);
    if (i % 50 != 49) {
      ASSERT_EQ(y[i], x[i + 1]);
    }
    ++followers[x[i]][y[i]];
  }
  int expected = 0;
  std::vector<bool> is_successor(20);
  for (const auto& [token, counts] : followers) {
    const auto most = std::ranges::max_element(counts, {}, [](const auto& row) { return row.second; });
    expected += most->second;
    is_successor.at(static_cast<std::size_t>(most->first)) = true;
  }
  EXPECT_NEAR(expected / 10000.0, 0.905, 0.02);
  EXPECT_EQ(std::ranges::count(is_successor, true), 20);
}

// As many ids below each bound as the law says, within four standard deviations; with the exponent 1 the law
// is that of logarithms.
TEST(Synthetic, IdsFollowZipfsLawOrTheirCounts) {
  constexpr std::int64_t ids = 1000, rows = 4000, columns = 26;
  EXPECT_DOUBLE_EQ(Popularity{1}.below(99, ids), std::log(100.0) / std::log(1001.0));
  std::vector<Popularity> laws;
  for (const double exponent : {0.0, 0.8, 1.0, 1.2}) laws.push_back({exponent, nullptr});
  laws.push_back({0, std::make_shared<const CountedIds>(
                         std::vector<CountedIds::Range>{{3, 3, 20}, {5, 104, 70}, {999, 999, 10}})});
  for (const Popularity& popularity : laws) {
    const auto drawn = synthetic_rows(Kinds{.rows = rows,
                                            .inputs = {{{Type::int32, {columns}}, ids, popularity}},
                                            .labels = {{{Type::float32, {1}}, 0, {}}},
                                            .noise = 1});
    std::vector<std::int64_t> numbers(rows);
    std::iota(numbers.begin(), numbers.end(), 0);
    const Tensor found = drawn->gather(numbers).front();
    for (const std::int64_t bound : {1, 10, 250, 1000}) {
      const double share = popularity.below(static_cast<double>(bound), ids), count = rows * columns;
      const auto below = std::ranges::count_if(found.values<std::int32_t>(),
                                               [&](std::int32_t id) { return id >= 0 && id < bound; });
      EXPECT_NEAR(static_cast<double>(below), count * share,
                  4 * std::sqrt(count * share * (1 - share)) + 1e-6)
          << popularity.exponent << ", " << bound;
    }
  }
}

}  // namespace
}  // namespace wt::data
