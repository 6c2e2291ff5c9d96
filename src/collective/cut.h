#pragma once

#include <cstdint>

namespace wt::collective {

// How a vector is cut into chunks. It is a formula instead of a list, because a vector of 65,536 ranks has as
// many chunks or more.
struct Cut {
  std::int64_t elements = 0;
  int chunks = 1;
  // If 0, chunks are as equal as possible and the larger ones come first. Otherwise every chunk has this many
  // elements, except that the last chunk takes the rest, and chunks behind the end of the vector are empty.
  std::int64_t per_chunk = 0;
  int rows = 1;  // The vector consists of this many equal vectors, and each of them is cut alike.

  std::int64_t begin(int chunk) const;  // first element
  std::int64_t size(int chunk) const { return begin(chunk + 1) - begin(chunk); }
  bool operator==(const Cut&) const = default;
};

}  // namespace wt::collective
