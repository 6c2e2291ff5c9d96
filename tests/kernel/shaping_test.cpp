#include <gtest/gtest.h>

#include "kernel/apply.h"

namespace wt {
namespace {

Tensor counted(const Shape& shape) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(shape.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
  return Tensor::of(shape, values);
}

using Ints = std::vector<std::int32_t>;

TEST(Transpose, PutsEveryElementWhereThePermutationSays) {
  EXPECT_EQ(numbers<std::int32_t>(apply("transpose", {counted({2, 3})}, ShapeAttributes{{1, 0}})[0]),
            (Ints{0, 3, 1, 4, 2, 5}));
  const Shape shape{3, 70, 5, 40};  // larger than a tile
  const Tensor x = counted(shape);
  for (const Shape& permutation :
       {Shape{0, 1, 2, 3}, {3, 2, 1, 0}, {0, 3, 1, 2}, {2, 3, 0, 1}, {0, 2, 1, 3}}) {
    const Tensor y = apply("transpose", {x}, ShapeAttributes{permutation})[0];
    const std::int64_t strides[] = {70 * 5 * 40, 5 * 40, 40, 1};
    std::size_t next = 0;
    for (std::int64_t a = 0; a < y.shape()[0]; ++a)
      for (std::int64_t b = 0; b < y.shape()[1]; ++b)
        for (std::int64_t c = 0; c < y.shape()[2]; ++c)
          for (std::int64_t d = 0; d < y.shape()[3]; ++d)
            ASSERT_EQ(y.values<std::int32_t>()[next++],
                      a * strides[permutation[0]] + b * strides[permutation[1]] +
                          c * strides[permutation[2]] + d * strides[permutation[3]])
                << print(permutation);
  }
}

TEST(BroadcastTo, RepeatsAlongMissingAxesAndAxesOfOne) {
  EXPECT_EQ(numbers<std::int32_t>(apply("broadcast_to", {counted({2, 1})}, ShapeAttributes{{2, 2, 3}})[0]),
            (Ints{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(numbers<std::int32_t>(apply("broadcast_to", {counted({3})}, ShapeAttributes{{2, 3}})[0]),
            (Ints{0, 1, 2, 0, 1, 2}));
}

TEST(Concat, LaysPartsSideBySide) {
  EXPECT_EQ(numbers<std::int32_t>(
                apply("concat", {counted({2, 1}), counted({2, 2})}, PartsAttributes{1, {1, 2}})[0]),
            (Ints{0, 0, 1, 1, 2, 3}));
}

TEST(Split, UndoesConcat) {
  for (const Shape& shape : {Shape{3, 40000}, {5000, 13}, {13, 300, 7}})
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const Shape sizes{2, 0, shape[axis] - 2};
      const Tensor x = counted(shape);
      const std::vector<Tensor> parts = apply("split", {x}, PartsAttributes{axis, sizes});
      const Tensor y = apply("concat", parts, PartsAttributes{axis, sizes})[0];
      ASSERT_TRUE(numbers<std::int32_t>(x) == numbers<std::int32_t>(y)) << print(shape) << " along " << axis;
    }
  EXPECT_EQ(numbers<std::int32_t>(apply("split", {counted({2, 3})}, PartsAttributes{1, {1, 2}})[1]),
            (Ints{1, 2, 4, 5}));
}

TEST(Shaping, RefusesWhatDoesNotFit) {
  const TensorSpec x{Type::float32, {2, 3}};
  EXPECT_EQ(refusal("transpose", {x}, ShapeAttributes{{1, 1}}),
            "[transpose] [1,1] is not a permutation of the axes of x, which is float32[2,3]");
  EXPECT_EQ(refusal("transpose", {x}, ShapeAttributes{{0}}),
            "[transpose] [0] is not a permutation of the axes of x, which is float32[2,3]");
  EXPECT_EQ(refusal("broadcast_to", {x}, ShapeAttributes{{3}}),
            "[broadcast_to] x is float32[2,3] and cannot be broadcast to [3]");
  EXPECT_EQ(refusal("broadcast_to", {x}, ShapeAttributes{{2, 1}}),
            "[broadcast_to] x is float32[2,3] and cannot be broadcast to [2,1]");
  EXPECT_EQ(refusal("concat", {x, x}, PartsAttributes{2, {2, 2}}),
            "[concat] axis 2 is not an axis of x0, which is float32[2,3]");
  EXPECT_EQ(refusal("concat", {x, x}, PartsAttributes{0, {2, 4}}),
            "[concat] x1 must have shape [4,3]: it is float32[2,3]");
  EXPECT_EQ(refusal("concat", {}, PartsAttributes{0, {}}),
            "[concat] sizes is empty; concatenate at least one part");
  EXPECT_EQ(refusal("split", {x}, PartsAttributes{1, {1, 1}}),
            "[split] sizes [1,1] add up to 2, and axis 1 of x has extent 3: x is float32[2,3]");
  EXPECT_EQ(refusal("split", {x}, PartsAttributes{-1, {3}}),
            "[split] axis -1 is not an axis of x, which is float32[2,3]");
}

}  // namespace
}  // namespace wt
