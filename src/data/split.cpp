#include "data/split.h"

#include <algorithm>

namespace wt::data {

std::vector<Element> split_legacy(const Element& batch, std::int64_t replicas) {
  WT_EXPECT(replicas > 0, "a batch is split over {} replicas", replicas);
  std::vector<Element> pieces(static_cast<std::size_t>(replicas));
  for (const Tensor& tensor : batch) {
    const std::int64_t rows = tensor.shape()[0];
    const std::int64_t most = rows / replicas + (rows % replicas != 0 ? 1 : 0);
    std::int64_t begin = 0;
    for (Element& piece : pieces) {
      const std::int64_t end = std::min(begin + most, rows);
      piece.push_back(tensor.rows(begin, end));
      begin = end;
    }
  }
  return pieces;
}

std::vector<std::int64_t> even_sizes(std::int64_t rows, std::int64_t replicas) {
  WT_EXPECT(rows >= 0 && replicas > 0, "{} rows are split over {} replicas", rows, replicas);
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < replicas; ++i)
    sizes.push_back(rows / replicas + (i < rows % replicas ? 1 : 0));
  return sizes;
}

std::vector<std::int64_t> worker_sizes(std::int64_t rows, std::int64_t replicas, std::int64_t workers,
                                       std::int64_t worker) {
  WT_EXPECT(replicas % workers == 0, "{} replicas on {} workers", replicas, workers);
  std::vector<std::int64_t> sizes = even_sizes(rows, replicas);
  std::rotate(sizes.begin(), sizes.begin() + worker * (replicas / workers), sizes.end());
  return sizes;
}

}  // namespace wt::data
