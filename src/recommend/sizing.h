#pragma once
// The smallest size of one platform that meets the target, by few forecasts (recommend/search.h).

#include <optional>
#include <string>

#include "recommend/question.h"
#include "recommend/search.h"
#include "recommend/trials.h"

namespace wt::recommend {

// What is held fixed on every platform.
struct Terms {
  Target target{};
  std::int64_t rows_each = 1;                  // at most, of a device in a step
  std::optional<std::int64_t> global_batch{};  // at most; unset: no limit
};

struct Sized {
  Size size{};
  std::int64_t rows = 0;  // of each device
  Timed timed{};
};

struct Sizing {
  std::optional<Sized> smallest{};  // unset: no size meets the target
  std::optional<Sized> fastest{};   // of the sizes that were tried; unset: none can run the scenario
  std::string why_not{};   // why the next size can't be taken, or why none can; set without `smallest`
  bool is_proven = false;  // recommend/search.h
  bool is_monotone = true;
  int tried = 0;  // sizes
};

// `factor` is the throughput that is required, over that of the target. Requires: a target that is no `fit`
// wherever the factor isn't 1.
Sizing smallest(Trials& trials, const Ladder& ladder, const Terms& terms, double factor = 1,
                const Change& change = {});

// Samples per second, or those that an epoch's time comes to, over the target's.
double speed_of(const Timed& timed, const Target& target);

}  // namespace wt::recommend
