#pragma once
// TPUClusterResolver and the initialisation of a TPU system, on a described slice, which has one task for
// each host (tpu_cluster_resolver.py, tpu_strategy_util.py and tpu_system_metadata.py of TensorFlow 2.x).
// Nothing is contacted: the platform determines what a real TPU system would report.

#include <optional>
#include <string>
#include <vector>

#include "cluster/resolver.h"
#include "cluster/tpu_topology.h"
#include "platform/platform.h"

namespace wt::cluster {

struct TPUSystemMetadata {
  int num_cores = 0;
  int num_hosts = 0;
  int num_of_cores_per_host = 0;
  std::vector<device::Name> devices{};  // the TPUs, task by task
};

class TPUClusterResolver : public ClusterResolver {
 public:
  struct Arguments {
    // The name of a TPU, "" for the TPU of the own environment, addresses "grpc://10.0.0.1:8470,...", or
    // "local".
    std::string tpu{};
    std::string job_name = "worker";
    std::optional<std::string> coordinator_name{};
    std::optional<std::string> coordinator_address{};
  };
  // Throws InputError if the platform has no TPUs or several slices, or if the number of addresses is not
  // that of the hosts.
  TPUClusterResolver(const platform::Platform& platform, Arguments arguments);
  explicit TPUClusterResolver(const platform::Platform& platform);

  ClusterSpec cluster_spec() const override { return spec_; }
  std::string master(const TaskArguments& task = {}) const override;
  Accelerators num_accelerators() const override;
  std::optional<std::string> task_type() const override { return arguments_.job_name; }
  std::optional<int> task_id() const override { return 0; }
  std::optional<std::string> rpc_layer() const override { return "grpc"; }

  const std::string& tpu() const { return arguments_.tpu; }
  bool is_local() const { return arguments_.tpu == "local"; }
  const std::string& get_job_name() const { return arguments_.job_name; }
  const Topology& topology() const { return topology_; }
  TPUSystemMetadata get_tpu_system_metadata() const;

 private:
  Arguments arguments_;
  Topology topology_;
  ClusterSpec spec_;
};

// tf.tpu.experimental.initialize_tpu_system. In TensorFlow it must come before any computation on TPUs; a
// second call destroys their variables, of which the log warns if `was_initialized`.
struct TpuSystem {
  Topology topology;
  std::vector<std::string> log{};
};
TpuSystem initialize_tpu_system(const TPUClusterResolver& resolver, bool was_initialized = false);

// TensorFlow's log lines: "Found TPU system:", "*** Num TPU Cores: 8", ...
std::vector<std::string> describe(const TPUSystemMetadata& metadata);

}  // namespace wt::cluster
