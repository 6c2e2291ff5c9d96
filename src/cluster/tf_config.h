#pragma once
// TF_CONFIG: the environment variable that describes the whole cluster and the own task to each process of a
// TensorFlow program. The reader reports everything that is wrong at once, each problem at its place, with
// TensorFlow's texts.
//
//   {"cluster": {"worker": ["host1:2222", "host2:2222"]}, "task": {"type": "worker", "index": 1}}

#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "cluster/cluster_spec.h"

namespace wt::cluster {

struct TfConfig {
  ClusterSpec cluster{};  // empty: a single process without a cluster
  std::optional<std::string> task_type{};
  std::optional<int> task_index{};
  std::optional<std::string> rpc_layer{};
  std::optional<std::string> session_master{};
  std::optional<std::string> environment{};
  friend bool operator==(const TfConfig&, const TfConfig&) = default;
};

// Adds everything that is wrong to `problems`. The result has a meaning only if there was no problem.
TfConfig read_tf_config(const json::Value& value, Problems& problems);

// Reads the text of the variable. Throws InputError; `named` is its name in messages.
TfConfig parse_tf_config(std::string text, const std::string& named = "TF_CONFIG");

// Reads the text as TensorFlow's TFConfigClusterResolver does. It takes a cluster or a task that a strategy refuses
// later, such as one that is not in the cluster. Throws InputError for a text that is not JSON, and for jobs that are
// neither lists nor dictionaries.
TfConfig parse_tf_config_for_resolver(std::string text, const std::string& named = "TF_CONFIG");

// Reads the variable from the environment of a process. Without the variable the process has no cluster.
// Throws InputError; an empty text is not JSON.
TfConfig tf_config_of(const std::map<std::string, std::string>& environment);

// Reads the value of a scenario's "cluster": a whole TF_CONFIG, or only its jobs. In a scenario a job may
// also be the number of its tasks instead of their addresses: {"chief": 1, "worker": 3, "ps": 2}.
TfConfig read_cluster(const json::Value& value, Problems& problems);

}  // namespace wt::cluster
