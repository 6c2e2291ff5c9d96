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
    for (std::int64_t step = 1; bad_ - good_ > 1;) {
      // At least the step, which doubles, so that a line that falls short doesn't crawl.
      while (bad_ - good_ > 1 && fits(std::clamp(std::max(line(), good_ + step), good_ + 1, bad_ - 1)))
        step *= 2;
      step = 1;
      if (bad_ - good_ > 1) fits(good_ + (bad_ - good_) / 2);
    }
    return good_;
  }

 private:
  // Where the line through the last two batches that fit meets the limit; without a line the last one.
  std::int64_t line() const {
    const double left = static_cast<double>((limit_ - memory_).count());
    const double rows = per_row_ > 0 ? left / per_row_ : 0;
    return good_ + static_cast<std::int64_t>(std::min(rows, static_cast<double>(bad_ - good_)));
  }

  bool fits(std::int64_t rows) {
    const std::optional<Bytes> memory = memory_of_(rows);
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
};

}  // namespace

std::optional<std::int64_t> largest_batch(const MemoryOfRows& memory_of, Bytes limit, std::int64_t most) {
  return Search(memory_of, limit, most).run();
}

}  // namespace wt::session
