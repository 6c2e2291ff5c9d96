#include "train/estimator/run_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "cluster/roles.h"
#include "train/errors.h"

namespace wt::train {

namespace {

using device::ValueError;

void require_none_below_0(const RunConfigOptions& options) {
  const std::pair<std::string_view, std::optional<std::int64_t>> numbers[] = {
      {"save_summary_steps", options.save_summary_steps},
      {"save_checkpoints_steps", options.save_checkpoints_steps},
      {"save_checkpoints_secs", options.save_checkpoints_secs},
      {"keep_checkpoint_max", options.keep_checkpoint_max},
      {"keep_checkpoint_every_n_hours", options.keep_checkpoint_every_n_hours},
      {"log_step_count_steps", options.log_step_count_steps}};
  for (const auto& [name, number] : numbers) {
    const bool is_positive = name == "keep_checkpoint_every_n_hours" || name == "log_step_count_steps";
    if (number && *number < (is_positive ? 1 : 0))
      throw ValueError(fmt::format("{} should be {} 0", name, is_positive ? ">" : ">="));
  }
}

void require_no_coordinator(const Distribute& distribute) {
  constexpr std::string_view with_coordinator = "ParameterServerStrategyV2";
  if (distribute.strategy != nullptr && with_coordinator == distribute.strategy->name())
    throw ValueError(
        "Please use `tf.compat.v1.distribute.experimental.ParameterServerStrategy` for parameter server "
        "strategy with estimator.");
}

void require_member(const cluster::ClusterSpec& spec, const std::string& type, int id) {
  constexpr std::string_view source =
      "Note that these values may be coming from the TF_CONFIG environment variable.";
  if (spec.find(type) == nullptr)
    throw ValueError(
        fmt::format("{} is not a valid task_type in the cluster_spec:\n{}\n\n{}", type, print(spec), source));
  if (id >= spec.num_tasks(type))
    throw ValueError(fmt::format("{} is not a valid task_id for task_type {} in the cluster_spec:\n{}\n\n{}",
                                 id, type, print(spec), source));
}

// The chief, the other jobs by name, then the servers.
int id_among_all(const cluster::ClusterSpec& spec, const std::string& type, int id) {
  std::vector<std::string> jobs = spec.jobs();
  const auto rank = [](const std::string& job) { return job == "chief" ? 0 : job == "ps" ? 2 : 1; };
  std::ranges::sort(jobs, [&](const std::string& a, const std::string& b) {
    return std::pair(rank(a), a) < std::pair(rank(b), b);
  });
  int before = 0;
  for (const std::string& job : jobs) {
    if (job == type) break;
    before += spec.num_tasks(job);
  }
  return before + id;
}

}  // namespace

RunConfig::RunConfig(RunConfigOptions options) : options_(std::move(options)) {
  if (options_.save_checkpoints_steps && options_.save_checkpoints_secs)
    throw ValueError("`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set.");
  require_no_coordinator(options_.train_distribute);
  require_no_coordinator(options_.eval_distribute);
  require_none_below_0(options_);
  if (options_.tf_config.cluster.is_empty())
    take_task();
  else
    take_cluster();
}

std::optional<std::int64_t> RunConfig::save_checkpoints_secs() const {
  if (options_.save_checkpoints_steps) return std::nullopt;
  return options_.save_checkpoints_secs.value_or(600);
}

// Without a cluster.
void RunConfig::take_task() {
  if (options_.tf_config.task_type.value_or("worker") != "worker")
    throw ValueError("If \"cluster\" is not set in TF_CONFIG, task type must be WORKER.");
  if (options_.tf_config.task_index.value_or(0) != 0)
    throw ValueError("If \"cluster\" is not set in TF_CONFIG, task index must be 0.");
}

// The number of an evaluator is checked by train_and_evaluate.
void RunConfig::take_cluster() {
  const cluster::TfConfig& given = options_.tf_config;
  const bool is_evaluator = given.task_type == "evaluator";
  const std::optional<int> checked =
      is_evaluator && given.task_index && *given.task_index >= 0 ? std::optional(0) : given.task_index;
  cluster::validate_for_estimator(given.cluster, given.task_type, checked);
  task_type_ = *given.task_type;
  task_id_ = *given.task_index;
  is_chief_ = task_type_ == "chief";
  if (is_evaluator) {
    worker_replicas_ = 0;
    global_id_.reset();
    return;
  }
  cluster_spec_ = given.cluster;
  require_member(cluster_spec_, task_type_, task_id_);
  worker_replicas_ =
      cluster::task_count(cluster_spec_, "worker") + cluster::task_count(cluster_spec_, "chief");
  ps_replicas_ = cluster::task_count(cluster_spec_, "ps");
  global_id_ = id_among_all(cluster_spec_, task_type_, task_id_);
  const std::vector<std::string> jobs = cluster_spec_.jobs();
  const bool is_alone = jobs.size() == 1 && cluster_spec_.num_tasks(jobs.front()) == 1;
  if (given.session_master)
    master_ = *given.session_master;
  else if (!is_alone)
    master_ = "grpc://" + cluster_spec_.task_address(task_type_, task_id_);
}

}  // namespace wt::train
