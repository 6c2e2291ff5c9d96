#pragma once
// The channels that NCCL's search finds (src/graph/search.cc of NCCL 2.30.7), as arithmetic. NCCL places
// rings on links one by one. Here all GPUs of a node have the same links, so the number of rings that fit is
// a quotient.

#include "collective/fabric.h"

namespace wt::collective::nccl {

// `count` parallel paths, and the rate of each of them within nodes and between nodes, in GB/s.
struct Channels {
  int count = 1;
  double inside = 0;
  double across = 0;
};

double links_of_gpu(const Fabric& fabric);  // GB/s of all of them in one direction, as the search counts

Channels ring_channels(const Fabric& fabric, const Spread& spread);
Channels tree_channels(const Fabric& fabric, const Spread& spread, const Channels& ring);
// One channel for each GPU that reduces for the others ("head"); none if the switches can't add.
Channels nvls_channels(const Fabric& fabric, const Spread& spread);

// The channels of a communicator that rings and trees share, and those of NVLS.
int communicator_channels(const Fabric& fabric, const Spread& spread, const Channels& ring);
int communicator_nvls_channels(const Fabric& fabric, const Spread& spread);

}  // namespace wt::collective::nccl
