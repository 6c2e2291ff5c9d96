#include "model/partitioner.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/tensorflow_error.h"

namespace wt::model {

namespace {

void require_positive(std::string_view argument, std::int64_t value,
                      std::string_view received = "Received:") {
  if (value <= 0)
    throw ValueError(fmt::format("Argument `{}` must be positive. {} {}", argument, received, value));
}

// FixedShardsPartitioner takes any number: a variable refuses the partition that has no shard.
void require_legal(const FixedShardsPartitioner&) {}

void require_legal(const MinSizePartitioner& min) {
  require_positive("min_shard_bytes", min.min_shard_bytes);
  require_positive("max_shards", min.max_shards);
  require_positive("bytes_per_string", min.bytes_per_string);
}

void require_legal(const MaxSizePartitioner& max) {
  require_positive("max_shard_bytes", max.max_shard_bytes, "Received");  // TensorFlow has no colon here
  if (max.max_shards.value_or(0) != 0) require_positive("max_shards", *max.max_shards, "Received");
  require_positive("bytes_per_string", max.bytes_per_string);
}

void require_legal(const Partitioner& partitioner) {
  std::visit([](const auto& how) { require_legal(how); }, partitioner);
}

std::int64_t element_bytes(std::optional<Type> type, std::int64_t bytes_per_string) {
  return type ? bytes_per_element(*type) : bytes_per_string;
}

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t shards_by(const FixedShardsPartitioner& fixed, const Shape& shape, std::optional<Type>) {
  return std::min(fixed.num_shards, shape[0]);
}

std::int64_t shards_by(const MinSizePartitioner& min, const Shape& shape, std::optional<Type> type) {
  const std::int64_t bytes = shape.elements() * element_bytes(type, min.bytes_per_string);
  return std::max<std::int64_t>(1, std::min({shape[0], min.max_shards, ceiling(bytes, min.min_shard_bytes)}));
}

std::int64_t shards_by(const MaxSizePartitioner& max, const Shape& shape, std::optional<Type> type) {
  const std::int64_t bytes_of_row =
      shape.elements() / std::max<std::int64_t>(shape[0], 1) * element_bytes(type, max.bytes_per_string);
  const std::int64_t rows =
      std::max<std::int64_t>(1, max.max_shard_bytes / std::max<std::int64_t>(bytes_of_row, 1));
  const std::int64_t wanted = ceiling(shape[0], rows);
  // TensorFlow takes 0 as no limit.
  return max.max_shards.value_or(0) == 0 ? wanted : std::min(wanted, *max.max_shards);
}

}  // namespace

std::vector<std::int64_t> partitions(const Partitioner& partitioner, const Shape& shape,
                                     std::optional<Type> type) {
  require_legal(partitioner);
  std::vector<std::int64_t> parts(static_cast<std::size_t>(shape.rank()), 1);
  if (!parts.empty())
    parts[0] = std::visit([&](const auto& how) { return shards_by(how, shape, type); }, partitioner);
  return parts;
}

Partition partition_by(Partitioner partitioner) {
  require_legal(partitioner);
  return [partitioner](const Shape& shape, std::optional<Type> type) {
    return partitions(partitioner, shape, type);
  };
}

std::int64_t shards(const Partition& partition, const TensorSpec& variable) {
  if (!partition || variable.shape.rank() == 0) return 1;
  const std::vector<std::int64_t> parts = partition(variable.shape, variable.type);
  const bool cuts_others = parts.empty() || std::any_of(parts.begin() + 1, parts.end(),
                                                        [](std::int64_t each) { return each != 1; });
  if (cuts_others || parts.front() <= 0)
    throw ValueError(
        fmt::format("variable_partitioner must return a list/tuple whose elements are 1 besides the "
                    "first element (non-zero), got: [{}]",
                    fmt::join(parts, ", ")));
  return std::min(parts.front(), std::max<std::int64_t>(variable.shape[0], 1));
}

std::vector<std::int64_t> rows_of_shards(std::int64_t rows, std::int64_t shards) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(shards), rows / shards);
  for (std::int64_t i = 0; i < rows % shards; ++i) ++sizes[static_cast<std::size_t>(i)];
  return sizes;
}

}  // namespace wt::model
