#pragma once

#include <span>
#include <string>
#include <vector>

namespace wt::collective {

// `count` neighbouring chunks, beginning with `first`.
struct Range {
  int first = 0;
  int count = 0;

  int end() const { return first + count; }
  bool operator==(const Range&) const = default;
};

// A set of chunks, or of slots, in ascending order. It is nearly always one range, for which nothing is
// allocated.
class Chunks {
 public:
  Chunks() = default;
  Chunks(int chunk) : first_{chunk, 1} {}  // NOLINT: `copy(0, 1, chunk)` reads well
  Chunks(int first, int count) : first_{first, count} {}
  // The chunks first, first + 1, ..., `count` in all, modulo `modulus`. Requires: count <= modulus.
  static Chunks around(int first, int count, int modulus);
  static Chunks of(std::vector<int> chunks);      // Requires: no chunk twice. The order doesn't matter.
  static Chunks where(int count, auto&& is_in) {  // the chunks below `count` that satisfy `is_in`
    Chunks chosen;
    for (int chunk = 0; chunk < count; ++chunk)
      if (is_in(chunk)) chosen.add({chunk, 1});
    return chosen;
  }

  void add(Range range);  // Requires: the range lies behind all chunks of the set.
  bool empty() const { return first_.count == 0; }
  int count() const;
  int first() const { return first_.first; }
  std::vector<Range> ranges() const;  // ascending, with a gap between any two
  void each_range(auto&& visit) const {
    if (!empty()) visit(first_);
    for (const Range& range : more_) visit(range);
  }
  void each(auto&& visit) const {
    each_range([&](const Range& range) {
      for (int chunk = range.first; chunk < range.end(); ++chunk) visit(chunk);
    });
  }
  Chunks shifted(int by) const;  // chunk c becomes c + by
  bool operator==(const Chunks&) const = default;

 private:
  Range first_{};
  std::vector<Range> more_{};
};

std::string print(const Chunks& chunks);  // "0", "0-3", "0-3,7"

}  // namespace wt::collective
