#pragma once
// The failures of a training in the order of their times: those that have a time in the scenario, and those that are
// drawn. Times between random failures of one kind are exponentially distributed, since what fails has no memory, and
// come from the seed alone.

#include <vector>

#include "base/random.h"
#include "timing/faults.h"

namespace wt::timing {

// Times from one random event to the next, exponentially distributed.
class DrawnTimes {
 public:
  DrawnTimes(Seconds mean, Seed seed);
  Seconds next();
  double uniform();  // above 0 and below 1

 private:
  Seconds mean_;
  PhiloxStream stream_;
  PhiloxCounter block_{};
  std::int64_t at_ = 0;
};

class Failures {
 public:
  // Failures that come before a step, without a time of their own, are not among them. Requires: the faults outlive
  // this object.
  Failures(const Faults& faults, std::int64_t seed);

  // The next failure, with its time, if there is one. It stays until it is taken.
  const Failure* next() const { return coming_.empty() ? nullptr : &coming_.front().failure; }
  // Throws InputError if more failures have been drawn than anybody would wait for.
  void take();

 private:
  struct Coming {
    Failure failure{};
    std::size_t source = 0;  // in `drawn_`; its size: the scenario
  };
  struct Drawn {
    const RandomFailures* of = nullptr;
    DrawnTimes times;
    Seconds last{};
  };

  void draw(std::size_t source);
  void insert(Coming coming);

  std::vector<Drawn> drawn_{};
  std::int64_t taken_ = 0;
  std::vector<Coming> coming_{};  // sorted by time; of each source of random failures, only the next one
};

}  // namespace wt::timing
