#include "tensor/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"

namespace wt {

Shape::Shape(std::initializer_list<std::int64_t> extents)
    : Shape(std::span<const std::int64_t>(extents.begin(), extents.size())) {}

Shape::Shape(std::span<const std::int64_t> extents) {
  for (const std::int64_t extent : extents) append(extent);
}

std::int64_t Shape::elements() const { return elements(0, rank_); }

std::int64_t Shape::elements(int begin, int end) const {
  std::int64_t product = 1;
  bool is_too_large = false;
  for (int axis = begin; axis < end; ++axis) {
    if ((*this)[axis] == 0) return 0;
    is_too_large |= __builtin_mul_overflow(product, (*this)[axis], &product) || product > most_elements;
  }
  if (!is_too_large) return product;
  throw InputError(fmt::format("a tensor of {} is larger than any memory", print(*this)),
                   "take smaller batches or smaller layers");
}

void Shape::append(std::int64_t extent) {
  WT_EXPECT(rank_ < max_rank, "a shape has at most {} axes", max_rank);
  WT_EXPECT(extent >= 0, "extent {} is negative", extent);
  extents_[static_cast<std::size_t>(rank_++)] = extent;
}

Shape Shape::without(int axis) const {
  Shape result;
  for (int other = 0; other < rank_; ++other)
    if (other != axis) result.append((*this)[other]);
  return result;
}

bool operator==(const Shape& a, const Shape& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::string print(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ","));
}

}  // namespace wt
