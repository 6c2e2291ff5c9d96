// Transformations between elements and stacked elements: window (window_dataset_op.cc) and unbatch.

#include <deque>

#include "base/tensorflow_error.h"
#include "data/dataset.h"
#include "data/node.h"

namespace wt::data {
namespace {

class WindowStream final : public Stream {
 public:
  WindowStream(Input input, const Windows& windows, const Rows* rows)
      : input_(std::move(input)),
        size_(windows.size),
        shift_(windows.shift.value_or(windows.size)),
        stride_(windows.stride),
        drop_remainder_(windows.drop_remainder),
        rows_(rows) {}

  // The buffer holds the elements from the first one of the window on.
  bool next(Item& item) override {
    const std::int64_t span = (size_ - 1) * stride_ + 1;
    while (std::ssize(buffer_) < span && read()) continue;
    if (buffer_.empty() || (drop_remainder_ && std::ssize(buffer_) < span)) return false;
    std::vector<Element> own;
    for (std::int64_t i = 0; i < std::min<std::int64_t>(span, std::ssize(buffer_)); i += stride_)
      own.push_back(buffer_[static_cast<std::size_t>(i)]);
    for (std::int64_t i = 0; i < shift_; ++i) {
      if (buffer_.empty() && !read()) break;
      buffer_.pop_front();
    }
    item.tensors = stack(own);
    return true;
  }

 private:
  bool read() {
    Item item;
    if (input_ == nullptr || !input_->next(item)) {
      input_.reset();
      return false;
    }
    buffer_.push_back(tensors_of(std::move(item), rows_));
    return true;
  }

  Input input_;
  std::int64_t size_, shift_, stride_;
  bool drop_remainder_;
  const Rows* rows_;
  std::deque<Element> buffer_{};
};

class UnbatchedStream final : public Stream {
 public:
  UnbatchedStream(Input input, const Rows* rows) : input_(std::move(input)), rows_(rows) {}
  bool next(Item& item) override {
    while (given_ == rows_of_batch_) {
      if (!input_->next(item)) return false;
      batch_ = tensors_of(std::move(item), rows_);
      rows_of_batch_ = batch_.front().shape()[0];
      for (const Tensor& tensor : batch_)
        if (tensor.shape()[0] != rows_of_batch_)
          throw InvalidArgumentError("Input element must have the same batch size in each component.");
      given_ = 0;
    }
    item = {};
    for (const Tensor& tensor : batch_) {
      const Tensor row = tensor.rows(given_, given_ + 1);
      item.tensors.push_back(row.reshaped(row.shape().without(0)));
    }
    ++given_;
    return true;
  }

 private:
  Input input_;
  const Rows* rows_;
  Element batch_{};
  std::int64_t rows_of_batch_ = 0, given_ = 0;
};

void require_positive(std::int64_t value, const char* text) {
  if (value <= 0) throw InvalidArgumentError(text);
}

}  // namespace

Dataset Dataset::window(const Windows& windows) const {
  require_positive(windows.size, "Window size must be greater than zero.");
  require_positive(windows.shift.value_or(windows.size), "Window shift must be greater than zero.");
  require_positive(windows.stride, "Window stride must be greater than zero.");
  Node node;
  for (ComponentSpec spec : node_->specs) {
    spec.extents.insert(spec.extents.begin(), unknown_extent);
    node.specs.push_back(std::move(spec));
  }
  node.cardinality = unknown_cardinality;
  node.open = [windows, input = node_](std::uint64_t iteration) {
    return std::make_unique<WindowStream>(input->open(iteration), windows, input->rows.get());
  };
  return made_of(std::move(node), *node_, [windows](const Dataset& some) { return some.window(windows); });
}

Dataset Dataset::unbatch() const {
  Node node;
  std::int64_t rows = unknown_extent;
  for (const ComponentSpec& spec : node_->specs) {
    if (spec.extents.empty()) throw ValueError("Unbatching a tensor is only supported for rank >= 1");
    if (spec.extents[0] != unknown_extent) rows = spec.extents[0];
    node.specs.push_back({spec.type, {spec.extents.begin() + 1, spec.extents.end()}});
  }
  const std::int64_t given = node_->cardinality;
  node.cardinality = given <= 0 ? given : rows == unknown_extent ? unknown_cardinality : given * rows;
  node.open = [input = node_](std::uint64_t iteration) {
    return std::make_unique<UnbatchedStream>(input->open(iteration), input->rows.get());
  };
  return made_of(std::move(node), *node_, [](const Dataset& some) { return some.unbatch(); });
}

}  // namespace wt::data
