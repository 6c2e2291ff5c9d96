// The transformations of datasets: one Stream and one member function of Dataset for each. Cardinalities
// follow the rules of TensorFlow.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/free_memory.h"
#include "base/tensorflow_error.h"
#include "data/dataset.h"
#include "data/node.h"

namespace wt::data {
namespace {

// TensorFlow's shuffle (shuffle_dataset_op.cc). The buffer is a ring. A drawn item leaves it, and the oldest
// item moves to the free position.
class ShuffledStream final : public Stream {
 public:
  ShuffledStream(Input input, std::int64_t buffer_size, Seed seed)
      : input_(std::move(input)),
        size_(static_cast<std::uint64_t>(buffer_size)),
        words_{counter_of(seed), key_of(seed)} {}

  bool next(Item& item) override {
    fill();
    if (begin_ == end_) return false;
    const std::uint64_t index = (begin_ + draw() % (end_ - begin_)) % size_;
    std::swap(item, ring_[index]);
    std::swap(ring_[index], ring_[begin_ % size_]);
    ++begin_;
    return true;
  }

  static PhiloxKey key_of(Seed seed) { return {low(seed.first), high(seed.first)}; }
  static PhiloxCounter counter_of(Seed seed) { return {0, 0, low(seed.second), high(seed.second)}; }

 private:
  static std::uint32_t low(std::int64_t word) { return static_cast<std::uint32_t>(word); }
  static std::uint32_t high(std::int64_t word) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(word) >> 32);
  }

  void fill() {
    while (input_ != nullptr && end_ - begin_ < size_) {
      Item item;
      if (!input_->next(item)) {
        input_.reset();
        return;
      }
      const std::uint64_t index = end_++ % size_;
      if (index == ring_.size())
        ring_.push_back(std::move(item));
      else
        ring_[index] = std::move(item);
    }
  }

  std::uint32_t draw() {
    if (drawn_ % block_.size() == 0) block_ = words_.block(drawn_ / block_.size());
    return block_[drawn_++ % block_.size()];
  }

  Input input_;
  std::uint64_t size_;
  PhiloxStream words_;
  PhiloxCounter block_{};
  std::uint64_t drawn_ = 0;
  std::vector<Item> ring_{};  // grows up to size_ items
  // The buffer holds the items [begin_, end_), counted from the start of the stream.
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

// With reshuffle_each_iteration, the seed of iteration k consists of the words 2k and 2k + 1 of the stream of
// the shuffle's seed.
Seed seed_of_iteration(Seed seed, std::uint64_t iteration) {
  const PhiloxStream words{ShuffledStream::counter_of(seed), ShuffledStream::key_of(seed)};
  const PhiloxCounter block = words.block(iteration / 2);
  const std::size_t first = iteration % 2 * 2;
  return {block[first], block[first + 1]};
}

class BatchedStream final : public Stream {
 public:
  BatchedStream(Input input, std::int64_t rows, bool drop_remainder, const Rows* source)
      : input_(std::move(input)),
        wanted_(static_cast<std::size_t>(rows)),
        drop_remainder_(drop_remainder),
        source_(source) {}

  bool next(Item& item) override {
    numbers_.clear();
    elements_.clear();
    std::size_t count = 0;
    for (Item one; count < wanted_ && input_->next(one); ++count) {
      if (source_ != nullptr)
        numbers_.push_back(one.row);
      else
        elements_.push_back(std::move(one.tensors));
    }
    if (count == 0 || (drop_remainder_ && count < wanted_)) return false;
    // A short batch is the last one. The input has ended, and next() must not be called on it again.
    if (count < wanted_) wanted_ = 0;
    item.tensors = source_ != nullptr ? source_->gather(numbers_) : stack(elements_);
    return true;
  }

 private:
  Input input_;
  std::size_t wanted_;
  bool drop_remainder_;
  const Rows* source_;
  std::vector<std::int64_t> numbers_{};
  std::vector<Element> elements_{};
};

class RepeatedStream final : public Stream {
 public:
  RepeatedStream(const Node& input, std::int64_t count, std::uint64_t first)
      : input_(input), left_(count), iteration_(first) {}

  bool next(Item& item) override {
    while (left_ != 0) {
      const bool is_new = stream_ == nullptr;
      if (is_new) stream_ = input_.open(iteration_++);
      if (stream_->next(item)) return true;
      stream_.reset();
      // An empty dataset that is repeated forever would be an endless loop.
      if (left_ == forever && is_new) return false;
      if (left_ != forever) --left_;
    }
    return false;
  }

 private:
  const Node& input_;
  std::int64_t left_;
  std::uint64_t iteration_;
  Input stream_{};
};

class TakenStream final : public Stream {
 public:
  TakenStream(Input input, std::int64_t count) : input_(std::move(input)), left_(count) {}
  bool next(Item& item) override { return left_-- > 0 && input_->next(item); }

 private:
  Input input_;
  std::int64_t left_;
};

class SkippedStream final : public Stream {
 public:
  SkippedStream(Input input, std::int64_t count) : input_(std::move(input)), left_(count) {}
  bool next(Item& item) override {
    for (; left_ > 0; --left_)
      if (!input_->next(item)) return false;
    return input_->next(item);
  }

 private:
  Input input_;
  std::int64_t left_;
};

class MappedStream final : public Stream {
 public:
  MappedStream(Input input, const Mapping& function, const Rows* rows,
               const std::vector<ComponentSpec>& specs)
      : input_(std::move(input)), function_(function), rows_(rows), specs_(specs) {}
  bool next(Item& item) override {
    if (!input_->next(item)) return false;
    Element mapped = function_(tensors_of(item, rows_));
    item.tensors = std::move(mapped);
    check_element(item.tensors, specs_, "the mapped function");
    return true;
  }

 private:
  Input input_;
  const Mapping& function_;
  const Rows* rows_;
  const std::vector<ComponentSpec>& specs_;
};

// The number of the first iteration of the input within an iteration of repeat(count). An endless repeat
// needs an unknown number of them, so 2^32 are reserved for each. TensorFlow would continue where the last
// iterator stopped.
std::uint64_t first_iteration(std::uint64_t iteration, std::int64_t count) {
  return iteration * (count == forever ? std::uint64_t{1} << 32 : static_cast<std::uint64_t>(count));
}

std::int64_t repeated_cardinality(std::int64_t input, std::int64_t count) {
  if (count == 0) return 0;
  if (count == forever) return input == 0 ? 0 : infinite_cardinality;
  if (input < 0) return input;
  std::int64_t product = 0;
  return __builtin_mul_overflow(input, count, &product) ? infinite_cardinality : product;
}

}  // namespace

Node like(const Node& input) {
  Node node = input;
  node.files.reset();
  node.with_shard = {};
  node.rebatched.reset();
  node.open = {};
  return node;
}

Dataset made_of(Node node, const Node& input, const std::function<Dataset(const Dataset&)>& again) {
  node.is_sharded = input.is_sharded || node.is_sharded;
  if (input.files != nullptr) {
    Files files = *input.files;
    files.read = [read = input.files->read, again](std::span<const std::int64_t> numbers) {
      return again(read(numbers));
    };
    node.files = std::make_shared<Files>(std::move(files));
  }
  if (input.with_shard)
    node.with_shard = [with_shard = input.with_shard, again](std::int64_t shards, std::int64_t index) {
      return again(with_shard(shards, index));
    };
  return Dataset(std::make_shared<Node>(std::move(node)));
}

Element stack(const std::vector<Element>& elements) {
  Element stacked_element;
  for (std::size_t component = 0; component < elements[0].size(); ++component) {
    const TensorSpec& row = elements[0][component].spec();
    const TensorSpec spec = stacked(row, static_cast<std::int64_t>(elements.size()));
    const bool has_numbers = elements[0][component].has_numbers();
    Tensor tensor = has_numbers ? Tensor::zeros(spec) : Tensor::shape_only(spec);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Tensor& part = elements[i][component];
      if (part.spec() != row) {
        throw InvalidArgumentError(fmt::format(
            "Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: {}, "
            "[batch]: {}",
            print(part.shape()), print(row.shape)));
      }
      if (!has_numbers) continue;
      const std::size_t bytes = part.bytes().size();
      std::memcpy(tensor.view().data + i * bytes, part.view().data, bytes);
    }
    stacked_element.push_back(std::move(tensor));
  }
  return stacked_element;
}

Dataset Dataset::shuffle(std::int64_t buffer_size, Seed seed, bool reshuffle_each_iteration) const {
  if (buffer_size <= 0)
    throw InvalidArgumentError("buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
  Node node = like(*node_);
  // A generator may end early, so its elements are not counted before they come.
  const std::int64_t given = node_->cardinality;
  const std::int64_t held = given == unknown_cardinality    ? 0
                            : given == infinite_cardinality ? buffer_size
                                                            : std::min(buffer_size, given);
  node.open = [=, input = node_](std::uint64_t iteration) {
    require_memory(Bytes(sizeof(Item)) * held, fmt::format("a shuffle of {} elements", held),
                   "give it a smaller \"buffer\"");
    return std::make_unique<ShuffledStream>(
        input->open(iteration), buffer_size,
        reshuffle_each_iteration ? seed_of_iteration(seed, iteration) : seed);
  };
  return made_of(std::move(node), *node_, [=](const Dataset& some) {
    return some.shuffle(buffer_size, seed, reshuffle_each_iteration);
  });
}

Dataset Dataset::batch(std::int64_t rows, bool drop_remainder) const {
  if (rows <= 0) throw InvalidArgumentError("Batch size must be greater than zero.");
  Node node;
  for (ComponentSpec spec : node_->specs) {
    spec.extents.insert(spec.extents.begin(), drop_remainder ? rows : unknown_extent);
    WT_EXPECT(spec.extents.size() <= Shape::max_rank, "{} has too many axes", print(spec));
    node.specs.push_back(std::move(spec));
  }
  node.cardinality = node_->cardinality;
  if (node.cardinality > 0)
    node.cardinality = node.cardinality / rows + (!drop_remainder && node.cardinality % rows != 0 ? 1 : 0);
  node.batch_size = rows;
  node.batched_rows = drop_remainder && node.cardinality >= 0 ? node.cardinality * rows : node_->cardinality;
  node.open = [=, input = node_](std::uint64_t iteration) {
    return std::make_unique<BatchedStream>(input->open(iteration), rows, drop_remainder, input->rows.get());
  };
  return made_of(std::move(node), *node_,
                 [=](const Dataset& some) { return some.batch(rows, drop_remainder); });
}

Dataset Dataset::repeat(std::int64_t count) const {
  count = std::max(count, forever);
  Node node = like(*node_);
  node.cardinality = repeated_cardinality(node.cardinality, count);
  if (node.batched_rows) node.batched_rows = repeated_cardinality(*node.batched_rows, count);
  node.open = [=, input = node_](std::uint64_t iteration) {
    return std::make_unique<RepeatedStream>(*input, count, first_iteration(iteration, count));
  };
  return made_of(std::move(node), *node_, [=](const Dataset& some) { return some.repeat(count); });
}

Dataset Dataset::take(std::int64_t count) const {
  if (count < 0) return *this;
  Node node = like(*node_);
  if (node.batched_rows) node.batched_rows = unknown_cardinality;  // the last batch may be smaller
  if (node.cardinality == infinite_cardinality)
    node.cardinality = count;
  else if (node.cardinality != unknown_cardinality)
    node.cardinality = std::min(node.cardinality, count);
  node.open = [=, input = node_](std::uint64_t iteration) {
    return std::make_unique<TakenStream>(input->open(iteration), count);
  };
  return made_of(std::move(node), *node_, [=](const Dataset& some) { return some.take(count); });
}

Dataset Dataset::skip(std::int64_t count) const {
  if (count < 0) return take(0);
  Node node = like(*node_);
  if (node.batched_rows) node.batched_rows = unknown_cardinality;
  if (node.cardinality > 0) node.cardinality = std::max<std::int64_t>(node.cardinality - count, 0);
  node.open = [=, input = node_](std::uint64_t iteration) {
    return std::make_unique<SkippedStream>(input->open(iteration), count);
  };
  return made_of(std::move(node), *node_, [=](const Dataset& some) { return some.skip(count); });
}

Dataset Dataset::map(Mapping function) const { return map(node_->specs, std::move(function)); }

Dataset Dataset::map(std::vector<ComponentSpec> specs, Mapping function) const {
  WT_EXPECT(!specs.empty(), "a dataset needs at least one component");
  Node node;
  node.specs = std::move(specs);
  node.cardinality = node_->cardinality;
  const auto of_some = [specs = node.specs, function](const Dataset& some) {
    return some.map(specs, function);
  };
  node.open = [input = node_, specs = node.specs, function = std::move(function)](std::uint64_t iteration) {
    return std::make_unique<MappedStream>(input->open(iteration), function, input->rows.get(), specs);
  };
  return made_of(std::move(node), *node_, of_some);
}

}  // namespace wt::data
