#include "session/largest_batch.h"

#include <algorithm>

namespace wt::session {

namespace {

class Search {
 public:
  Search(const MemoryOfRows& memory_of, Bytes limit, std::int64_t most)
      : memory_of_(memory_of), limit_(limit), bad_(most + 1) {}

  std::optional<std::int64_t> run() {
    if (!fits(1)) return std::nullopt;
    // From two rows the line is coarse. A little below it lies a batch from which it is exact.
    if (fits(2) && fits(line(0.9))) fits(line(1));
    const bool upwards = last_fits_;
    for (std::int64_t step = 1; is_open() && last_fits_ == upwards; step *= 2)
      fits(upwards ? good_ + step : bad_ - step);
    while (is_open()) fits(good_ + (bad_ - good_) / 2);
    return good_;
  }

 private:
  bool is_open() const { return bad_ - good_ > 1; }

  // The rows of which this share is above those that are known to fit, up to where the memory meets the limit.
  std::int64_t line(double share) const {
    const double left = static_cast<double>((limit_ - memory_).count());
    const double rows = per_row_ > 0 ? left / per_row_ : static_cast<double>(bad_ - good_);
    return good_ + static_cast<std::int64_t>(share * std::min(rows, static_cast<double>(bad_ - good_)));
  }

  bool fits(std::int64_t rows) {
    if (good_ > 0) rows = std::clamp(rows, good_ + 1, bad_ - 1);
    if (good_ > 0 && !is_open()) return false;
    const std::optional<Bytes> memory = memory_of_(rows);
    last_fits_ = memory.has_value();
    if (!memory) {
      bad_ = rows;
      return false;
    }
    if (good_ > 0)
      per_row_ = static_cast<double>((*memory - memory_).count()) / static_cast<double>(rows - good_);
    good_ = rows;
    memory_ = *memory;
    return true;
  }

  const MemoryOfRows& memory_of_;
  Bytes limit_;
  std::int64_t good_ = 0;  // the largest batch that is known to fit; 0: none
  std::int64_t bad_ = 0;   // the smallest batch that is known not to fit, or is not wanted
  Bytes memory_{};         // of the batch that fits
  double per_row_ = 0;     // by which it grew since the batch that fitted before
  bool last_fits_ = false;
};

}  // namespace

std::optional<std::int64_t> largest_batch(const MemoryOfRows& memory_of, Bytes limit, std::int64_t most) {
  return Search(memory_of, limit, most).run();
}

}  // namespace wt::session
