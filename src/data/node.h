#pragma once
// The implementation of a dataset: a chain of nodes, one per transformation. For example,
// range.shuffle().batch() is batch -> shuffle -> rows. A node opens streams, and each stream reads from a
// stream of the node before it in the chain.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/rows.h"

namespace wt::data {

// What streams pass to each other: the number of a row if the node has `rows`, and otherwise the tensors of
// an element.
struct Item {
  std::int64_t row{0};
  Element tensors{};
};

// The items of one iteration.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual bool next(Item& item) = 0;  // false at the end, after which it must not be called again
};

// One transformation or source of a dataset.
struct Node {
  std::vector<ComponentSpec> specs{};
  std::int64_t cardinality{0};
  std::optional<std::int64_t> batch_size{};    // of the last `batch` up to here
  std::optional<std::int64_t> batched_rows{};  // the rows of all batches; unset before a `batch`
  std::shared_ptr<const Rows> rows{};          // null if items contain tensors
  std::shared_ptr<const Files> files{};        // null if the elements are not read from files
  // The same dataset with shard(shards, index) in the place of a shard by shard_hint. Null if it has none.
  std::function<Dataset(std::int64_t shards, std::int64_t index)> with_shard{};
  std::shared_ptr<const Node> rebatched{};  // what a `rebatch` was made of; null behind other transformations
  bool is_sharded = false;                  // whether a `shard` is among the transformations up to here
  // Opens a stream. Iterations are numbered from 0, and a shuffle draws the seed of an iteration from its
  // number. A stream doesn't keep its node alive. The Iterator holds the last node of the chain, which holds
  // the other nodes.
  std::function<std::unique_ptr<Stream>(std::uint64_t iteration)> open{};
};

using Input = std::unique_ptr<Stream>;

// A node with the properties of `input` that transformations keep which give some of its elements, or each of them, in
// some order. What rebuilds it for other files or another shard is missing (made_of).
Node like(const Node& input);

// The dataset of a node that transforms `input`. `again` repeats the transformation on another dataset: on the same one
// with some of its files, or with a shard in the place of a hint.
Dataset made_of(Node node, const Node& input, const std::function<Dataset(const Dataset&)>& again);

// The tensors of an item. If `rows` is not null, they are read from there.
Element tensors_of(Item item, const Rows* rows);

// An element with 0 rows. Unknown extents are 0, too.
Element without_rows(const std::vector<ComponentSpec>& specs);

// Throws InputError without a place, for data that turns out to be wrong while it is read.
[[noreturn]] void refuse(std::string fact);

// Throws InputError if the element doesn't match the specs. `source` names the creator of the element in the
// message.
void check_element(const Element& element, const std::vector<ComponentSpec>& specs, const char* source);

// Stacks elements along a new axis 0. Throws InputError with TensorFlow's text if their shapes differ.
Element stack(const std::vector<Element>& elements);

}  // namespace wt::data
