#include <gtest/gtest.h>

#include "kernel/apply.h"

namespace wt {
namespace {

using Floats = std::vector<float>;

TEST(Embedding, LooksRowsUp) {
  const Tensor table = floats({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor y = apply("embedding", {Tensor::of<std::int64_t>({1, 2}, {2, 0}), table})[0];
  EXPECT_EQ(y.shape(), (Shape{1, 2, 2}));
  EXPECT_EQ(numbers<float>(y), (Floats{5, 6, 1, 2}));
}

TEST(Embedding, GradientAddsRepeatedIdsInOrder) {
  // In this order each small number is lost in the large one. In the reverse order their sum would not be.
  const Tensor dy = floats({3, 1}, {16777216, 1, 1});
  const Tensor ids = Tensor::of<std::int32_t>({3}, {1, 1, 1});
  EXPECT_EQ(numbers<float>(apply("embedding_gradient", {ids, dy}, ShapeAttributes{{3, 1}})[0]),
            (Floats{0, 16777216, 0}));
}

// The table has more rows than a band.
TEST(Embedding, GradientReachesEveryRow) {
  constexpr int rows = 40000;
  std::vector<std::int64_t> ids;
  Floats dy;
  for (int i = 0; i < rows; ++i) {
    ids.push_back(rows - 1 - i);
    dy.push_back(static_cast<float>(rows - 1 - i));
  }
  const Tensor table = apply("embedding_gradient", {Tensor::of(Shape{rows}, ids), floats({rows, 1}, dy)},
                             ShapeAttributes{{rows, 1}})[0];
  for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(table.values<float>()[i], static_cast<float>(i));
}

// Rows of equal ids are added before the table is updated, as the dense update does it, and no other row
// changes.
TEST(Embedding, RowsAreUpdatedAsByTheWholeGradient) {
  const std::vector<std::int64_t> ids{7, 2, 7, 0, 2, 7};
  Floats table(10 * 70), dy(6 * 70);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = 0.1F * static_cast<float>(i % 37);
  for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = 0.3F * static_cast<float>(i % 23) - 2;
  const std::vector<Tensor> sparse{floats({10, 70}, table), Tensor::of(Shape{2, 3}, ids),
                                   floats({2, 3, 70}, dy), floats({}, {0.1F})};
  const Tensor gradient = apply("embedding_gradient", {sparse[1], sparse[2]}, ShapeAttributes{{10, 70}})[0];
  EXPECT_EQ(numbers<float>(apply("sgd_update_rows", sparse, {})[0]),
            numbers<float>(apply("sgd_update", {sparse[0], gradient, sparse[3]}, SgdAttributes{})[0]));
}

std::string complaint(std::string_view kernel, const std::vector<Tensor>& inputs,
                      const Attributes& attributes) {
  try {
    apply(kernel, inputs, attributes);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Embedding, NamesTheFirstIdThatIsNotInTheTable) {
  const Tensor ids = Tensor::of<std::int64_t>({4}, {0, 3, -1, 9});
  EXPECT_EQ(complaint("embedding", {ids, floats({3, 1}, {1, 2, 3})}, {}),
            "[embedding] id 3 at position 1 is not in the table, which has 3 rows");
  EXPECT_EQ(complaint("embedding_gradient", {ids, floats({4, 1}, {1, 2, 3, 4})}, ShapeAttributes{{5, 1}}),
            "[embedding_gradient] id -1 at position 2 is not in the table, which has 5 rows");
  EXPECT_EQ(complaint("sgd_update_rows",
                      {floats({3, 1}, {1, 2, 3}), ids, floats({4, 1}, {1, 2, 3, 4}), floats({}, {1})}, {}),
            "[sgd_update_rows] id 3 at position 1 is not in the table, which has 3 rows");
}

TEST(Embedding, RefusesWhatDoesntFit) {
  const TensorSpec table{Type::float32, {3, 2}};
  EXPECT_EQ(refusal("embedding", {{Type::float32, {4}}, table}),
            "[embedding] ids must be int32 or int64: it is float32[4]");
  EXPECT_EQ(refusal("embedding", {{Type::int32, {4}}, {Type::float32, {3}}}),
            "[embedding] table has rank 1, not 2: it is float32[3]");
  EXPECT_EQ(refusal("embedding", {{Type::int32, {1, 1, 1, 1, 1, 1, 1, 1}}, table}),
            "[embedding] ids has rank 8; it must be less than 8, since the result has one axis more");
  EXPECT_EQ(
      refusal("embedding_gradient", {{Type::int32, {4}}, {Type::float32, {4, 3}}}, ShapeAttributes{{3, 2}}),
      "[embedding_gradient] dy must have shape [4,2]: it is float32[4,3]");
}

}  // namespace
}  // namespace wt
