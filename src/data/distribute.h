#pragma once
// Distributes a dataset of global batches over the replicas of a strategy, as experimental_distribute_dataset
// of TensorFlow does: each step gives every replica one element. With a global batch of 10 rows and 2
// replicas, a step gives {rows 0-4, rows 5-9}. Batches are split into one piece per replica (split.h), and
// the pieces or the files are sharded over the input pipelines, one per worker.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/split.h"

namespace wt::data {

// tf.data.experimental.AutoShardPolicy with its numbers. HINT is missing because this Dataset has no `shard`,
// to which the hint would apply.
enum class AutoShardPolicy : std::int8_t { off = -1, automatic = 0, file = 1, data = 2 };
std::string_view name(AutoShardPolicy policy);  // "AUTO"

// How a dataset is distributed.
struct Distribution {
  std::int64_t replicas = 1;  // num_replicas_in_sync: the replicas of all workers
  std::int64_t workers = 1;   // the number of input pipelines, which must divide the number of replicas
  AutoShardPolicy policy = AutoShardPolicy::automatic;

  // If true, the iteration continues while at least one replica has rows, and the other replicas get elements
  // with 0 rows ("get next as optional" in TensorFlow). This is the behaviour of the mirrored, multi-worker
  // mirrored and TPU strategies. If false, the iteration ends when the first replica has no piece, as under
  // central storage and parameter servers.
  bool goes_on_with_empty_replicas = true;
  bool is_from_files =
      false;  // whether the batches that are distributed were read from files; see of_one_batch
};

// How a batch is distributed that was taken from such a dataset and stands alone now: into pieces of the same sizes, if
// the batch is whole.
Distribution of_one_batch(Distribution distribution);

// tf.distribute.InputContext: the argument of a dataset function, which builds the dataset of one input
// pipeline.
struct InputContext {
  std::int64_t input_pipelines = 1;
  std::int64_t input_pipeline = 0;  // the number of the pipeline that is built
  std::int64_t replicas_in_sync = 1;

  // The global batch size divided by the number of replicas. Throws InputError with TensorFlow's text if that
  // leaves a remainder.
  std::int64_t per_replica_batch_size(std::int64_t global_batch_size) const;
};

// tf.distribute.InputReplicationMode: one input pipeline per worker, or one per replica.
enum class InputReplication : std::uint8_t { per_worker, per_replica };

// One iteration over a distributed dataset.
class DistributedIterator {
 public:
  // The elements of the next step, one for each replica of all workers in the order of the replicas. Elements
  // may have 0 rows. Nothing after the last step.
  std::optional<std::vector<Element>> next();

  // The replicas in the order of their rows in the global batch. It differs from 0, 1, 2, ... if several
  // workers shard the pieces of one dataset, because consecutive pieces then go to different workers.
  std::span<const std::size_t> replicas_by_rows() const { return replica_of_piece_; }

 private:
  friend class DistributedDataset;
  std::vector<std::unique_ptr<Pieces>> pipelines_{};
  std::vector<std::size_t> replica_of_piece_{};  // by the position of the piece in the step
  std::vector<ComponentSpec> specs_{};
  bool goes_on_with_empty_replicas_ = true;
};

// tf.distribute.DistributedDataset. Batches for a single replica are not split. Batches for several replicas
// are split by the even rule or the legacy rule of split.h:
//
//                                     AUTO     FILE     DATA     OFF
//   rows in memory or generated       legacy   error    legacy   even
//   rows from files                   even     even     legacy   even
//
// A dataset that is read from files (Dataset::files) is dealt out like Files. The legacy rule also applies if the
// batch size can't be inferred (Dataset::batch_size).
class DistributedDataset {
 public:
  // The constructors throw InputError in the cases in which TensorFlow raises an error: the number of workers
  // doesn't divide the number of replicas, elements are scalars, there are fewer files than workers, or the
  // policy is FILE and the rows don't come from files.
  DistributedDataset(const Dataset& dataset, const Distribution& distribution);
  DistributedDataset(const Files& files, const Distribution& distribution);

  // distribute_datasets_from_function: `function` is called once per input pipeline. Batches are neither
  // split nor sharded; consecutive batches of a pipeline go to its replicas in turn.
  static DistributedDataset from_function(const std::function<Dataset(const InputContext&)>& function,
                                          Distribution distribution,
                                          InputReplication replication = InputReplication::per_worker);

  Rebatch rebatch() const { return rebatch_; }  // the rule by which batches are split

  // The number of steps of an epoch, or one of the special values of Dataset::cardinality. Workers that read files of
  // their own have different numbers of rows, and workers that shard nothing each read all of them.
  std::int64_t steps() const;
  // Begins behind the first `skipped` steps. Workers that each read rows of their own pass different rows over.
  DistributedIterator iterate(std::uint64_t epoch = 0, std::int64_t skipped = 0) const;

 private:
  explicit DistributedDataset(const Distribution& distribution);
  void deal_files(const Files& files);
  void require_batches() const;
  bool has_static_shapes() const;
  bool goes_on_with_empty_replicas() const;
  std::vector<std::int64_t> sizes_of(std::size_t pipeline) const;
  std::int64_t pieces_of_pipeline(std::size_t pipeline) const;
  std::size_t streams() const;  // the number of datasets that are read side by side
  std::unique_ptr<Pieces> pieces(std::size_t pipeline, std::uint64_t epoch,
                                 std::int64_t skipped_batches) const;
  std::vector<std::size_t> replica_of_piece() const;

  Distribution distribution_;
  Rebatch rebatch_ = Rebatch::none;
  std::vector<Dataset> pipelines_{};  // one dataset for all workers, or one per worker
  bool shards_pieces_ = false;
};

}  // namespace wt::data
