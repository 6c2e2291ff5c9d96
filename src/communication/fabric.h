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
  // That a device reaches within its node, in one direction; through the memory of the host, if all devices send at once.
  BytesPerSecond inside{};
  BytesPerSecond between{};  // that a node reaches, in one direction
  double link_speed = 1;     // of the platform's links, relative to the described ones
  bool is_joined = false;    // a node consists of several machines, whose devices one fabric joins (an NVL72)
};
Hardware hardware_of(const Group& group);

// The orders of the rings that NCCL and RCCL use on a mesh of NVLinks (xGMI links): cycles through all devices of a
// machine that use as many links as possible, each cycle in both directions, and continued through every machine, so
// that all network cards are used equally often. Several machines whose devices are all linked to each other have a
// path for each device instead, which together use every link of a machine once. Empty if switches or PCIe join the
// devices, since then all orders are equally good.
std::vector<std::vector<int>> rings_over_mesh(const Group& group);

// The orders of the chains of trees on such a mesh, one for each lane: the ranks machine by machine, all machines in
// the same order of their devices. Empty where rings_over_mesh is.
std::vector<std::vector<int>> chains_over_mesh(const Group& group);

}  // namespace wt::communication
