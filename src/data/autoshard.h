#pragma once
// Sharding of a dataset over workers: the rewrite that TensorFlow applies to the dataset in each worker (auto_shard.cc).

#include <cstdint>
#include <string_view>

#include "data/dataset.h"

namespace wt::data {

// tf.data.experimental.AutoShardPolicy with its numbers. AUTO is FILE where the elements are read from files, and DATA
// elsewhere. FILE gives every worker files of its own, DATA every n-th element. HINT replaces shard(shard_hint, shard_hint),
// and without such a shard every worker reads all elements, as with OFF.
enum class AutoShardPolicy : std::int8_t { off = -1, automatic = 0, file = 1, data = 2, hint = 3 };
std::string_view name(AutoShardPolicy policy);  // "AUTO"

// The policy that AUTO becomes for this dataset; any other policy is what it is.
AutoShardPolicy applied(AutoShardPolicy policy, const Dataset& dataset);

struct AutoShard {
  AutoShardPolicy policy = AutoShardPolicy::automatic;
  std::int64_t workers = 1;
  std::int64_t worker = 0;    // the index of the one that reads
  std::int64_t replicas = 1;  // of all workers
};

// The elements that a worker reads. A `rebatch` at the end becomes `split_batches(replicas)` where elements are sharded.
// Throws NotFoundError if files are to be sharded and there are none. With fewer files than workers, those workers that
// would have a file get an error at their first element, and the others no elements.
Dataset auto_shard(const Dataset& dataset, const AutoShard& shard);

}  // namespace wt::data
