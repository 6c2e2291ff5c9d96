#include "recommend/sizing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace wt::recommend {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

class Sizer {
 public:
  Sizer(Trials& trials, const Ladder& ladder, const Terms& terms, const Change& change)
      : trials_(trials), ladder_(ladder), terms_(terms), change_(change) {}

  Sizing run(double factor) {
    Sizing sizing;
    const Found found = search({.count = usable(),
                                .target = factor,
                                .bound = [this](int position) { return bound(position); },
                                .speed = [this](int position) { return speed(position); }});
    if (found.smallest) sizing.smallest = sized(*found.smallest);
    if (const std::optional<int> fastest = found.fastest()) sizing.fastest = sized(*fastest);
    if (!sizing.smallest) sizing.why_not = why_not(found);
    sizing.is_proven = found.is_proven;
    sizing.is_monotone = found.is_monotone;
    sizing.tried = static_cast<int>(found.measured.size());
    return sizing;
  }

 private:
  const Size& size(int position) const { return ladder_.sizes.at(static_cast<std::size_t>(position)); }

  std::int64_t rows_within_batch(int position) const {
    if (!terms_.global_batch) return terms_.rows_each;
    return std::min(terms_.rows_each, *terms_.global_batch / size(position).replicas);
  }

  // Sizes with more devices than the global batch has rows are left out.
  int usable() const {
    int count = 0;
    while (count < static_cast<int>(ladder_.sizes.size()) && rows_within_batch(count) > 0) ++count;
    return count;
  }

  // With the rows of the terms, or the largest power of two below that fits into memory. What doesn't fit on one
  // size fits on no other, since every device holds the whole model.
  Sized sized(int position) {
    Sized found{.size = size(position), .rows = std::min(rows_within_batch(position), rows_that_fit_)};
    while (true) {
      found.timed = trials_.time(ladder_, found.size, found.rows, change_);
      if (!found.timed.is_out_of_memory || found.rows == 1 || terms_.target.fit) return found;
      found.rows = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(found.rows - 1)));
      rows_that_fit_ = found.rows;
    }
  }

  double speed(int position) {
    const Sized found = sized(position);
    if (!found.timed.has_time()) last_reason_ = fmt::format("{}: {}", found.size.text, found.timed.reason);
    return found.timed.has_time() ? speed_of(found.timed, terms_.target) : -1;
  }

  // All devices, each as fast as one alone with the most rows that it may have.
  double bound(int position) {
    if (terms_.target.fit) return unlimited;
    const Timed& first = sized(0).timed;
    if (first.has_time()) {
      const double rate = first.alone * static_cast<double>(size(position).replicas);
      if (terms_.target.samples_per_second) return rate / *terms_.target.samples_per_second;
      // An epoch may drop its last rows, so the rows of its whole batches count.
      const double rows = static_cast<double>(std::max<std::int64_t>(
          1, first.rows_of_epoch - rows_within_batch(position) * size(position).replicas));
      return rate * terms_.target.epoch->count() / rows;
    }
    return unlimited;
  }

  std::string why_not(const Found& found) const {
    if (usable() == 0)
      return fmt::format("a global batch of {} has fewer rows than {} has devices", *terms_.global_batch,
                         size(0).text);
    if (!found.fastest()) return last_reason_;
    if (!found.is_monotone) return "more devices are no faster: each has too few rows of the global batch";
    if (usable() < static_cast<int>(ladder_.sizes.size()))
      return fmt::format("a global batch of {} has no rows for more devices", *terms_.global_batch);
    return ladder_.end;
  }

  Trials& trials_;
  const Ladder& ladder_;
  const Terms& terms_;
  const Change& change_;
  std::int64_t rows_that_fit_ = std::numeric_limits<std::int64_t>::max();
  std::string last_reason_{};
};

}  // namespace

double speed_of(const Timed& timed, const Target& target) {
  if (target.fit) return 1;
  if (target.samples_per_second) return timed.samples_per_second / *target.samples_per_second;
  return timed.epoch > 0 ? target.epoch->count() / timed.epoch : 0;
}

Sizing smallest(Trials& trials, const Ladder& ladder, const Terms& terms, double factor,
                const Change& change) {
  return Sizer(trials, ladder, terms, change).run(factor);
}

}  // namespace wt::recommend
