#include "data/distribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/tensorflow_error.h"
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

}  // namespace

Distribution of_one_batch(Distribution distribution) {
  distribution.each_worker_shards = false;
  const bool by_file =
      distribution.policy == AutoShardPolicy::file || distribution.policy == AutoShardPolicy::automatic;
  if (distribution.is_from_files && by_file) distribution.policy = AutoShardPolicy::off;
  return distribution;
}

std::int64_t InputContext::per_replica_batch_size(std::int64_t global_batch_size) const {
  if (global_batch_size % replicas_in_sync != 0)
    throw ValueError(fmt::format("The `global_batch_size` {} is not divisible by `num_replicas_in_sync` {}",
                                 global_batch_size, replicas_in_sync));
  return global_batch_size / replicas_in_sync;
}

std::string print(const InputContext& context) {
  return fmt::format("tf.distribute.InputContext(input pipeline id {}, total: {})", context.input_pipeline,
                     context.input_pipelines);
}

DistributedDataset::DistributedDataset(const Distribution& distribution) : distribution_(distribution) {
  require_even_workers(distribution_);
}

// The even rule needs a known batch size. The policy DATA selects the legacy rule, even if there is only one worker and
// therefore nothing to shard. With the policies DATA and OFF all workers read the same dataset.
DistributedDataset::DistributedDataset(const Dataset& dataset, const Distribution& distribution)
    : DistributedDataset(distribution) {
  const std::int64_t workers = distribution_.workers;
  policy_ = applied(distribution_.policy, dataset);
  files_ = dataset.files() == nullptr ? 0 : dataset.files()->count;
  const bool shards_before = distribution_.each_worker_shards && dataset.node()->with_shard;
  is_sharded_before_ = dataset.node()->is_sharded || shards_before;
  const bool is_own = policy_ == AutoShardPolicy::file || policy_ == AutoShardPolicy::hint || shards_before;
  if (policy_ == AutoShardPolicy::file && files_ > 0 && files_ < workers)
    throw InputError(
        fmt::format("Could not apply FILE based sharding: the dataset only has {} file(s), which is not "
                    "enough for the required {} shards/workers",
                    files_, workers),
        "use at least as many files as workers, or the policy DATA or OFF");
  const bool by_elements = policy_ == AutoShardPolicy::data;
  for (std::int64_t worker = 0; worker < (is_own ? workers : 1); ++worker) {
    const Dataset own = shards_before ? dataset.node()->with_shard(workers, worker) : dataset;
    pipelines_.push_back(is_own && !by_elements ? auto_shard(own, {policy_, workers, worker}) : own);
  }
  piece_specs_ = dataset.specs();
  if (distribution_.replicas == 1) return;
  require_rows();
  shards_pieces_ = by_elements && !shards_before;
  shards_own_pieces_ = by_elements && shards_before;
  rebatch_ = by_elements || !dataset.batch_size() ? Rebatch::legacy : Rebatch::even;
  piece_specs_ = in_pieces(dataset, 0).specs();
}

DistributedDataset DistributedDataset::from_function(
    const std::function<Dataset(const InputContext&)>& function, Distribution distribution,
    InputReplication replication) {
  if (replication == InputReplication::per_replica) distribution.workers = distribution.replicas;
  DistributedDataset distributed(distribution);
  for (std::int64_t pipeline = 0; pipeline < distribution.workers; ++pipeline)
    distributed.pipelines_.push_back(function({distribution.workers, pipeline, distribution.replicas}));
  distributed.piece_specs_ = distributed.pipelines_.front().specs();
  return distributed;
}

void DistributedDataset::require_rows() const {
  for (const ComponentSpec& spec : piece_specs_)
    if (spec.extents.empty())
      throw InputError(
          "Invalid `input_dataset`. Expected a dataset whose elements have rank >= 1 but found a "
          "dataset whose elements are scalars",
          "Fix the issue by adding the `batch` transformation to the dataset.");
}

std::string DistributedDataset::element_spec(const std::vector<std::string>& names) const {
  return data::element_spec(piece_specs_, distribution_.replicas, names);
}

std::vector<std::int64_t> DistributedDataset::files_of(std::int64_t worker) const {
  const bool is_sharded = policy_ == AutoShardPolicy::file;
  std::vector<std::int64_t> own;
  for (std::int64_t file = is_sharded ? worker : 0; file < files_;
       file += is_sharded ? distribution_.workers : 1)
    own.push_back(file);
  return own;
}

// Whether all shapes of the pieces are known.
bool DistributedDataset::has_static_shapes() const {
  return std::ranges::all_of(piece_specs_, [](const ComponentSpec& spec) {
    return std::ranges::count(spec.extents, unknown_extent) == 0;
  });
}

std::size_t DistributedDataset::streams() const {
  return shards_pieces_ ? 1 : static_cast<std::size_t>(distribution_.workers);
}

const Dataset& DistributedDataset::pipeline_of(std::size_t worker) const {
  return pipelines_[std::min(worker, pipelines_.size() - 1)];
}

// A single stream gives one batch to each step, so that batches can be passed over without being read.
DistributedIterator DistributedDataset::iterate(std::uint64_t epoch, std::int64_t skipped) const {
  if (check_iteration_) check_iteration_();
  DistributedIterator iterator;
  const bool skips_batches = streams() == 1 && skipped > 0;
  for (std::size_t stream = 0; stream < streams(); ++stream) {
    const Dataset& batches = pipeline_of(stream);
    iterator.pipelines_.push_back(
        in_pieces(skips_batches ? batches.skip(skipped) : batches, stream).iterate(epoch));
  }
  iterator.replica_of_piece_ = replica_of_piece();
  iterator.specs_ = piece_specs_;
  iterator.goes_on_with_empty_replicas_ = goes_on_with_empty_replicas();
  for (std::int64_t step = 0; !skips_batches && step < skipped; ++step)
    if (!iterator.next()) break;
  iterator.check_ = check_;
  return iterator;
}

bool DistributedDataset::goes_on_with_empty_replicas() const {
  return distribution_.goes_on_with_empty_replicas && (!has_static_shapes() || distribution_.workers > 1);
}

std::vector<std::int64_t> DistributedDataset::sizes_of(std::size_t pipeline) const {
  return worker_sizes(*pipelines_.front().batch_size(), distribution_.replicas, distribution_.workers,
                      static_cast<std::int64_t>(pipeline));
}

Dataset DistributedDataset::in_pieces(const Dataset& batches, std::size_t pipeline) const {
  if (rebatch_ == Rebatch::none) return batches;
  if (rebatch_ == Rebatch::even) return batches.rebatch(sizes_of(pipeline));
  const Dataset pieces = batches.split_batches(distribution_.replicas);
  if (!shards_own_pieces_) return pieces;
  return pieces.shard(distribution_.workers, static_cast<std::int64_t>(pipeline));
}

namespace {

// The number of pieces that the even rule makes of `rows` rows. The first that lacks all its rows ends them.
std::int64_t pieces_of(std::int64_t rows, const std::vector<std::int64_t>& sizes) {
  const std::int64_t cycle = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (cycle == 0) return 0;
  std::int64_t pieces = rows / cycle * std::ssize(sizes), left = rows % cycle;
  for (std::size_t turn = 0; left > 0 || sizes[turn % sizes.size()] == 0; ++turn, ++pieces)
    left -= sizes[turn % sizes.size()];
  return pieces;
}

}  // namespace

std::int64_t DistributedDataset::pieces_of_pipeline(std::size_t pipeline) const {
  const Dataset& dataset = pipeline_of(pipeline);
  if (rebatch_ == Rebatch::even && dataset.rows() >= 0) return pieces_of(dataset.rows(), sizes_of(pipeline));
  const std::int64_t all = dataset.cardinality() * (rebatch_ == Rebatch::none ? 1 : distribution_.replicas);
  return shards_own_pieces_ ? all / distribution_.workers : all;
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

std::int64_t DistributedDataset::steps_of(std::int64_t worker) const {
  const auto pipeline = static_cast<std::size_t>(streams() == 1 ? 0 : worker);
  const std::int64_t given = pipeline_of(pipeline).cardinality();
  if (given < 0) return given;
  const std::int64_t each = distribution_.replicas / static_cast<std::int64_t>(streams());
  return (pieces_of_pipeline(pipeline) + each - 1) / each;
}

namespace {

// The elements are rows of a source that no `batch` has joined, and their own first axis is that of a row.
bool are_single_rows(const Dataset& dataset) {
  const Node& node = *dataset.node();
  return node.rows != nullptr && node.rows->count() > 1 && !node.batch_size;
}

}  // namespace

std::vector<Problem> DistributedDataset::warnings() const {
  std::vector<Problem> warnings;
  const auto warn = [&](std::string fact, std::string remedy) {
    warnings.push_back({{}, std::move(fact), std::move(remedy)});
  };
  const std::int64_t workers = distribution_.workers;
  if (is_sharded_before_ && workers > 1 && policy_ != AutoShardPolicy::off &&
      policy_ != AutoShardPolicy::hint)
    warn(fmt::format(
             "the data is sharded twice: by `shard`, and by the policy {} among {} workers, so that each "
             "worker gets a part of a part",
             name(policy_), workers),
         "leave `shard` out, or choose the policy OFF");
  if (rebatch_ != Rebatch::none && are_single_rows(pipelines_.front()))
    warn(fmt::format("the rows are not batched: each row is split along its own first axis over {} replicas",
                     distribution_.replicas),
         "add the `batch` transformation, with the rows of all replicas together");
  if (streams() == 1) return warnings;
  std::int64_t least = 0, most = 0;
  for (std::int64_t worker = 0; worker < workers; ++worker) {
    if (steps_of(worker) < 0) return warnings;
    if (steps_of(worker) < steps_of(least)) least = worker;
    if (steps_of(worker) > steps_of(most)) most = worker;
  }
  if (steps_of(least) < steps_of(most))
    warn(fmt::format("workers get unequal inputs: worker {} has batches for {} steps, and worker {} for {}",
                     most, steps_of(most), least, steps_of(least)),
         "give the workers equal numbers of rows, or repeat the data and state the steps of an epoch");
  return warnings;
}

std::optional<std::vector<Element>> DistributedIterator::next() { return step(goes_on_with_empty_replicas_); }

std::vector<Element> DistributedIterator::get_next() {
  std::optional<std::vector<Element>> elements = next();
  if (!elements) throw OutOfRangeError("End of sequence");
  return *std::move(elements);
}

std::optional<std::vector<Element>> DistributedIterator::get_next_as_optional() { return step(true); }

std::optional<std::vector<Element>> DistributedIterator::step(bool goes_on_with_empty_replicas) {
  if (check_) check_();
  const std::size_t replicas = replica_of_piece_.size();
  const std::size_t each = replicas / pipelines_.size();
  std::vector<Element> elements(replicas);
  std::size_t missing = 0;
  for (std::size_t piece = 0; piece < replicas; ++piece) {
    std::optional<Element> element = pipelines_[piece / each].next();
    if (!element) ++missing;
    elements[replica_of_piece_[piece]] = element ? std::move(*element) : without_rows(specs_);
  }
  if (missing == replicas || (missing > 0 && !goes_on_with_empty_replicas)) return std::nullopt;
  return elements;
}

}  // namespace wt::data
