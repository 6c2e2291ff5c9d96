// Dataset::cache.

#include <mutex>

#include "data/dataset.h"
#include "data/node.h"

namespace wt::data {
namespace {

// What the first complete iteration gave. An iteration that is given up leaves nothing, as in TensorFlow.
class Cached {
 public:
  std::shared_ptr<const std::vector<Item>> items() const {
    const std::scoped_lock lock(mutex_);
    return items_;
  }
  void keep(std::vector<Item> items) {
    const std::scoped_lock lock(mutex_);
    if (items_ == nullptr) items_ = std::make_shared<const std::vector<Item>>(std::move(items));
  }

 private:
  mutable std::mutex mutex_{};
  std::shared_ptr<const std::vector<Item>> items_{};
};

class KeepingStream final : public Stream {
 public:
  KeepingStream(Input input, std::shared_ptr<Cached> cached)
      : input_(std::move(input)), cached_(std::move(cached)) {}
  bool next(Item& item) override {
    if (!input_->next(item)) {
      cached_->keep(std::move(items_));
      return false;
    }
    items_.push_back(item);
    return true;
  }

 private:
  Input input_;
  std::shared_ptr<Cached> cached_;
  std::vector<Item> items_{};
};

class KeptStream final : public Stream {
 public:
  explicit KeptStream(std::shared_ptr<const std::vector<Item>> items) : items_(std::move(items)) {}
  bool next(Item& item) override {
    if (next_ == items_->size()) return false;
    item = (*items_)[next_++];
    return true;
  }

 private:
  std::shared_ptr<const std::vector<Item>> items_;
  std::size_t next_ = 0;
};

}  // namespace

// Epochs can be iterated in any order here, so the first one is always the input's iteration 0.
Dataset Dataset::cache() const {
  Node node = like(*node_);
  const auto cached = std::make_shared<Cached>();
  node.open = [cached, input = node_](std::uint64_t) -> std::unique_ptr<Stream> {
    if (auto items = cached->items()) return std::make_unique<KeptStream>(std::move(items));
    return std::make_unique<KeepingStream>(input->open(0), cached);
  };
  return made_of(std::move(node), *node_, [](const Dataset& some) { return some.cache(); });
}

}  // namespace wt::data
