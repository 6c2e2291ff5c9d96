#pragma once
// tf.config.experimental_connect_to_cluster and experimental_connect_to_host (tensorflow/python/eager/remote.py):
// a client joins a cluster, and from then on can name the devices of all its tasks. What it says is checked
// here; which devices those are, cluster.h knows.

#include <optional>
#include <string>
#include <vector>

#include "cluster/resolver.h"

namespace wt::cluster {

struct Client {
  std::string job_name = "localhost";  // its own
  int task_index = 0;
  bool make_master_device_default = true;
  std::optional<device::Name> device_scope{};  // that it is in already
};

struct Connection {
  ClusterSpec cluster{};                         // with the client's job; empty: nothing to connect to
  std::optional<device::Name> default_device{};  // where its operations go from now on
  std::vector<std::string> log{};
};

// A resolver whose master is this process, or "local", changes nothing. Throws ValueError where the master isn't
// in the cluster, and inside a device scope that isn't the master's.
Connection connect_to_cluster(const ClusterResolver& resolver, const Client& client = {});
Connection connect_to_cluster(const ClusterSpec& spec, const Client& client = {});

// TensorFlow 2.0's way, with addresses: "grpc://10.0.0.2:8470". Throws ValueError where there are none.
Connection connect_to_host(const std::vector<std::string>& remote_hosts,
                           const std::string& job_name = "worker");

}  // namespace wt::cluster
