#pragma once
// tf.train.ClusterSpec: the jobs of a cluster, and the address at which each of their tasks listens.
// Functions and error texts are those of TensorFlow (tensorflow/python/training/server_lib.py).

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wt::cluster {

struct Job {
  std::string name{};                  // "worker"
  std::map<int, std::string> tasks{};  // addresses by index, "host1:2222"; indices may have gaps
  friend bool operator==(const Job&, const Job&) = default;
};

// A job whose tasks have the indices from 0 on.
Job job_of(std::string name, const std::vector<std::string>& addresses);
// Whether the indices run from 0 without gaps. Python represents such a job by a list, any other by a
// dictionary.
bool is_dense(const Job& job);

//   const ClusterSpec spec({job_of("worker", {"host1:2222", "host2:2222"}), job_of("ps", {"host3:2222"})});
//   spec.task_address("worker", 1);  // "host2:2222"
class ClusterSpec {
 public:
  ClusterSpec() = default;  // without jobs: a single process without a cluster
  // Throws ValueError if two jobs have the same name or an index is below 0.
  explicit ClusterSpec(std::vector<Job> jobs);

  const std::vector<Job>& as_dict() const { return jobs_; }  // in the order given
  std::vector<std::string> jobs() const;                     // the names of the jobs
  bool is_empty() const { return jobs_.empty(); }
  const Job* find(std::string_view job) const;  // null: no such job

  // These functions throw ValueError if there is no such job or task.
  int num_tasks(std::string_view job) const;
  std::vector<int> task_indices(std::string_view job) const;
  const std::string& task_address(std::string_view job, int index) const;
  // The addresses by index; none in a gap.
  std::vector<std::optional<std::string>> job_tasks(std::string_view job) const;

  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;

 private:
  const Job& at(std::string_view job) const;

  std::vector<Job> jobs_{};
};

// The text that Python prints: "ClusterSpec({'ps': ['host3:2222'], 'worker': {1: 'host2:2222'}})", sorted by
// job.
std::string print(const ClusterSpec& spec);
std::string print_dict(const ClusterSpec& spec);  // only the dictionary, its jobs in the order given
std::string python_repr(std::string_view text);   // Python's repr() of a text: 'worker'

}  // namespace wt::cluster
