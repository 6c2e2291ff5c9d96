#pragma once

#include <cstdint>

namespace wt::collective {

// How a vector is cut into chunks. A formula, not a list: machines have 65,536 ranks.
struct Cut {
  std::int64_t elements = 0;
  int chunks = 1;
  std::int64_t per_chunk =
      0;         // 0: as evenly as can be, the larger ones first; else chunks of so many elements,
                 // the last takes the rest, and where they run out chunks are empty
  int rows = 1;  // the vector is so many equal vectors, each cut alike

  std::int64_t begin(int chunk) const;  // first element
  std::int64_t size(int chunk) const { return begin(chunk + 1) - begin(chunk); }
  bool operator==(const Cut&) const = default;
};

}  // namespace wt::collective
