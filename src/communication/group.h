#pragma once
// Devices of a platform as the ranks of a collective.

#include <optional>
#include <vector>

#include "collective/catalog.h"
#include "platform/platform.h"

namespace wt::communication {

struct Group {
  const platform::Platform& platform;
  std::vector<platform::Endpoint> ranks{};

  int size() const { return static_cast<int>(ranks.size()); }
};

// The platform's first devices.
Group first_devices(const platform::Platform& platform, int count);

// The slices of a TPU generation whose chips, or their cores, are the ranks, each behind the one before. 0 where they
// aren't, or not whole.
int whole_slices(const Group& group);

// Ranks per level where nobody says otherwise: a machine's, then machines; a torus's axes, the last innermost.
// Nothing where the group has no levels.
void add_natural_shape(collective::Options& options, const Group& group,
                       const collective::Algorithm& algorithm);

// Where each member of a schedule sits: its ranks (along the axes of a slice by their coordinates), then its
// helpers: parameter servers on the hosts of ranks, evenly; else switches that add. Throws InputError where the
// machine has no such switch. `algorithm` may be null: a schedule from a file.
std::vector<platform::Endpoint> endpoints(const Group& group, const collective::Algorithm* algorithm,
                                          const collective::Contract& contract);

}  // namespace wt::communication
