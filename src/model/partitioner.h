#pragma once
// How ParameterServerStrategy cuts variables into shards: tf.distribute.experimental.partitioners (TensorFlow
// 2.x, sharded_variable.py). A partitioner says into how many parts a variable is cut along each axis; only
// axis 0 may have more than one.

#include <cstdint>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "tensor/tensor.h"
#include "tensor/type.h"

namespace wt::model {

// As many shards as there are rows, but no more than `num_shards`.
struct FixedShardsPartitioner {
  std::int64_t num_shards = 1;
};

// As many shards as possible, none of them smaller than `min_shard_bytes`.
struct MinSizePartitioner {
  std::int64_t min_shard_bytes = 256 << 10;
  std::int64_t max_shards = 1;
  std::int64_t bytes_per_string = 16;
};

// As few shards as possible, none of them larger than `max_shard_bytes`; a row is never cut.
struct MaxSizePartitioner {
  std::int64_t max_shard_bytes = 0;
  std::optional<std::int64_t> max_shards{};
  std::int64_t bytes_per_string = 16;
};

using Partitioner = std::variant<FixedShardsPartitioner, MinSizePartitioner, MaxSizePartitioner>;

// The number of parts along each axis of a variable. No type stands for strings. Throws ValueError, with
// TensorFlow's words, for a partitioner whose arguments are not positive.
std::vector<std::int64_t> partitions(const Partitioner& partitioner, const Shape& shape,
                                     std::optional<Type> type);

// Anything that says the same: one of the partitioners, or a function of the program.
using Partition = std::function<std::vector<std::int64_t>(const Shape& shape, std::optional<Type> type)>;
// Throws ValueError at once for arguments that are not positive, as the constructors of TensorFlow's partitioners do.
Partition partition_by(Partitioner partitioner);

// The number of shards of a variable: 1 for a scalar. Throws ValueError, with TensorFlow's words, if the
// partition cuts another axis than the first one or gives no shard.
std::int64_t shards(const Partition& partition, const TensorSpec& variable);

// The number of rows of each shard: as equal as possible, the larger ones first.
std::vector<std::int64_t> rows_of_shards(std::int64_t rows, std::int64_t shards);

}  // namespace wt::model
