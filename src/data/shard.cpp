// Dataset::shard (shard_dataset_op.cc).

#include <fmt/format.h>

#include "base/tensorflow_error.h"
#include "data/dataset.h"
#include "data/node.h"

namespace wt::data {
namespace {

class ShardedStream final : public Stream {
 public:
  ShardedStream(Input input, std::int64_t shards, std::int64_t index)
      : input_(std::move(input)), shards_(shards), index_(index) {}
  bool next(Item& item) override {
    for (; input_->next(item); ++number_)
      if (number_ % shards_ == index_) {
        ++number_;
        return true;
      }
    return false;
  }

 private:
  Input input_;
  std::int64_t shards_, index_;
  std::int64_t number_ = 0;  // of the next element of the input
};

void check(std::int64_t shards, std::int64_t index) {
  if (shards <= 0)
    throw InvalidArgumentError(
        fmt::format("Number of shards must be greater than zero (currently num_shards = {}).", shards));
  if (index < 0 || index >= shards)
    throw InvalidArgumentError(
        fmt::format("Index must be between 0 and {} (currently index = {}).", shards - 1, index));
}

[[noreturn]] void refuse_hint() {
  throw FailedPreconditionError(
      "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
      "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
      "`tf.data.experimental.AutoShardPolicy.HINT` policy, or tf.data service with "
      "`tf.data.experimental.service.ShardingPolicy.HINT` processing mode.");
}

}  // namespace

Dataset Dataset::shard(std::int64_t shards, std::int64_t index) const {
  const bool is_hint = shards == shard_hint;
  if (!is_hint) check(shards, index);
  Node node = like(*node_);
  node.is_sharded = !is_hint;
  if (node.batched_rows) node.batched_rows = unknown_cardinality;
  if (!is_hint && node.cardinality > 0)
    node.cardinality = node.cardinality / shards + (index < node.cardinality % shards ? 1 : 0);
  node.open = [=, input = node_](std::uint64_t iteration) -> std::unique_ptr<Stream> {
    if (is_hint) refuse_hint();
    return std::make_unique<ShardedStream>(input->open(iteration), shards, index);
  };
  Dataset sharded =
      made_of(std::move(node), *node_, [=](const Dataset& some) { return some.shard(shards, index); });
  if (!is_hint) return sharded;
  Node hinted = *sharded.node_;
  hinted.with_shard = [input = *this](std::int64_t workers, std::int64_t worker) {
    return input.shard(workers, worker);
  };
  return Dataset(std::make_shared<Node>(std::move(hinted)));
}

}  // namespace wt::data
