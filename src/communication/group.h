#pragma once
// The devices of a platform that are the ranks of a collective, and the places of its ranks and helpers.

#include <optional>
#include <vector>

#include "base/narrow.h"
#include "collective/catalog.h"
#include "platform/platform.h"

namespace wt::communication {

struct Group {
  const platform::Platform& platform;  // must outlive the group
  std::vector<platform::Endpoint> ranks{};

  int size() const { return narrow<int>(ranks.size()); }
};

// The first `count` devices of the platform.
Group first_devices(const platform::Platform& platform, int count);

// The number of TPU slices that the group consists of, if its ranks are whole slices that follow each other;
// else 0. Ranks are chips, or cores of chips.
int whole_slices(const Group& group);

// Sets the shape of an algorithm that has levels, if the options have none. On machines it is the ranks of a
// machine, then the machines; for sharp also the leaf switches. On TPU slices it is the axes of the torus,
// the last one innermost. Nothing changes if the group has no such levels.
void add_natural_shape(collective::Options& options, const Group& group,
                       const collective::Algorithm& algorithm);

// The place of each member of a schedule: first the ranks (for torus algorithms in the order of their
// coordinates in the slice), then the helpers. Helpers are parameter servers, which are spread evenly over
// the hosts of the ranks, or switches that add. `algorithm` is null for a schedule from a file, whose helpers
// count as servers. Throws InputError if the machine has no such switches.
std::vector<platform::Endpoint> endpoints(const Group& group, const collective::Algorithm* algorithm,
                                          const collective::Contract& contract);

}  // namespace wt::communication
