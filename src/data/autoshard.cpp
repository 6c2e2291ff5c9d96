#include "data/autoshard.h"

#include <fmt/format.h>

#include "base/tensorflow_error.h"
#include "data/node.h"

namespace wt::data {
namespace {

// TensorFlow finds out that files are missing when it reads on behind the worker's first one. The number of files that it
// states is what it has read by then.
Dataset failing(const Dataset& dataset, const AutoShard& shard) {
  Node node = like(*dataset.node());
  node.open = [shard](std::uint64_t) -> std::unique_ptr<Stream> {
    throw InvalidArgumentError(fmt::format(
        "Could not apply FILE based sharding: the dataset only has {} file(s), which is not enough for the "
        "required {} shards/workers. If you are using datasets with distribution strategy, consider setting "
        "the auto sharding policy to either DATA or OFF using the "
        "`experimental_distribute.auto_shard_policy` "
        "option of `tf.data.Options()`. Or, split your input files into a larger number of small files such "
        "that "
        "number of files is greater than number of shards/workers.",
        shard.worker + 1, shard.workers));
  };
  return Dataset(std::make_shared<Node>(std::move(node)));
}

Dataset by_files(const Dataset& dataset, const AutoShard& shard) {
  if (dataset.files() == nullptr)
    throw NotFoundError(
        "Found an unshardable source dataset: the policy FILE shards files, and these elements are in memory "
        "or generated. Choose AUTO, DATA or OFF");
  const Files& files = *dataset.files();
  if (shard.worker >= files.count) return dataset.take(0);
  if (files.count < shard.workers) return failing(dataset, shard);
  std::vector<std::int64_t> own;
  for (std::int64_t file = shard.worker; file < files.count; file += shard.workers) own.push_back(file);
  return files.read(own);
}

Dataset by_elements(const Dataset& dataset, const AutoShard& shard) {
  const std::shared_ptr<const Node>& rebatched = dataset.node()->rebatched;
  const Dataset all = rebatched ? Dataset(rebatched).split_batches(shard.replicas) : dataset;
  return all.shard(shard.workers, shard.worker);
}

}  // namespace

std::string_view name(AutoShardPolicy policy) {
  constexpr std::string_view names[] = {"OFF", "AUTO", "FILE", "DATA", "HINT"};
  return names[static_cast<int>(policy) + 1];
}

AutoShardPolicy applied(AutoShardPolicy policy, const Dataset& dataset) {
  if (policy != AutoShardPolicy::automatic) return policy;
  return dataset.files() != nullptr ? AutoShardPolicy::file : AutoShardPolicy::data;
}

Dataset auto_shard(const Dataset& dataset, const AutoShard& shard) {
  WT_EXPECT(shard.worker >= 0 && shard.worker < shard.workers, "worker {} of {}", shard.worker,
            shard.workers);
  switch (applied(shard.policy, dataset)) {
    case AutoShardPolicy::file:
      return shard.workers == 1 ? dataset : by_files(dataset, shard);
    case AutoShardPolicy::data:
      return by_elements(dataset, shard);
    case AutoShardPolicy::hint:
      return dataset.node()->with_shard ? dataset.node()->with_shard(shard.workers, shard.worker) : dataset;
    default:
      return dataset;
  }
}

}  // namespace wt::data
