#include "data/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "data/node.h"

namespace wt::data {
namespace {

std::int64_t rows_of(const Element& batch) { return batch.front().shape()[0]; }

Element rows_between(const Element& batch, std::int64_t begin, std::int64_t end) {
  Element piece;
  for (const Tensor& tensor : batch) piece.push_back(tensor.rows(begin, end));
  return piece;
}

Tensor joined(const std::vector<Element>& parts, std::size_t component) {
  TensorSpec spec = parts.front()[component].spec();
  spec.shape[0] = 0;
  for (const Element& part : parts) spec.shape[0] += part[component].shape()[0];
  if (!parts.front()[component].has_numbers()) return Tensor::shape_only(spec);
  Tensor whole = Tensor::zeros(spec);
  std::byte* position = whole.view().data;
  for (const Element& part : parts) {
    const std::span<const std::byte> bytes = part[component].bytes();
    std::memcpy(position, bytes.data(), bytes.size());
    position += bytes.size();
  }
  return whole;
}

// Concatenates parts of batches along axis 0.
Element joined(const std::vector<Element>& parts) {
  if (parts.size() == 1) return parts.front();
  Element whole;
  for (std::size_t component = 0; component < parts.front().size(); ++component) {
    for (const Element& part : parts)
      if (part[component].shape().without(0) != parts.front()[component].shape().without(0))
        refuse(
            fmt::format("component {} is {} in one batch and {} in the next, and a piece needs rows of both",
                        component, print(parts.front()[component].spec()), print(part[component].spec())));
    whole.push_back(joined(parts, component));
  }
  return whole;
}

void require_common_rows(const Element& batch) {
  for (const Tensor& tensor : batch)
    if (tensor.shape()[0] != rows_of(batch))
      refuse(fmt::format("a batch has {} rows in one component and {} in another", rows_of(batch),
                         tensor.shape()[0]));
}

class WholeBatches final : public Pieces {
 public:
  explicit WholeBatches(Iterator batches) : batches_(std::move(batches)) {}
  std::optional<Element> next() override { return batches_.next(); }

 private:
  Iterator batches_;
};

class LegacyPieces final : public Pieces {
 public:
  LegacyPieces(Iterator batches, std::int64_t replicas) : batches_(std::move(batches)), replicas_(replicas) {}

  std::optional<Element> next() override {
    if (given_ == pieces_.size()) {
      const std::optional<Element> batch = batches_.next();
      if (!batch) return std::nullopt;
      pieces_ = split_legacy(*batch, replicas_);
      given_ = 0;
    }
    return std::move(pieces_[given_++]);
  }

 private:
  Iterator batches_;
  std::int64_t replicas_;
  std::vector<Element> pieces_{};
  std::size_t given_ = 0;
};

class EvenPieces final : public Pieces {
 public:
  EvenPieces(Iterator batches, std::vector<std::int64_t> sizes)
      : batches_(std::move(batches)), sizes_(std::move(sizes)) {}

  // A piece of 0 rows also reads a batch, because its shape comes from there.
  std::optional<Element> next() override {
    if (!has_rows()) return std::nullopt;
    const std::int64_t wanted = sizes_[turn_++ % sizes_.size()];
    std::vector<Element> parts{take(wanted)};
    for (std::int64_t got = rows_of(parts[0]); got < wanted && has_rows(); got += rows_of(parts.back()))
      parts.push_back(take(wanted - got));
    return joined(parts);
  }

 private:
  bool has_rows() {
    while (!batch_ || used_ == rows_of(*batch_)) {
      batch_ = batches_.next();
      used_ = 0;
      if (!batch_) return false;
      require_common_rows(*batch_);
    }
    return true;
  }

  Element take(std::int64_t most) {
    const std::int64_t end = std::min(used_ + most, rows_of(*batch_));
    return rows_between(*batch_, std::exchange(used_, end), end);
  }

  Iterator batches_;
  std::vector<std::int64_t> sizes_;
  std::size_t turn_ = 0;
  std::optional<Element> batch_{};
  std::int64_t used_ = 0;
};

}  // namespace

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

std::unique_ptr<Pieces> whole_batches(Iterator batches) {
  return std::make_unique<WholeBatches>(std::move(batches));
}
std::unique_ptr<Pieces> legacy_pieces(Iterator batches, std::int64_t replicas) {
  return std::make_unique<LegacyPieces>(std::move(batches), replicas);
}
std::unique_ptr<Pieces> even_pieces(Iterator batches, std::vector<std::int64_t> sizes) {
  return std::make_unique<EvenPieces>(std::move(batches), std::move(sizes));
}

}  // namespace wt::data
