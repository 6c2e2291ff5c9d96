#pragma once
// A group of devices as a communication library sees it.

#include <string>

#include "collective/fabric.h"
#include "communication/constants.h"
#include "communication/group.h"

namespace wt::communication {

struct Machine {
  collective::Fabric fabric{};
  std::string generation{};  // of its devices; empty where they differ
  std::string network{};     // class of its network cards
  BytesPerSecond inside{};   // that a device reaches, one way, within its node
  BytesPerSecond between{};  // that a node reaches, one way
  double link_speed = 1;     // over what its class's links have
};
Machine machine_of(const Group& group);

// The rings in which NCCL would go over an NVLink mesh: cycles that use as many links as can be, each in both
// directions, and through every machine. Empty where switches or PCIe join the devices: then any order is as good.
std::vector<std::vector<int>> rings_over_mesh(const Group& group);

}  // namespace wt::communication
