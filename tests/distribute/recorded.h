// What TensorFlow was recorded to do in the programs of the kind `distribute` (distribute.tar.gz, packed by
// tests/recordings/pack.py).
#pragma once

#include "support/recorded.h"

namespace wt::test {

inline const recordings::PackedRecordings& recorded() {
  static const recordings::PackedRecordings all({"../distribute/distribute.tar.gz"});
  return all;
}

// The recordings of a family, in both versions.
inline std::vector<const Recording*> family(const std::string& beginning) {
  std::vector<const Recording*> found;
  for (const Recording& recording : recorded().all())
    if (recording.id.starts_with("distribute_" + beginning)) found.push_back(&recording);
  return found;
}

}  // namespace wt::test
