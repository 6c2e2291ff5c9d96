#include <gtest/gtest.h>

#include "kernel/apply.h"

namespace wt {
namespace {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

TEST(Matmul, MultipliesInBothTypes) {
  const Tensor c = apply("matmul", {doubles({2, 3}, {1, 2, 3, 4, 5, 6}), doubles({3, 2}, {1, 0, 2, 1, 0, 3})},
                         ProductAttributes{})[0];
  EXPECT_EQ(numbers<double>(c), (Doubles{5, 11, 14, 23}));
  const Tensor single =
      apply("matmul", {floats({2, 3}, {1, 2, 3, 4, 5, 6}), floats({3, 2}, {1, 0, 2, 1, 0, 3})},
            ProductAttributes{})[0];
  EXPECT_EQ(numbers<float>(single), (Floats{5, 11, 14, 23}));
}

// Computes the same product with its operands stored in all four ways.
TEST(Matmul, ReadsTransposedOperands) {
  const Tensor a = doubles({2, 3}, {1, 2, 3, 4, 5, 6}), stored_a = doubles({3, 2}, {1, 4, 2, 5, 3, 6});
  const Tensor b = doubles({3, 2}, {1, 0, 2, 1, 0, 3}), stored_b = doubles({2, 3}, {1, 2, 0, 0, 1, 3});
  for (bool transpose_a : {false, true})
    for (bool transpose_b : {false, true}) {
      const Tensor c = apply("matmul", {transpose_a ? stored_a : a, transpose_b ? stored_b : b},
                             ProductAttributes{transpose_a, transpose_b})[0];
      EXPECT_EQ(numbers<double>(c), (Doubles{5, 11, 14, 23})) << transpose_a << transpose_b;
    }
}

TEST(Matmul, TakesBatchesAndSharesAMatrix) {
  const Tensor a = doubles({2, 1, 2}, {1, 2, 3, 4});
  const Tensor each = apply("matmul", {a, doubles({2, 2, 1}, {1, 1, 10, 10})}, ProductAttributes{})[0];
  EXPECT_EQ(each.shape(), (Shape{2, 1, 1}));
  EXPECT_EQ(numbers<double>(each), (Doubles{3, 70}));
  const Tensor shared = apply("matmul", {a, doubles({2, 1}, {1, 10})}, ProductAttributes{})[0];
  EXPECT_EQ(numbers<double>(shared), (Doubles{21, 43}));
}

TEST(Matmul, SumsNothingToZero) {
  for (Type type : {Type::float32, Type::float64}) {
    const std::vector<Tensor> empty{Tensor::zeros({type, {2, 0}}), Tensor::zeros({type, {0, 3}})};
    const Tensor c = apply("matmul", empty, ProductAttributes{})[0];
    for (std::byte byte : c.bytes()) EXPECT_EQ(byte, std::byte{0});
    const std::vector<Tensor> no_rows{Tensor::zeros({type, {0, 2}}), Tensor::zeros({type, {2, 3}})};
    EXPECT_EQ(apply("matmul", no_rows, ProductAttributes{})[0].shape(), (Shape{0, 3}));
  }
}

TEST(Matmul, RefusesOperandsThatDontFit) {
  const auto f32 = [](const Shape& shape) { return TensorSpec{Type::float32, shape}; };
  EXPECT_EQ(
      refusal("matmul", {f32({32, 20}), f32({48, 5})}, ProductAttributes{}),
      "[matmul] the inner extents differ: a is float32[32,20], b is float32[48,5]; the last extent of a "
      "must equal the last but one of b");
  EXPECT_EQ(
      refusal("matmul", {f32({20, 32}), f32({5, 48})}, ProductAttributes{true, true}),
      "[matmul] the inner extents differ: a is float32[20,32], b is float32[5,48]; with both transposed, "
      "the last but one extent of a must equal the last of b");
  EXPECT_EQ(
      refusal("matmul", {f32({20, 32}), f32({48, 5})}, ProductAttributes{true, false}),
      "[matmul] the inner extents differ: a is float32[20,32], b is float32[48,5]; with a transposed, the "
      "last but one extents of both must be equal");
  EXPECT_EQ(
      refusal("matmul", {f32({32, 20}), f32({5, 48})}, ProductAttributes{false, true}),
      "[matmul] the inner extents differ: a is float32[32,20], b is float32[5,48]; with b transposed, the "
      "last extents of both must be equal");
  EXPECT_EQ(refusal("matmul", {f32({2, 3, 4}), f32({3, 4, 5})}, ProductAttributes{}),
            "[matmul] the leading axes differ: a is float32[2,3,4], b is float32[3,4,5]; they must be equal, "
            "or b must be a matrix");
  EXPECT_EQ(
      refusal("matmul", {f32({3, 4}), f32({3, 4, 5})}, ProductAttributes{}),
      "[matmul] the leading axes differ: a is float32[3,4], b is float32[3,4,5]; they must be equal, or "
      "b must be a matrix");
  EXPECT_EQ(
      refusal("matmul", {f32({2, 3, 4}), f32({3, 5})}, ProductAttributes{true, false}),
      "[matmul] a cannot be transposed where b has no leading axes: a is float32[2,3,4], b is float32[3,5]; "
      "apply transpose to a first");
  EXPECT_EQ(refusal("matmul", {f32({4}), f32({4, 5})}, ProductAttributes{}),
            "[matmul] a has rank 1, less than 2: it is float32[4]");
  EXPECT_EQ(refusal("matmul", {f32({3, 4}), {Type::float64, {4, 5}}}, ProductAttributes{}),
            "[matmul] the types differ: a is float32[3,4], b is float64[4,5]; cast one of them");
}

}  // namespace
}  // namespace wt
