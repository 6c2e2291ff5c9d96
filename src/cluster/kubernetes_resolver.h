#pragma once
// tf.distribute.cluster_resolver.KubernetesClusterResolver (kubernetes_cluster_resolver.py of TensorFlow 2.21): a task for
// each pod that a label selector chooses. TensorFlow asks the Kubernetes master for the pods; here they are given.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/resolver.h"

namespace wt::cluster {

struct Pod {
  std::string name{};
  std::string host_ip{};
  std::string phase = "Running";                // "Pending", "Succeeded", "Failed", "Unknown"
  std::map<std::string, std::string> labels{};  // {"job-name", "tensorflow"}
};

// Whether labels fulfil all requirements of a selector of Kubernetes, which are separated by commas: "a=b", "a==b",
// "a!=b", "a in (b, c)", "a notin (b, c)", "a", "!a". Throws ValueError for other texts.
bool matches_selector(const std::map<std::string, std::string>& labels, std::string_view selector);

class KubernetesClusterResolver : public ClusterResolver {
 public:
  using JobToLabels = std::vector<std::pair<std::string, std::vector<std::string>>>;
  struct Arguments {
    // The selectors of each job: {{"worker", {"job-name=worker-a", "job-name=worker-b"}}}. None: those of TensorFlow,
    // {{"worker", {"job-name=tensorflow"}}}.
    JobToLabels job_to_label_mapping{};
    int tf_server_port = 8470;
    std::optional<std::string> rpc_layer = "grpc";
    // TensorFlow's program assigns these to the resolver, which can't find them out.
    std::optional<std::string> task_type{};
    std::optional<int> task_id{};
    Accelerators accelerators{};  // of the task's machine (`accelerators`, cluster.h)
  };
  KubernetesClusterResolver(std::vector<Pod> pods, Arguments arguments);
  explicit KubernetesClusterResolver(std::vector<Pod> pods);

  // The pods of each selector are sorted by their names. Throws RuntimeError if one of them is not running.
  ClusterSpec cluster_spec() const override;
  // "" unless the task is known.
  std::string master(const TaskArguments& task = {}) const override;
  Accelerators num_accelerators() const override { return arguments_.accelerators; }
  std::optional<std::string> task_type() const override { return arguments_.task_type; }
  std::optional<int> task_id() const override { return arguments_.task_id; }
  std::optional<std::string> rpc_layer() const override { return arguments_.rpc_layer; }

 private:
  std::vector<Pod> pods_;  // sorted by their names
  Arguments arguments_;
};

}  // namespace wt::cluster
