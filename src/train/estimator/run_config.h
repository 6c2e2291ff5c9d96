#pragma once
// tf.estimator.RunConfig of TensorFlow 2.15: where and how often an Estimator saves, which strategies train and evaluate,
// and which task of a cluster this process is, by TF_CONFIG. The error texts are TensorFlow's.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "cluster/tf_config.h"
#include "train/function.h"
#include "train/strategy.h"

namespace wt::train {

// A strategy with the resources that compute under it (distribute::Strategy has both).
struct Distribute {
  const Strategy* strategy = nullptr;  // null: none
  Resources* resources = nullptr;
};

struct RunConfigOptions {
  std::filesystem::path model_dir{};  // of the checkpoints
  std::uint64_t tf_random_seed = 1;
  std::int64_t save_summary_steps = 100;
  // One of the two at most; 600 s if neither is given. Numbers don't depend on wall time here, so a period in seconds
  // never ends within a training, which saves at its beginning and at its end.
  std::optional<std::int64_t> save_checkpoints_steps{};
  std::optional<std::int64_t> save_checkpoints_secs{};
  std::int64_t keep_checkpoint_max = 5;  // 0: all
  std::int64_t keep_checkpoint_every_n_hours = 10000;
  std::int64_t log_step_count_steps = 100;
  Distribute train_distribute{};
  Distribute eval_distribute{};
  cluster::TfConfig tf_config{};
  std::function<void(const std::string& line)>
      log{};  // receives what TensorFlow logs: "loss = 0.25, step = 0"
};

class RunConfig {
 public:
  // Throws device::ValueError for what TensorFlow refuses: numbers below 0, a cluster without a chief, a task that is not
  // in the cluster, and parameter servers with a coordinator.
  explicit RunConfig(RunConfigOptions options = {});

  const RunConfigOptions& options() const { return options_; }
  const std::string& task_type() const { return task_type_; }
  int task_id() const { return task_id_; }
  bool is_chief() const { return is_chief_; }
  const std::string& master() const { return master_; }  // "grpc://host1:2222"; empty: this process
  std::string evaluation_master() const { return ""; }
  std::int64_t num_worker_replicas() const { return worker_replicas_; }  // the chief among them
  std::int64_t num_ps_replicas() const { return ps_replicas_; }
  std::optional<int> global_id_in_cluster() const { return global_id_; }  // unset: an evaluator
  // Of the training: an evaluator is in no cluster.
  const cluster::ClusterSpec& cluster_spec() const { return cluster_spec_; }
  std::optional<std::int64_t> save_checkpoints_steps() const { return options_.save_checkpoints_steps; }
  std::optional<std::int64_t> save_checkpoints_secs() const;

 private:
  void take_task();
  void take_cluster();

  RunConfigOptions options_;
  cluster::ClusterSpec cluster_spec_{};
  std::string task_type_ = "worker";
  int task_id_ = 0;
  bool is_chief_ = true;
  std::string master_{};
  std::int64_t worker_replicas_ = 1;
  std::int64_t ps_replicas_ = 0;
  std::optional<int> global_id_ = 0;
};

}  // namespace wt::train
