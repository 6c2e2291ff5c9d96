#include "cluster/slurm_resolver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "base/narrow.h"
#include "device/error.h"

namespace wt::cluster {

namespace {

using device::RuntimeError;
using device::ValueError;

constexpr std::int64_t most_of_a_step = 1 << 20;  // TensorFlow would take more, until the memory is full

// Python's int(text): spaces around the number, a sign, and single underscores between digits are legal.
std::int64_t python_int(const std::string& text) {
  constexpr std::string_view spaces = " \t\n\v\f\r";
  const std::size_t begin = std::min(text.find_first_not_of(spaces), text.size());
  std::string number = text.substr(begin, text.find_last_not_of(spaces) + 1 - begin);
  if (number.starts_with('+') && !number.starts_with("+-")) number.erase(0, 1);
  const bool has_stray_underscore = number.starts_with('_') || number.starts_with("-_") ||
                                    number.ends_with('_') || number.find("__") != number.npos;
  std::erase(number, '_');
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (!has_stray_underscore && error == std::errc{} && end == number.data() + number.size()) return value;
  throw ValueError(fmt::format("invalid literal for int() with base 10: {}", python_repr(text)));
}

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) c == separator ? void(parts.emplace_back()) : parts.back().push_back(c);
  return parts;
}

// Python's assert has no text.
void require(bool condition, const std::string& text = "") {
  if (!condition) throw ValueError(text);
}

void require_room(std::int64_t count) {
  if (count > most_of_a_step) throw ValueError(fmt::format("more than {} hosts or tasks", most_of_a_step));
}

// "n[1-2],m5" is split at the commas outside of brackets.
std::vector<std::string> parts_of_hostlist(std::string_view hostlist) {
  std::vector<std::string> parts;
  std::string part;
  bool is_in_brackets = false;
  for (const char c : hostlist) {
    if (c == ',' && !is_in_brackets) {
      require(!part.empty());
      parts.push_back(std::exchange(part, {}));
      continue;
    }
    require(!(is_in_brackets && c == '['));
    if (c == '[') is_in_brackets = true;
    if (c == ']') is_in_brackets = false;
    part.push_back(c);
  }
  if (!part.empty()) parts.push_back(part);
  return parts;
}

// "3-5" or "3" of a range expression, each with the prefix before it.
void expand_range(const std::string& prefix, const std::string& range, std::vector<std::string>& hosts) {
  const std::vector<std::string> ends = split_at(range, '-');
  require(ends.size() <= 2);
  const std::int64_t first = python_int(ends.front()), last = python_int(ends.back());
  require_room(last - first);  // before the sum below, which might overflow
  require_room(std::ssize(hosts) + std::max<std::int64_t>(last - first + 1, 0));
  for (std::int64_t i = 0; i <= last - first; ++i)
    hosts.push_back(fmt::format("{}{:0{}}", prefix, first + i, ends.front().size()));
}

// A prefix, and then, perhaps, ranges in brackets.
void expand_part(const std::string& part, std::vector<std::string>& hosts) {
  const std::size_t open = part.find('['), close = part.find(']');
  if (open == part.npos && close == part.npos) {
    hosts.push_back(part);
    return;
  }
  require(open != part.npos && close == part.size() - 1 && open + 1 < close, "Invalid part: " + part);
  const std::string prefix = part.substr(0, open);
  for (const std::string& range : split_at(part.substr(open + 1, close - open - 1), ','))
    expand_range(prefix, range, hosts);
}

// Only digits, which Python's int() would not insist on.
std::int64_t digits(const std::string& text) {
  require(!text.empty() && text.find_first_not_of("0123456789") == text.npos);
  return python_int(text);
}

// "3(x2)" or "3".
void expand_tasks(const std::string& part, std::vector<std::int64_t>& counts) {
  const std::size_t open = std::min(part.find("(x"), part.size());
  const std::int64_t tasks = digits(part.substr(0, open));
  std::int64_t repetitions = 1;
  if (open < part.size()) {
    require(part.ends_with(')'));
    repetitions = digits(part.substr(open + 2, part.size() - open - 3));
  }
  require_room(std::max(tasks, repetitions));
  require_room(std::ssize(counts) + repetitions);
  counts.insert(counts.end(), static_cast<std::size_t>(repetitions), tasks);
}

const std::string& slurm_variable(const SlurmClusterResolver::Environment& environment,
                                  const std::string& name) {
  const auto found = environment.find("SLURM_" + name);
  if (found != environment.end()) return found->second;
  throw RuntimeError(
      fmt::format("SLURM_{} not found in environment. Not running inside a SLURM step?", name));
}

using TasksOfHosts = SlurmClusterResolver::TasksOfHosts;

// A host that is listed twice has the later number of tasks.
TasksOfHosts tasks_by_slurm(const SlurmClusterResolver::Environment& environment) {
  const std::vector<std::string> hosts = expand_hostlist(slurm_variable(environment, "STEP_NODELIST"));
  const std::vector<std::int64_t> counts =
      expand_tasks_per_node(slurm_variable(environment, "STEP_TASKS_PER_NODE"));
  TasksOfHosts tasks;
  for (std::size_t i = 0; i < std::min(hosts.size(), counts.size()); ++i) tasks[hosts[i]] = counts[i];
  return tasks;
}

TasksOfHosts tasks_of_hosts(const SlurmClusterResolver::Environment& environment,
                            const SlurmClusterResolver::Arguments& arguments) {
  if (!arguments.tasks_per_node) return tasks_by_slurm(environment);
  if (const auto* given = std::get_if<TasksOfHosts>(&*arguments.tasks_per_node)) return *given;
  TasksOfHosts tasks;
  for (const std::string& host : expand_hostlist(slurm_variable(environment, "STEP_NODELIST")))
    tasks[host] = std::get<std::int64_t>(*arguments.tasks_per_node);
  return tasks;
}

// As in TensorFlow, an empty CUDA_VISIBLE_DEVICES counts as one GPU.
std::int64_t gpus_of_node(const SlurmClusterResolver::Environment& environment,
                          const SlurmClusterResolver::Arguments& arguments) {
  if (arguments.gpus_per_node) return *arguments.gpus_per_node;
  const auto visible = environment.find("CUDA_VISIBLE_DEVICES");
  if (visible != environment.end()) return std::ssize(split_at(visible->second, ','));
  if (arguments.gpus_of_machine) return *arguments.gpus_of_machine;
  throw RuntimeError(
      "Could not get number of GPUs from nvidia-smi. Maybe it is missing?\n"
      "Output: ");
}

std::int64_t sum(const std::map<std::string, std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0},
                         [](std::int64_t total, const auto& each) { return total + each.second; });
}

std::int64_t largest(const TasksOfHosts& counts) {
  require(!counts.empty(), "max() arg is an empty sequence");
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->second;
}

// "2,3" for two GPUs from number 2 on.
std::string gpus_from(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> gpus(static_cast<std::size_t>(count));
  std::iota(gpus.begin(), gpus.end(), first);
  return fmt::format("{}", fmt::join(gpus, ","));
}

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view hostlist) {
  try {
    std::vector<std::string> hosts;
    for (const std::string& part : parts_of_hostlist(hostlist)) expand_part(part, hosts);
    return hosts;
  } catch (const ValueError& error) {
    throw ValueError(fmt::format("Invalid hostlist format \"{}\": {}", hostlist, error.what()));
  }
}

std::vector<std::int64_t> expand_tasks_per_node(std::string_view tasks_per_node) {
  try {
    std::vector<std::int64_t> counts;
    for (const std::string& part : split_at(std::string(tasks_per_node), ',')) expand_tasks(part, counts);
    return counts;
  } catch (const ValueError& error) {
    throw ValueError(
        fmt::format("Invalid tasks-per-node list format \"{}\": {}", tasks_per_node, error.what()));
  }
}

SlurmClusterResolver::SlurmClusterResolver(const Environment& environment)
    : SlurmClusterResolver(environment, Arguments{}) {}

// Variables are read in TensorFlow's order, so that the same one is reported first.
SlurmClusterResolver::SlurmClusterResolver(const Environment& environment, Arguments arguments)
    : rank_(python_int(slurm_variable(environment, "PROCID"))), arguments_(std::move(arguments)) {
  jobs_ = arguments_.jobs ? *arguments_.jobs
                          : std::map<std::string, std::int64_t>{
                                {"worker", python_int(slurm_variable(environment, "STEP_NUM_TASKS"))}};
  tasks_of_hosts_ = tasks_of_hosts(environment, arguments_);
  const std::int64_t most = largest(tasks_of_hosts_), num_tasks = sum(tasks_of_hosts_);
  require_room(num_tasks);
  gpus_per_node_ = gpus_of_node(environment, arguments_);
  if (!arguments_.gpus_per_task && most == 0) throw InputError("integer division or modulo by zero");
  gpus_per_task_ = arguments_.gpus_per_task ? *arguments_.gpus_per_task : gpus_per_node_ / most;
  if (most * gpus_per_task_ > gpus_per_node_)
    throw RuntimeError("Requested more GPUs per node than available.");
  if (sum(jobs_) != num_tasks)
    throw RuntimeError(fmt::format("Requested {} tasks but only {} were assigned.", sum(jobs_), num_tasks));
  task_ = own_task();
}

TaskArguments SlurmClusterResolver::own_task() const {
  std::int64_t first = 0;
  for (const auto& [job, count] : jobs_) {
    if (first <= rank_ && rank_ < first + count)
      return {.task_type = job, .task_id = narrow<int>(rank_ - first)};
    first += count;
  }
  return {};
}

std::vector<SlurmClusterResolver::Task> SlurmClusterResolver::tasks() const {
  require(gpus_per_task_ > 0, "range() arg 3 must not be zero");
  std::vector<Task> tasks;
  for (const auto& [host, count] : tasks_of_hosts_)
    for (std::int64_t i = 0; i < count; ++i)
      tasks.push_back({fmt::format("{}:{}", host, arguments_.port_base + i),
                       gpus_from(i * gpus_per_task_, gpus_per_task_)});
  return tasks;
}

std::string SlurmClusterResolver::gpus_of_rank(const std::vector<Task>& tasks) const {
  if (rank_ < 0 || rank_ >= std::ssize(tasks)) throw InputError("list index out of range");
  return tasks[static_cast<std::size_t>(rank_)].gpus;
}

ClusterSpec SlurmClusterResolver::cluster_spec() const {
  const std::vector<Task> all = tasks();
  if (arguments_.auto_set_gpu) gpus_of_rank(all);  // is refused as in TensorFlow, which sets them here
  std::vector<Job> jobs;
  auto next = all.begin();
  for (const auto& [job, count] : jobs_) {
    std::vector<std::string> addresses;
    for (std::int64_t i = 0; i < count && next != all.end(); ++i) addresses.push_back((next++)->address);
    jobs.push_back(job_of(job, addresses));
  }
  return ClusterSpec(std::move(jobs));
}

std::string SlurmClusterResolver::master(const TaskArguments& task) const {
  const auto type = task.task_type ? task.task_type : task_.task_type;
  const auto id = task.task_id ? task.task_id : task_.task_id;
  if (!type || !id) return "";
  const bool has_layer = task.rpc_layer && !task.rpc_layer->empty();
  return format_master_url(cluster_spec().task_address(*type, *id),
                           has_layer ? task.rpc_layer : arguments_.rpc_layer);
}

Accelerators SlurmClusterResolver::num_accelerators() const {
  return {{device::Kind::gpu, narrow<int>(gpus_per_task_)}};
}

std::optional<std::string> SlurmClusterResolver::cuda_visible_devices() const {
  if (!arguments_.auto_set_gpu) return {};
  return gpus_of_rank(tasks());
}

}  // namespace wt::cluster
