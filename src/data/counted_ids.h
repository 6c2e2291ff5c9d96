#pragma once
// How often each id was looked up, as counted: a CSV file with a line for each id, or for each range of ids that are
// equally likely. Ids without a line are never looked up.
//
//   id,count            first,last,count
//   0,1200              0,99,50000
//   1,810               100,999999999,20000
//   7,3
//
// The counts of a large table don't fit into a file with a line for each id; ranges do.

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace wt::data {

class CountedIds {
 public:
  struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
    double count = 0;  // of all ids of the range together
  };

  // Requires: ranges in ascending order that don't overlap, and a positive sum.
  explicit CountedIds(std::vector<Range> ranges);

  // The part of the look-ups whose id is below `end`.
  double below(double end) const;
  // The id that a uniform number of [0, 1) draws.
  std::int64_t id(double uniform) const;
  std::int64_t largest() const { return ranges_.back().last; }

 private:
  std::vector<Range> ranges_;
  std::vector<double> before_{};  // by range, the sum of the counts of those before; the last is that of all
};

// Lines may come in any order. Throws InputError with all problems of the file, at their lines.
CountedIds read_counted_ids(const std::string& path, const Place& named_at);

}  // namespace wt::data
