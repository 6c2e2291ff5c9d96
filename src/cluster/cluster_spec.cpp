#include "cluster/cluster_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/narrow.h"
#include "base/utf8.h"
#include "device/error.h"

namespace wt::cluster {

namespace {

// A list of addresses if the indices have no gaps, else a dictionary from index to address.
std::string repr_of_tasks(const Job& job) {
  std::vector<std::string> entries;
  const bool is_list = is_dense(job) && !job.tasks.empty();
  for (const auto& [index, address] : job.tasks) {
    const std::string quoted = python_repr(address);
    entries.push_back(is_list ? quoted : fmt::format("{}: {}", index, quoted));
  }
  const std::string joined = fmt::format("{}", fmt::join(entries, ", "));
  return is_list ? "[" + joined + "]" : "{" + joined + "}";
}

void check(const std::vector<Job>& jobs) {
  for (auto job = jobs.begin(); job != jobs.end(); ++job) {
    const auto has_its_name = [&](const Job& other) { return other.name == job->name; };
    if (std::any_of(jobs.begin(), job, has_its_name)) {
      throw device::ValueError(fmt::format("Job {} is given twice", python_repr(job->name)));
    }
    if (!job->tasks.empty() && job->tasks.begin()->first < 0) {
      throw device::ValueError(fmt::format("Job {} has a task with index {}, below 0", python_repr(job->name),
                                           job->tasks.begin()->first));
    }
  }
}

}  // namespace

Job job_of(std::string name, const std::vector<std::string>& addresses) {
  Job job{.name = std::move(name)};
  for (const std::string& address : addresses) job.tasks.emplace(narrow<int>(job.tasks.size()), address);
  return job;
}

bool is_dense(const Job& job) {
  return job.tasks.empty() || job.tasks.rbegin()->first + 1 == narrow<int>(job.tasks.size());
}

ClusterSpec::ClusterSpec(std::vector<Job> jobs) : jobs_(std::move(jobs)) { check(jobs_); }

std::vector<std::string> ClusterSpec::jobs() const {
  std::vector<std::string> names;
  for (const Job& job : jobs_) names.push_back(job.name);
  return names;
}

const Job* ClusterSpec::find(std::string_view job) const {
  const auto found =
      std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& one) { return one.name == job; });
  return found == jobs_.end() ? nullptr : &*found;
}

const Job& ClusterSpec::at(std::string_view job) const {
  const Job* found = find(job);
  if (found == nullptr) throw device::ValueError("No such job in cluster: " + python_repr(job));
  return *found;
}

int ClusterSpec::num_tasks(std::string_view job) const { return narrow<int>(at(job).tasks.size()); }

std::vector<int> ClusterSpec::task_indices(std::string_view job) const {
  std::vector<int> indices;
  for (const auto& [index, address] : at(job).tasks) indices.push_back(index);
  return indices;
}

const std::string& ClusterSpec::task_address(std::string_view job, int index) const {
  const auto& tasks = at(job).tasks;
  const auto found = tasks.find(index);
  if (found != tasks.end()) return found->second;
  throw device::ValueError(fmt::format("No task with index {} in job {}", index, python_repr(job)));
}

std::vector<std::optional<std::string>> ClusterSpec::job_tasks(std::string_view job) const {
  const auto& tasks = at(job).tasks;
  std::vector<std::optional<std::string>> list;
  for (const auto& [index, address] : tasks) {
    list.resize(static_cast<std::size_t>(index));
    list.push_back(address);
  }
  return list;
}

std::string print_dict(const ClusterSpec& spec) {
  std::vector<std::string> entries;
  for (const Job& job : spec.as_dict())
    entries.push_back(fmt::format("{}: {}", python_repr(job.name), repr_of_tasks(job)));
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

std::string print(const ClusterSpec& spec) {
  std::vector<Job> jobs = spec.as_dict();
  std::ranges::sort(jobs, {}, &Job::name);
  return fmt::format("ClusterSpec({})", print_dict(ClusterSpec(std::move(jobs))));
}

// Python uses double quotes if the text contains single quotes but no double quotes.
std::string python_repr(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const bool has_double = text.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string quoted(1, quote);
  for (const char letter : printable(text)) {
    if (letter == quote || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + quote;
}

}  // namespace wt::cluster
