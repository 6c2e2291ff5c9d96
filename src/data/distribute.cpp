#include "data/distribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "data/node.h"

namespace wt::data {
namespace {

void require_even_workers(const Distribution& distribution) {
  const std::int64_t replicas = distribution.replicas, workers = distribution.workers;
  WT_EXPECT(replicas > 0 && workers > 0, "{} replicas on {} workers", replicas, workers);
  if (replicas % workers != 0)
    throw InputError(
        fmt::format("tf.distribute expects every worker to have the same number of replicas. However, "
                    "encountered `num_replicas_in_sync` ({}) that cannot be divided by `num_workers` ({})",
                    replicas, workers),
        "give every worker the same number of devices");
}

// The dataset of one worker: of `workers` consecutive files, each worker reads one.
Dataset shard_of(const Files& files, std::int64_t workers, std::int64_t worker) {
  std::vector<std::int64_t> own;
  for (std::int64_t file = worker; file < files.count; file += workers) own.push_back(file);
  return files.read(own);
}

// An element with 0 rows. Unknown extents are 0, too.
Element without_rows(const std::vector<ComponentSpec>& specs) {
  Element element;
  for (const ComponentSpec& spec : specs) {
    Shape shape;
    for (std::size_t axis = 0; axis < spec.extents.size(); ++axis)
      shape.append(axis == 0 || spec.extents[axis] == unknown_extent ? 0 : spec.extents[axis]);
    element.push_back(Tensor::zeros({spec.type, shape}));
  }
  return element;
}

bool shards_by_file(AutoShardPolicy policy) {
  return policy == AutoShardPolicy::file || policy == AutoShardPolicy::automatic;
}

}  // namespace

Distribution of_one_batch(Distribution distribution) {
  if (distribution.is_from_files && shards_by_file(distribution.policy))
    distribution.policy = AutoShardPolicy::off;
  return distribution;
}

std::string_view name(AutoShardPolicy policy) {
  constexpr std::string_view names[] = {"OFF", "AUTO", "FILE", "DATA"};
  return names[static_cast<int>(policy) + 1];
}

std::int64_t InputContext::per_replica_batch_size(std::int64_t global_batch_size) const {
  if (global_batch_size % replicas_in_sync != 0)
    throw InputError(fmt::format("The `global_batch_size` {} is not divisible by `num_replicas_in_sync` {}",
                                 global_batch_size, replicas_in_sync),
                     "choose a multiple of the number of replicas");
  return global_batch_size / replicas_in_sync;
}

DistributedDataset::DistributedDataset(const Distribution& distribution) : distribution_(distribution) {
  require_even_workers(distribution_);
}

// The even rule needs a known batch size. The policy DATA selects the legacy rule, and so does AUTO, which
// becomes DATA because these rows aren't read from files. Both do so even if there is only one worker and
// therefore nothing to shard.
DistributedDataset::DistributedDataset(const Dataset& dataset, const Distribution& distribution)
    : DistributedDataset(distribution) {
  if (dataset.files() != nullptr) {
    deal_files(*dataset.files());
    return;
  }
  pipelines_ = {dataset};
  if (distribution_.replicas == 1) return;
  if (distribution_.policy == AutoShardPolicy::file)
    throw InputError(
        "[autoshard] Found an unshardable source dataset: policy FILE shards files, and these rows "
        "are in memory or generated",
        "choose AUTO, DATA or OFF");
  if (distribution_.replicas == 1) return;
  require_batches();
  shards_pieces_ = distribution_.policy != AutoShardPolicy::off;
  rebatch_ = shards_pieces_ || !dataset.batch_size() ? Rebatch::legacy : Rebatch::even;
}

DistributedDataset::DistributedDataset(const Files& files, const Distribution& distribution)
    : DistributedDataset(distribution) {
  deal_files(files);
}

void DistributedDataset::deal_files(const Files& files) {
  const std::int64_t workers = distribution_.workers;
  const bool by_file = shards_by_file(distribution_.policy);
  if (by_file && files.count < workers)
    throw InputError(
        fmt::format("Could not apply FILE based sharding: the dataset only has {} file(s), which is not "
                    "enough for the required {} shards/workers",
                    files.count, workers),
        "use at least as many files as workers, or the policy DATA or OFF");
  for (std::int64_t worker = 0; worker < (by_file ? workers : 1); ++worker)
    pipelines_.push_back(by_file ? shard_of(files, workers, worker) : shard_of(files, 1, 0));
  if (distribution_.replicas == 1) return;
  require_batches();
  shards_pieces_ = distribution_.policy == AutoShardPolicy::data;
  rebatch_ = shards_pieces_ || !pipelines_.front().batch_size() ? Rebatch::legacy : Rebatch::even;
}

DistributedDataset DistributedDataset::from_function(
    const std::function<Dataset(const InputContext&)>& function, Distribution distribution,
    InputReplication replication) {
  if (replication == InputReplication::per_replica) distribution.workers = distribution.replicas;
  DistributedDataset distributed(distribution);
  for (std::int64_t pipeline = 0; pipeline < distribution.workers; ++pipeline)
    distributed.pipelines_.push_back(function({distribution.workers, pipeline, distribution.replicas}));
  return distributed;
}

void DistributedDataset::require_batches() const {
  for (const ComponentSpec& spec : pipelines_.front().specs())
    if (spec.extents.empty())
      throw InputError(
          "Invalid `input_dataset`. Expected a dataset whose elements have rank >= 1 but found a "
          "dataset whose elements are scalars",
          "Fix the issue by adding the `batch` transformation to the dataset.");
}

// Whether all shapes of the pieces are known. The size of a piece is unknown if the size of the batch is
// unknown or not a multiple of the number of replicas.
bool DistributedDataset::has_static_shapes() const {
  const auto is_static = [&](const ComponentSpec& spec) {
    const bool known = std::ranges::count(spec.extents, unknown_extent) == 0;
    return known && (rebatch_ == Rebatch::none || spec.extents[0] % distribution_.replicas == 0);
  };
  return std::ranges::all_of(pipelines_.front().specs(), is_static);
}

std::size_t DistributedDataset::streams() const {
  return shards_pieces_ ? 1 : static_cast<std::size_t>(distribution_.workers);
}

// A single stream gives one batch to each step, so that batches can be passed over without being read.
DistributedIterator DistributedDataset::iterate(std::uint64_t epoch, std::int64_t skipped) const {
  DistributedIterator iterator;
  const bool skips_batches = streams() == 1;
  for (std::size_t stream = 0; stream < streams(); ++stream)
    iterator.pipelines_.push_back(pieces(stream, epoch, skips_batches ? skipped : 0));
  iterator.replica_of_piece_ = replica_of_piece();
  iterator.specs_ = pipelines_.front().specs();
  iterator.goes_on_with_empty_replicas_ = goes_on_with_empty_replicas();
  for (std::int64_t step = 0; !skips_batches && step < skipped; ++step)
    if (!iterator.next()) break;
  return iterator;
}

bool DistributedDataset::goes_on_with_empty_replicas() const {
  return distribution_.goes_on_with_empty_replicas && (!has_static_shapes() || distribution_.workers > 1);
}

std::vector<std::int64_t> DistributedDataset::sizes_of(std::size_t pipeline) const {
  return worker_sizes(*pipelines_.front().batch_size(), distribution_.replicas, distribution_.workers,
                      static_cast<std::int64_t>(pipeline));
}

std::unique_ptr<Pieces> DistributedDataset::pieces(std::size_t pipeline, std::uint64_t epoch,
                                                   std::int64_t skipped_batches) const {
  const Dataset& dataset = pipelines_[std::min(pipeline, pipelines_.size() - 1)];
  Iterator batches =
      skipped_batches > 0 ? dataset.skip(skipped_batches).iterate(epoch) : dataset.iterate(epoch);
  if (rebatch_ == Rebatch::none) return whole_batches(std::move(batches));
  if (rebatch_ == Rebatch::legacy) return legacy_pieces(std::move(batches), distribution_.replicas);
  return even_pieces(std::move(batches), sizes_of(pipeline));
}

namespace {

// The number of pieces that the even rule makes of `rows` rows. A piece exists if rows are left for it, and
// so do pieces of 0 rows before such a one.
std::int64_t pieces_of(std::int64_t rows, const std::vector<std::int64_t>& sizes) {
  const std::int64_t cycle = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (rows <= 0 || cycle == 0) return 0;
  const std::int64_t whole = (rows - 1) / cycle;
  std::int64_t left = rows - whole * cycle, pieces = whole * std::ssize(sizes);
  for (const std::int64_t size : sizes) {
    if (left <= 0) break;
    left -= size;
    ++pieces;
  }
  return pieces;
}

}  // namespace

std::int64_t DistributedDataset::pieces_of_pipeline(std::size_t pipeline) const {
  const Dataset& dataset = pipelines_[std::min(pipeline, pipelines_.size() - 1)];
  if (rebatch_ == Rebatch::even && dataset.rows() >= 0) return pieces_of(dataset.rows(), sizes_of(pipeline));
  return dataset.cardinality() * (rebatch_ == Rebatch::none ? 1 : distribution_.replicas);
}

std::int64_t DistributedDataset::steps() const {
  const std::int64_t given = pipelines_.front().cardinality();
  if (given < 0) return given;
  const std::int64_t each = distribution_.replicas / static_cast<std::int64_t>(streams());
  std::int64_t longest = 0, shortest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t pipeline = 0; pipeline < streams(); ++pipeline) {
    const std::int64_t pieces = pieces_of_pipeline(pipeline);
    longest = std::max(longest, (pieces + each - 1) / each);
    shortest = std::min(shortest, pieces / each);
  }
  return goes_on_with_empty_replicas() ? longest : shortest;
}

// If pieces are sharded, piece p of a batch belongs to worker p % workers. All workers shard the same
// dataset, so a single stream is read, and its pieces are assigned to the workers.
std::vector<std::size_t> DistributedDataset::replica_of_piece() const {
  const auto replicas = static_cast<std::size_t>(distribution_.replicas);
  const auto workers = static_cast<std::size_t>(distribution_.workers);
  std::vector<std::size_t> order(replicas);
  std::iota(order.begin(), order.end(), 0);
  if (!shards_pieces_) return order;
  for (std::size_t piece = 0; piece < replicas; ++piece)
    order[piece] = piece % workers * (replicas / workers) + piece / workers;
  return order;
}

std::optional<std::vector<Element>> DistributedIterator::next() {
  const std::size_t replicas = replica_of_piece_.size();
  const std::size_t each = replicas / pipelines_.size();
  std::vector<Element> elements(replicas);
  std::size_t missing = 0;
  for (std::size_t piece = 0; piece < replicas; ++piece) {
    std::optional<Element> element = pipelines_[piece / each]->next();
    if (!element) ++missing;
    elements[replica_of_piece_[piece]] = element ? std::move(*element) : without_rows(specs_);
  }
  if (missing == replicas || (missing > 0 && !goes_on_with_empty_replicas_)) return std::nullopt;
  return elements;
}

}  // namespace wt::data
