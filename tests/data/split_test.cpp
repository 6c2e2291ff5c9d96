// Claim: batches are split over replicas as in TensorFlow. The numbers are those of TensorFlow's tests and
// guides.

#include "data/split.h"

#include <gtest/gtest.h>

#include "data/numbers.h"

namespace wt::data {
namespace {

using Numbers = std::vector<std::int64_t>;

Numbers legacy_sizes(std::int64_t rows, std::int64_t replicas) {
  Numbers sizes;
  for (const Element& piece : split_legacy({test::range(rows)}, replicas))
    sizes.push_back(piece[0].shape()[0]);
  return sizes;
}

TEST(F1, LegacyPiecesAreRoundedUpAndTheLastAreShortOrEmpty) {
  EXPECT_EQ(legacy_sizes(10, 3), (Numbers{4, 4, 2}));
  EXPECT_EQ(legacy_sizes(4, 3), (Numbers{2, 2, 0}));
  EXPECT_EQ(legacy_sizes(10, 4), (Numbers{3, 3, 3, 1}));
  EXPECT_EQ(legacy_sizes(4, 5), (Numbers{1, 1, 1, 1, 0}));
  EXPECT_EQ(legacy_sizes(40, 8), (Numbers{5, 5, 5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(legacy_sizes(0, 2), (Numbers{0, 0}));
}

TEST(F1, EvenPiecesDifferByAtMostOne) {
  EXPECT_EQ(even_sizes(10, 3), (Numbers{4, 3, 3}));
  EXPECT_EQ(even_sizes(4, 3), (Numbers{2, 1, 1}));
  EXPECT_EQ(even_sizes(10, 4), (Numbers{3, 3, 2, 2}));
  EXPECT_EQ(even_sizes(4, 5), (Numbers{1, 1, 1, 1, 0}));
}

TEST(F1, LegacyPiecesAreViewsOfTheBatch) {
  const Tensor batch = test::range(10);
  const std::vector<Element> pieces = split_legacy({batch}, 3);
  EXPECT_EQ(pieces[2][0].values<std::int64_t>().data(), batch.values<std::int64_t>().data() + 8);
}

// TensorFlow's own example: 7 rows, 2 workers with 2 replicas each.
TEST(F1, WorkersCutByRotatedSizesSoThatEveryStepHasTheWholeBatch) {
  EXPECT_EQ(worker_sizes(7, 4, 2, 0), (Numbers{2, 2, 2, 1}));
  EXPECT_EQ(worker_sizes(7, 4, 2, 1), (Numbers{2, 1, 2, 2}));
}

TEST(F1, AnEvenPieceMaySpanBatchesAndTheEndIsFilledGreedily) {
  const Dataset dataset = Dataset::from_tensor_slices({test::range(8)}).batch(3);
  Iterator pieces = dataset.rebatch({2, 1, 0, 2}).iterate();
  std::vector<Numbers> got;
  while (const auto piece = pieces.next()) got.push_back(test::numbers_of(piece->front()));
  EXPECT_EQ(got, (std::vector<Numbers>{{0, 1}, {2}, {}, {3, 4}, {5, 6}, {7}, {}}));
}

TEST(F1, ComponentsWithDifferentRowsHaveNoEvenPieces) {
  const Dataset dataset = Dataset::from_tensors({test::range(4), test::range(3)});
  try {
    dataset.rebatch({2, 2}).iterate().next();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a batch has 4 rows in one component and 3 in another");
  }
}

}  // namespace
}  // namespace wt::data
