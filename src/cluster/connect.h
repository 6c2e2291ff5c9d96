#pragma once
// tf.config.experimental_connect_to_cluster and experimental_connect_to_host
// (tensorflow/python/eager/remote.py): a client joins a cluster and can then place operations on the devices
// of all tasks. These functions only check the arguments and compute the cluster that results; cluster.h has
// the devices.

#include <optional>
#include <string>
#include <vector>

#include "cluster/resolver.h"

namespace wt::cluster {

// The connecting process, and the arguments of the call.
struct Client {
  std::string job_name = "localhost";  // the job of the client itself
  int task_index = 0;
  bool make_master_device_default = true;
  std::optional<device::Name> device_scope{};  // the tf.device scope around the call
};

struct Connection {
  ClusterSpec cluster{};                         // with the client's job; empty: there is no cluster to join
  std::optional<device::Name> default_device{};  // the device of operations that are placed nowhere else
  std::vector<std::string> log{};                // TensorFlow's log lines
};

// If the resolver's master is this process ("") or "local", there is nothing to connect to. Throws ValueError
// if the master is not in the cluster, or if the client is inside a device scope that is not the master's.
Connection connect_to_cluster(const ClusterResolver& resolver, const Client& client = {});
Connection connect_to_cluster(const ClusterSpec& spec, const Client& client = {});

// The function of TensorFlow 2.0, with addresses such as "grpc://10.0.0.2:8470". Throws ValueError if there
// are none.
Connection connect_to_host(const std::vector<std::string>& remote_hosts,
                           const std::string& job_name = "worker");

}  // namespace wt::cluster
