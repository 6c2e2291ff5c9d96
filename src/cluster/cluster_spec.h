#pragma once
// tf.train.ClusterSpec: which jobs a cluster has, and at which address each of their tasks listens. Calls and
// refusals carry TensorFlow's names and texts (tensorflow/python/training/server_lib.py).

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wt::cluster {

struct Job {
  std::string name{};                  // "worker"
  std::map<int, std::string> tasks{};  // addresses by index, "host1:2222"; indices may be missing
  friend bool operator==(const Job&, const Job&) = default;
};

Job job_of(std::string name, const std::vector<std::string>& addresses);
bool is_dense(const Job& job);  // from 0 without gaps: in Python a list, else a dictionary

//   const ClusterSpec spec({job_of("worker", {"host1:2222", "host2:2222"}), job_of("ps", {"host3:2222"})});
//   spec.task_address("worker", 1);  // "host2:2222"
class ClusterSpec {
 public:
  ClusterSpec() = default;  // no jobs: a program of its own
  // Throws ValueError for a job that is given twice and for indices below 0.
  explicit ClusterSpec(std::vector<Job> jobs);

  const std::vector<Job>& as_dict() const { return jobs_; }  // in the order given
  std::vector<std::string> jobs() const;                     // their names
  bool is_empty() const { return jobs_.empty(); }
  const Job* find(std::string_view job) const;  // null: there is no such job

  // These throw ValueError where there is no such job or task.
  int num_tasks(std::string_view job) const;
  std::vector<int> task_indices(std::string_view job) const;
  const std::string& task_address(std::string_view job, int index) const;
  std::vector<std::optional<std::string>> job_tasks(std::string_view job) const;  // none in a gap

  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;

 private:
  const Job& at(std::string_view job) const;

  std::vector<Job> jobs_{};
};

// As Python prints it: "ClusterSpec({'ps': ['host3:2222'], 'worker': {1: 'host2:2222'}})", jobs sorted.
std::string print(const ClusterSpec& spec);
std::string print_dict(const ClusterSpec& spec);  // the dictionary alone
std::string python_repr(std::string_view text);   // 'worker'

}  // namespace wt::cluster
