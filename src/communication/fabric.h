#pragma once
// A described machine as a communication library sees it: the numbers that its choice depends on
// (collective/fabric.h), and the classes by which constants.h lists its costs.

#include <string>

#include "collective/fabric.h"
#include "communication/constants.h"
#include "communication/group.h"

namespace wt::communication {

// The devices of a group and the links between them, as far as the choice and the cost of an algorithm depend on
// them.
struct Hardware {
  collective::Fabric fabric{};
  std::string generation{};  // of the devices, as in "hopper"; empty if they differ
  std::string network{};     // class of the network cards, as in "infiniband"
  BytesPerSecond inside{};   // that a device reaches within its node, in one direction
  BytesPerSecond between{};  // that a node reaches, in one direction
  double link_speed = 1;     // of the platform's links, relative to the described ones
};
Hardware hardware_of(const Group& group);

// The orders of the rings that NCCL uses on a mesh of NVLinks: cycles through all devices of a machine that
// use as many links as possible, each cycle in both directions, and continued through every machine. Empty if
// switches or PCIe join the devices, since then all orders are equally good.
std::vector<std::vector<int>> rings_over_mesh(const Group& group);

}  // namespace wt::communication
