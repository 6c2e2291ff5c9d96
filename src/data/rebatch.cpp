// Dataset::rebatch and split_batches, which cut batches into pieces by the two rules of split.h
// (rebatch_dataset_op.cc).

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/tensorflow_error.h"
#include "data/node.h"
#include "data/split.h"

namespace wt::data {
namespace {

std::int64_t rows_in(const Element& batch) { return batch.front().shape()[0]; }

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
        data::refuse(
            fmt::format("component {} is {} in one batch and {} in the next, and a piece needs rows of both",
                        component, print(parts.front()[component].spec()), print(part[component].spec())));
    whole.push_back(joined(parts, component));
  }
  return whole;
}

void require_common_rows(const Element& batch) {
  for (const Tensor& tensor : batch)
    if (tensor.shape()[0] != rows_in(batch))
      data::refuse(fmt::format("a batch has {} rows in one component and {} in another", rows_in(batch),
                               tensor.shape()[0]));
}

class SplitStream final : public Stream {
 public:
  SplitStream(Input batches, std::int64_t replicas, const Rows* source)
      : batches_(std::move(batches)), replicas_(replicas), source_(source) {}

  bool next(Item& item) override {
    if (given_ == pieces_.size()) {
      Item batch;
      if (!batches_->next(batch)) return false;
      pieces_ = split_legacy(tensors_of(std::move(batch), source_), replicas_);
      given_ = 0;
    }
    item.tensors = std::move(pieces_[given_++]);
    return true;
  }

 private:
  Input batches_;
  std::int64_t replicas_;
  const Rows* source_;
  std::vector<Element> pieces_{};
  std::size_t given_ = 0;
};

class RebatchedStream final : public Stream {
 public:
  RebatchedStream(Input batches, const std::vector<std::int64_t>& sizes, bool drop_remainder,
                  const std::vector<ComponentSpec>& specs, const Rows* source)
      : batches_(std::move(batches)),
        sizes_(sizes),
        drop_remainder_(drop_remainder),
        specs_(specs),
        source_(source) {}

  // A piece of 0 rows reads nothing, so that it comes behind the last row, too.
  bool next(Item& item) override {
    const std::int64_t wanted = sizes_[turn_++ % sizes_.size()];
    if (wanted == 0) {
      item.tensors = without_rows(specs_);
      return true;
    }
    std::int64_t got = 0;
    std::vector<Element> parts;
    for (; got < wanted && has_rows(); got += rows_in(parts.back())) parts.push_back(take(wanted - got));
    if (got == 0 || (drop_remainder_ && got < wanted)) return false;
    item.tensors = joined(parts);
    return true;
  }

 private:
  bool has_rows() {
    while (batch_.empty() || used_ == rows_in(batch_)) {
      Item item;
      if (batches_ == nullptr || !batches_->next(item)) {
        batches_.reset();
        return false;
      }
      batch_ = tensors_of(std::move(item), source_);
      used_ = 0;
      require_common_rows(batch_);
    }
    return true;
  }

  Element take(std::int64_t most) {
    const std::int64_t end = std::min(used_ + most, rows_in(batch_));
    return rows_between(batch_, std::exchange(used_, end), end);
  }

  Input batches_;
  const std::vector<std::int64_t>& sizes_;
  bool drop_remainder_;
  const std::vector<ComponentSpec>& specs_;
  const Rows* source_;
  std::size_t turn_ = 0;
  Element batch_{};
  std::int64_t used_ = 0;
};

void require_rows(const std::vector<ComponentSpec>& specs) {
  for (const ComponentSpec& spec : specs)
    if (spec.extents.empty())
      throw ValueError(
          "Invalid `input_dataset`. Expected a dataset whose elements have rank >= 1 but found a dataset "
          "whose "
          "elements are scalars. Fix the issue by adding the `batch` transformation to the dataset.");
}

// The specs of pieces. Their number of rows is known if all have the same, and batches leave no remainder.
std::vector<ComponentSpec> pieces_of(std::vector<ComponentSpec> specs, const std::vector<std::int64_t>& sizes,
                                     bool drop_remainder) {
  const bool are_equal = std::ranges::count(sizes, sizes.front()) == std::ssize(sizes) && sizes.front() > 0;
  for (ComponentSpec& spec : specs) {
    std::int64_t& rows = spec.extents[0];
    const bool leaves_none =
        drop_remainder || (rows != unknown_extent && rows % std::max<std::int64_t>(sizes.front(), 1) == 0);
    rows = are_equal && leaves_none ? sizes.front() : unknown_extent;
  }
  return specs;
}

}  // namespace

Dataset Dataset::rebatch(std::vector<std::int64_t> sizes, bool drop_remainder) const {
  require_rows(node_->specs);
  if (sizes.empty()) throw InvalidArgumentError("batch_sizes must not be empty");
  if (std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; }) ||
      std::ranges::count(sizes, 0) == std::ssize(sizes))
    throw InvalidArgumentError(
        "Batch sizes must not be negative, and one of them must be greater than zero.");
  Node node;
  node.specs = pieces_of(node_->specs, sizes, drop_remainder);
  node.cardinality = node_->cardinality == infinite_cardinality ? infinite_cardinality : unknown_cardinality;
  node.rebatched = node_;
  node.open = [=, input = node_, specs = node.specs](std::uint64_t iteration) {
    return std::make_unique<RebatchedStream>(input->open(iteration), sizes, drop_remainder, specs,
                                             input->rows.get());
  };
  return made_of(std::move(node), *node_,
                 [=](const Dataset& some) { return some.rebatch(sizes, drop_remainder); });
}

Dataset Dataset::split_batches(std::int64_t replicas) const {
  require_rows(node_->specs);
  if (replicas <= 0)
    throw InvalidArgumentError(
        fmt::format("Number of replicas must be greater than zero, and is {}.", replicas));
  Node node;
  for (ComponentSpec spec : node_->specs) {
    std::int64_t& rows = spec.extents[0];
    rows = rows != unknown_extent && rows % replicas == 0 ? rows / replicas : unknown_extent;
    node.specs.push_back(std::move(spec));
  }
  const std::int64_t batches = node_->cardinality;
  node.cardinality = batches < 0 ? batches : batches * replicas;
  node.open = [=, input = node_](std::uint64_t iteration) {
    return std::make_unique<SplitStream>(input->open(iteration), replicas, input->rows.get());
  };
  return made_of(std::move(node), *node_, [=](const Dataset& some) { return some.split_batches(replicas); });
}

}  // namespace wt::data
