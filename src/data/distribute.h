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

#include "data/autoshard.h"
#include "data/split.h"

namespace wt::data {

// How a dataset is distributed.
struct Distribution {
  std::int64_t replicas = 1;  // num_replicas_in_sync: the replicas of all workers
  std::int64_t workers = 1;   // the number of input pipelines, which must divide the number of replicas
  AutoShardPolicy policy = AutoShardPolicy::automatic;
  // The program in each worker replaces the hints of the dataset's shard by itself, before the policy applies.
  bool each_worker_shards = false;

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

  // The global batch size divided by the number of replicas. Throws ValueError if that leaves a remainder.
  std::int64_t per_replica_batch_size(std::int64_t global_batch_size) const;
};
// "tf.distribute.InputContext(input pipeline id 0, total: 1)"
std::string print(const InputContext& context);

// tf.distribute.InputReplicationMode: one input pipeline per worker, or one per replica.
enum class InputReplication : std::uint8_t { per_worker, per_replica };

// tf.distribute.InputOptions. Where elements are kept and how many are made ahead changes no element; which of the options
// a strategy takes is in distribute/input_options.h.
struct InputOptions {
  bool fetch_to_device = true;
  InputReplication replication_mode = InputReplication::per_worker;
  bool place_dataset_on_device = false;
  std::int64_t per_replica_buffer_size = 1;
};

// One iteration over a distributed dataset.
class DistributedIterator {
 public:
  // The elements of the next step, one for each replica of all workers in the order of the replicas. Elements
  // may have 0 rows. Nothing after the last step.
  std::optional<std::vector<Element>> next();
  // The same, but throws OutOfRangeError after the last step.
  std::vector<Element> get_next();
  // The same as next(), except that a step is given as long as one replica has rows, whatever the strategy.
  std::optional<std::vector<Element>> get_next_as_optional();

  // The replicas in the order of their rows in the global batch. It differs from 0, 1, 2, ... if several
  // workers shard the pieces of one dataset, because consecutive pieces then go to different workers.
  std::span<const std::size_t> replicas_by_rows() const { return replica_of_piece_; }

 private:
  friend class DistributedDataset;
  std::optional<std::vector<Element>> step(bool goes_on_with_empty_replicas);

  std::vector<Iterator> pipelines_{};
  std::vector<std::size_t> replica_of_piece_{};  // by the position of the piece in the step
  std::vector<ComponentSpec> specs_{};
  bool goes_on_with_empty_replicas_ = true;
  std::function<void()> check_{};
};

// tf.distribute.DistributedDataset. Batches for a single replica are not split. Batches for several replicas
// are split by the even rule or the legacy rule of split.h:
//
//                                     AUTO     FILE     DATA     HINT     OFF
//   rows in memory or generated       legacy   even     legacy   even     even
//   rows from files                   even     even     legacy   even     even
//
// The legacy rule also applies if the batch size can't be inferred (Dataset::batch_size).
class DistributedDataset {
 public:
  // Throws InputError in the cases in which TensorFlow raises an error: the number of workers doesn't divide the number
  // of replicas, elements are scalars, there are fewer files than workers, or the policy is FILE for several workers and
  // the rows don't come from files.
  DistributedDataset(const Dataset& dataset, const Distribution& distribution);

  // distribute_datasets_from_function: `function` is called once per input pipeline. Batches are neither
  // split nor sharded; consecutive batches of a pipeline go to its replicas in turn.
  static DistributedDataset from_function(const std::function<Dataset(const InputContext&)>& function,
                                          Distribution distribution,
                                          InputReplication replication = InputReplication::per_worker);

  Rebatch rebatch() const { return rebatch_; }        // the rule by which batches are split
  AutoShardPolicy policy() const { return policy_; }  // what AUTO became
  // What a replica gets, and the same as TensorFlow prints it for all replicas.
  const std::vector<ComponentSpec>& specs() const { return piece_specs_; }
  std::string element_spec(const std::vector<std::string>& names = {}) const;
  // The numbers of the files that the worker reads. All of them unless files are sharded; none without files.
  std::vector<std::int64_t> files_of(std::int64_t worker) const;
  // The number of batches that a worker's pipeline gives to each of its replicas; or a special value.
  std::int64_t steps_of(std::int64_t worker) const;
  // What TensorFlow does without a word and a program rarely wants: data that is sharded twice, workers that get unequal
  // numbers of batches, rows that were never batched and are split along their own first axis.
  std::vector<Problem> warnings() const;

  // Called before each step of an iteration, to throw where the program may not take one.
  void check_before_steps(std::function<void()> check) { check_ = std::move(check); }
  // Called at the beginning of an iteration, to throw where the program may not begin one.
  void check_before_iterations(std::function<void()> check) { check_iteration_ = std::move(check); }

  // The number of steps of an epoch, or one of the special values of Dataset::cardinality. Workers that read files of
  // their own have different numbers of rows, and workers that shard nothing each read all of them.
  std::int64_t steps() const;
  // Begins behind the first `skipped` steps. Workers that each read rows of their own pass different rows over.
  DistributedIterator iterate(std::uint64_t epoch = 0, std::int64_t skipped = 0) const;

 private:
  explicit DistributedDataset(const Distribution& distribution);
  void require_rows() const;
  bool has_static_shapes() const;
  bool goes_on_with_empty_replicas() const;
  std::vector<std::int64_t> sizes_of(std::size_t pipeline) const;
  std::int64_t pieces_of_pipeline(std::size_t pipeline) const;
  const Dataset& pipeline_of(std::size_t worker) const;
  std::size_t streams() const;  // the number of datasets that are read side by side
  Dataset in_pieces(const Dataset& batches, std::size_t pipeline) const;
  std::vector<std::size_t> replica_of_piece() const;

  Distribution distribution_;
  AutoShardPolicy policy_ = AutoShardPolicy::off;
  Rebatch rebatch_ = Rebatch::none;
  std::vector<Dataset> pipelines_{};  // one dataset for all workers, or one per worker
  std::vector<ComponentSpec> piece_specs_{};
  std::int64_t files_ = 0;  // of the dataset
  bool is_sharded_before_ = false;
  bool shards_pieces_ = false;      // of one dataset that all workers read
  bool shards_own_pieces_ = false;  // the same where each worker reads another one
  std::function<void()> check_{};
  std::function<void()> check_iteration_{};
};

}  // namespace wt::data
