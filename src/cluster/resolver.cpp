#include "cluster/resolver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/narrow.h"
#include "device/error.h"

namespace wt::cluster {

namespace {

using device::ValueError;

// Python's `left or right`: an empty text counts as absent.
std::optional<std::string> either(const std::optional<std::string>& left,
                                  const std::optional<std::string>& right) {
  return left && !left->empty() ? left : right;
}

void join_dictionaries(Job& merged, const Job& job) {
  std::vector<int> twice;
  for (const auto& [index, address] : job.tasks)
    if (!merged.tasks.emplace(index, address).second) twice.push_back(index);
  if (!twice.empty())
    throw KeyError(fmt::format("'Duplicate keys detected when merging two ClusterSpecs: {{{}}}'",
                               fmt::join(twice, ", ")));
}

void join_lists(Job& merged, const Job& job) {
  for (const auto& [index, address] : job.tasks)
    merged.tasks.emplace(narrow<int>(merged.tasks.size()), address);
}

}  // namespace

std::string format_master_url(const std::string& master, const std::optional<std::string>& rpc_layer) {
  return rpc_layer && !rpc_layer->empty() ? fmt::format("{}://{}", *rpc_layer, master) : master;
}

SimpleClusterResolver::SimpleClusterResolver(ClusterSpec spec, Arguments arguments)
    : spec_(std::move(spec)), arguments_(std::move(arguments)) {}

SimpleClusterResolver::SimpleClusterResolver(ClusterSpec spec) : spec_(std::move(spec)), arguments_() {}

std::string SimpleClusterResolver::master(const TaskArguments& task) const {
  const bool names_a_task = task.task_type && task.task_id;
  return format_master_url(
      names_a_task ? spec_.task_address(*task.task_type, *task.task_id) : arguments_.master,
      either(task.rpc_layer, arguments_.rpc_layer));
}

TFConfigClusterResolver::TFConfigClusterResolver(TfConfig config, Accelerators accelerators,
                                                 TaskArguments overrides)
    : config_(std::move(config)), accelerators_(std::move(accelerators)) {
  if (overrides.task_type) config_.task_type = std::move(overrides.task_type);
  if (overrides.task_id) config_.task_index = overrides.task_id;
  if (overrides.rpc_layer) config_.rpc_layer = std::move(overrides.rpc_layer);
}

std::string TFConfigClusterResolver::master(const TaskArguments& task) const {
  if (config_.session_master) return *config_.session_master;
  const std::vector<Job>& jobs = config_.cluster.as_dict();
  if (jobs.empty() || (jobs.size() == 1 && jobs[0].tasks.size() == 1)) return "";
  const auto type = task.task_type ? task.task_type : config_.task_type;
  const auto id = task.task_id ? task.task_id : config_.task_index;
  if (!type) throw ValueError("No such job in cluster: None");
  if (!id) throw ValueError(fmt::format("No task with index None in job {}", python_repr(*type)));
  return format_master_url(config_.cluster.task_address(*type, *id),
                           task.rpc_layer ? task.rpc_layer : config_.rpc_layer);
}

UnionResolver::UnionResolver(std::vector<std::shared_ptr<const ClusterResolver>> resolvers,
                             TaskArguments overrides)
    : resolvers_(std::move(resolvers)), overrides_(std::move(overrides)) {
  if (resolvers_.empty()) throw ValueError("At least one ClusterResolver is required.");
}

ClusterSpec UnionResolver::cluster_spec() const {
  std::vector<Job> merged;
  std::vector<ClusterSpec> specs;
  for (const auto& resolver : resolvers_) specs.push_back(resolver->cluster_spec());
  const auto is_list_everywhere = [&](const std::string& name) {
    return std::all_of(specs.begin(), specs.end(), [&](const ClusterSpec& spec) {
      const Job* job = spec.find(name);
      return job == nullptr || (is_dense(*job) && !job->tasks.empty());
    });
  };
  for (const ClusterSpec& spec : specs) {
    for (const Job& job : spec.as_dict()) {
      auto found =
          std::find_if(merged.begin(), merged.end(), [&](const Job& one) { return one.name == job.name; });
      if (found == merged.end()) found = merged.insert(found, {.name = job.name});
      is_list_everywhere(job.name) ? join_lists(*found, job) : join_dictionaries(*found, job);
    }
  }
  return ClusterSpec(std::move(merged));
}

std::string UnionResolver::master(const TaskArguments& task) const {
  if (!task.task_type || !task.task_id) return first().master({.rpc_layer = task.rpc_layer});
  return format_master_url(cluster_spec().task_address(*task.task_type, *task.task_id),
                           either(task.rpc_layer, overrides_.rpc_layer));
}

std::optional<std::string> UnionResolver::task_type() const {
  return either(overrides_.task_type, first().task_type());
}

// An override with 0 has no effect, as in TensorFlow, whose `or` treats 0 as absent.
std::optional<int> UnionResolver::task_id() const {
  return overrides_.task_id.value_or(0) != 0 ? overrides_.task_id : first().task_id();
}

std::optional<std::string> UnionResolver::rpc_layer() const {
  return either(overrides_.rpc_layer, first().rpc_layer());
}

}  // namespace wt::cluster
