// Claim: x[...] has the elements that Python's slices have.
#include "model/layers/slicing.h"

#include <gtest/gtest.h>

#include "model/numbers.h"

namespace wt::model {
namespace {

using Kind = Slice::Kind;
using Numbers = std::vector<double>;

Slice range(std::optional<std::int64_t> start, std::optional<std::int64_t> stop, std::int64_t step = 1) {
  return {Kind::range, start, stop, step};
}
Slice index(std::int64_t number) { return {Kind::index, number, {}, 1}; }
constexpr Slice new_axis{Kind::new_axis, {}, {}, 1}, ellipsis{Kind::ellipsis, {}, {}, 1};

const Tensor given = test::floats({2, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});

Numbers numbers_of(const std::vector<Slice>& slices) {
  return test::compute({given}, [&](const std::vector<Symbol>& x) { return sliced(x[0], slices); });
}

Shape shape_of(const std::vector<Slice>& slices) {
  Shape shape;
  test::step_of({given}, [&](const std::vector<Symbol>& x) {
    const Symbol y = sliced(x[0], slices);
    shape = y.shape();
    return y;
  });
  return shape;
}

TEST(ASlice, HasPythonsElements) {
  EXPECT_EQ(numbers_of({range({}, {}), range(1, {})}), (Numbers{1, 2, 3, 4, 6, 7, 8, 9}));
  EXPECT_EQ(numbers_of({range({}, {}), range({}, -2)}), (Numbers{0, 1, 2, 5, 6, 7}));
  EXPECT_EQ(numbers_of({range({}, {}), range(1, 5, 2)}), (Numbers{1, 3, 6, 8}));
  EXPECT_EQ(numbers_of({range({}, {}), range(0, 100, 4)}), (Numbers{0, 4, 5, 9}));
  EXPECT_EQ(numbers_of({range({}, {}), range(3, {}, INT64_MAX)}), (Numbers{3, 8}));
  EXPECT_EQ(numbers_of({index(1)}), (Numbers{5, 6, 7, 8, 9}));
  EXPECT_EQ(numbers_of({ellipsis, index(-1)}), (Numbers{4, 9}));
}

TEST(ASlice, HasPythonsShape) {
  EXPECT_EQ(shape_of({range({}, {}), range(1, {})}), (Shape{2, 4}));
  EXPECT_EQ(shape_of({range({}, {}), index(2)}), (Shape{2}));
  EXPECT_EQ(shape_of({range({}, {}), new_axis}), (Shape{2, 1, 5}));
  EXPECT_EQ(shape_of({ellipsis, new_axis}), (Shape{2, 5, 1}));
  EXPECT_EQ(shape_of({new_axis, index(0), range({}, {}, 2)}), (Shape{1, 3}));
}

TEST(ASlice, IsRefusedWhereNothingIsLeft) {
  const auto refused = [&](const std::vector<Slice>& slices) {
    return test::refusal([&] { shape_of(slices); });
  };
  EXPECT_NE(refused({index(2)}).find("axis 0 of float32[2,5] has no index 2"), std::string::npos);
  EXPECT_NE(refused({range(2, 1)}).find("leaves nothing of axis 0"), std::string::npos);
  EXPECT_NE(refused({range({}, {}, -1)}).find("only positive steps"), std::string::npos);
  EXPECT_NE(refused(std::vector<Slice>(7, new_axis)).find("slices add 7 axes"), std::string::npos);
  EXPECT_NE(refused({index(0), index(0), index(0)}).find("3 slices for float32[2,5]"), std::string::npos);
}

}  // namespace
}  // namespace wt::model
