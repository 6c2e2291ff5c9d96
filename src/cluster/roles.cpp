#include "cluster/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/narrow.h"
#include "base/suggest.h"
#include "device/error.h"

namespace wt::cluster {

namespace {

using device::ValueError;

constexpr std::array<std::string_view, 4> task_types = {"chief", "worker", "evaluator", "ps"};
constexpr std::string_view task_types_in_python = "('chief', 'worker', 'evaluator', 'ps', None)";
constexpr std::array<std::string_view, 2> alone = {"chief", "evaluator"};  // jobs of at most one task

bool is_task_type(std::string_view name) {
  return std::find(task_types.begin(), task_types.end(), name) != task_types.end();
}

// Jobs with names that TensorFlow does not allow.
void add_faults_of_jobs(const ClusterSpec& spec, std::vector<Fault>& found) {
  for (const Job& job : spec.as_dict()) {
    if (is_task_type(job.name)) continue;
    found.push_back({Fault::About::job, job.name,
                     fmt::format("Disallowed task type found in cluster spec. Allowed types are {} and the "
                                 "cluster spec is {}.",
                                 task_types_in_python, print(spec)),
                     did_you_mean(job.name, task_types)});
  }
}

// A task type that does not exist, or whose job is not in the cluster. An evaluator need not be in it.
void add_faults_of_type(const ClusterSpec& spec, const std::string& type, std::vector<Fault>& found) {
  if (!is_task_type(type)) {
    found.push_back(
        {Fault::About::task_type, type,
         fmt::format("Unrecognized task_type: {}, valid task types are: {}", type, task_types_in_python),
         did_you_mean(type, task_types)});
  } else if (spec.find(type) == nullptr && type != "evaluator") {
    const std::vector<std::string> jobs = spec.jobs();
    const std::vector<std::string_view> known(jobs.begin(), jobs.end());
    found.push_back({Fault::About::task_type, type,
                     fmt::format("`task_type` {} not found in cluster_spec.", python_repr(type)),
                     jobs.empty() ? "give the cluster this job" : list_known(known)});
  }
}

// More than one chief or evaluator.
void add_faults_of_counts(const ClusterSpec& spec, std::vector<Fault>& found) {
  for (const std::string_view job : alone) {
    if (task_count(spec, job) <= 1) continue;
    found.push_back({Fault::About::job, std::string(job),
                     fmt::format("There must be at most one '{}' job.", job), "leave one address"});
  }
}

// An index beyond the tasks of its job.
void add_faults_of_id(const ClusterSpec& spec, const std::string& type, int id, std::vector<Fault>& found) {
  const int count = task_count(spec, type);
  if (spec.find(type) == nullptr || id < count) return;
  found.push_back({Fault::About::task_index, type,
                   fmt::format("The `task_id` {} exceeds the maximum id of {}.", id, type),
                   count == 0 ? "the job has no tasks" : fmt::format("indices run from 0 to {}", count - 1)});
}

}  // namespace

std::vector<Fault> faults(const ClusterSpec& spec, const std::optional<std::string>& task_type,
                          std::optional<int> task_id) {
  std::vector<Fault> found;
  add_faults_of_jobs(spec, found);
  if (task_type) add_faults_of_type(spec, *task_type, found);
  add_faults_of_counts(spec, found);
  if (task_type && task_id) add_faults_of_id(spec, *task_type, *task_id, found);
  return found;
}

std::string fault_of_own_address(const std::string& address) {
  const std::string port = address.substr(address.rfind(':') + 1);
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error == std::errc{} && end == port.data() + port.size()) return "";
  return fmt::format("Could not parse port for local server from \"{}\".", address);
}

void validate(const ClusterSpec& spec, const std::string& task_type, int task_id) {
  const std::vector<Fault> found = faults(spec, task_type, task_id);
  if (!found.empty()) throw ValueError(found.front().text);
}

int task_count(const ClusterSpec& spec, std::string_view job) {
  const Job* found = spec.find(job);
  return found == nullptr ? 0 : narrow<int>(found->tasks.size());
}

bool is_chief(const ClusterSpec& spec, const std::string& task_type, int task_id) {
  validate(spec, task_type, task_id);
  if (task_type == "chief" || task_type == "evaluator") return true;
  return spec.find("chief") == nullptr && task_type == "worker" && task_id == 0;
}

int worker_count(const ClusterSpec& spec, const std::string& task_type) {
  validate(spec, task_type, 0);
  if (task_type == "ps") throw ValueError("Unexpected `task_type` 'ps'");
  if (task_type == "evaluator") {
    if (spec.find("evaluator") == nullptr) throw KeyError("'evaluator'");
    return task_count(spec, "evaluator");
  }
  return task_count(spec, "chief") + task_count(spec, "worker");
}

int id_in_cluster(const ClusterSpec& spec, const std::string& task_type, int task_id) {
  validate(spec, task_type, task_id);
  if (task_type == "ps") throw ValueError("There is no id for task_type 'ps'");
  if (task_type == "chief") return 0;
  return task_type == "worker" ? task_id + task_count(spec, "chief") : task_id;
}

std::string collective_leader(const ClusterSpec& spec, const std::string& task_type, int task_id) {
  if (spec.is_empty()) return "";
  validate(spec, task_type, task_id);
  if (task_type == "evaluator") return "";
  for (const std::string_view leader : {"chief", "worker"})
    if (spec.find(leader) != nullptr) return fmt::format("/job:{}/replica:0/task:0", leader);
  throw ValueError("There must be at least one worker.");
}

void validate_for_estimator(const ClusterSpec& spec, const std::optional<std::string>& task_type,
                            std::optional<int> task_id) {
  if (spec.is_empty()) return;
  if (spec.find("chief") == nullptr)
    throw ValueError("If \"cluster\" is set in TF_CONFIG, it must have one \"chief\" node.");
  if (task_count(spec, "chief") > 1)
    throw ValueError("The \"cluster\" in TF_CONFIG must have only one \"chief\" node.");
  if (!task_type) throw ValueError("If \"cluster\" is set in TF_CONFIG, task type must be set.");
  if (!task_id) throw ValueError("If \"cluster\" is set in TF_CONFIG, task index must be set.");
  if (*task_id < 0) throw ValueError("Task index must be non-negative number.");
  if (*task_type == "evaluator" && *task_id > 0)
    throw ValueError(
        fmt::format("For distributed training, there can only be one `evaluator` task (with task "
                    "id 0).  Given task id {}",
                    *task_id));
}

}  // namespace wt::cluster
