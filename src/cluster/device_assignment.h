#pragma once
// tf.tpu.experimental.DeviceAssignment: the TPU cores that compute each replica, with lookups in both
// directions (tensorflow/python/tpu/device_assignment.py of TensorFlow 2.x). Core c of replica r is at
// coordinates(r, c); task t computes the replicas lookup_replicas(t, c).

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/narrow.h"
#include "cluster/core_assignment.h"
#include "cluster/tpu_topology.h"

namespace wt::cluster {

class DeviceAssignment {
 public:
  // Assigns cores to replicas (core_assignment.h). Throws ValueError with TensorFlow's texts.
  static DeviceAssignment build(const Topology& topology, const Computation& computation = {});

  // An explicit assignment. Throws ValueError if replicas have different numbers of cores, or if a core has
  // coordinates without a TPU.
  DeviceAssignment(Topology topology, CoreAssignment core_assignment);

  const Topology& topology() const { return topology_; }
  int num_replicas() const { return narrow<int>(cores_.size()); }
  int num_cores_per_replica() const { return cores_.empty() ? 0 : narrow<int>(cores_.front().size()); }
  const CoreAssignment& core_assignment() const { return cores_; }
  const std::vector<std::string>& log() const { return log_; }  // TensorFlow's warnings

  // These functions throw ValueError if there is no such replica, task or core.
  const Coordinates& coordinates(int replica, int logical_core) const;
  std::vector<int> lookup_replicas(int task, int logical_core) const;
  int tpu_ordinal(int replica = 0, int logical_core = 0) const;  // the index of the TPU in its task
  device::Name host_device(int replica = 0, int logical_core = 0,
                           const std::optional<std::string>& job = {}) const;
  device::Name tpu_device(int replica = 0, int logical_core = 0,
                          const std::optional<std::string>& job = {}) const;

 private:
  Topology topology_;
  CoreAssignment cores_;
  std::map<std::pair<int, int>, std::vector<int>> replicas_{};  // by task and logical core
  std::vector<std::string> log_{};
};

// The assignment as text: one block for each z, one line for each y, and for each chip the replicas of its
// cores. "-" stands for an unused core.
std::string print(const DeviceAssignment& assignment);

}  // namespace wt::cluster
