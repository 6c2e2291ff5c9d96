#pragma once
// The cores of a TPU mesh that each replica of a computation uses: the function `device_assignment` of
// TensorFlow 2.x (tensorflow/python/tpu/device_assignment.py).
//
// On the mesh 2x2x1x2 (4 chips of 2 cores), 4 replicas of computation shape (1, 1, 1, 2) get one chip each.
// The replicas form a ring over the chips (0,0,0), (1,0,0), (1,1,0), (0,1,0), so that neighbouring replicas
// are neighbours in the mesh.

#include <string>
#include <vector>

#include "cluster/tpu_topology.h"

namespace wt::cluster {

// TensorFlow's DeviceOrderMode. automatic: a ring if the replicas fill the mesh and each consists of whole
// chips, else a grid.
enum class DeviceOrder { automatic, ring, mesh };

// The arguments of TensorFlow's function, with its names.
struct Computation {
  std::vector<int> computation_shape = {1, 1, 1, 1};   // the cores of a replica along (x, y, z, core)
  std::vector<int> computation_stride = {1, 1, 1, 1};  // the distance between them along each axis
  int num_replicas = 1;
  DeviceOrder device_order_mode = DeviceOrder::automatic;
};

using CoreAssignment = std::vector<std::vector<Coordinates>>;  // by replica and logical core

struct AssignedCores {
  CoreAssignment cores{};
  std::vector<std::string> log{};  // TensorFlow's warnings
};

// Throws ValueError with TensorFlow's texts if the computation does not fit the mesh.
AssignedCores assign_cores(const Topology& topology, const Computation& computation);

}  // namespace wt::cluster
