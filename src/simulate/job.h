#pragma once
// What is played and what came of it, as flat arrays of plain values that pass through a pipe as they are. A
// job knows nothing of plans: simulate/translate.h makes one of a plan, simulate/player.h plays it.

#include <cstdint>
#include <span>
#include <vector>

namespace wt::simulate {

inline constexpr std::int32_t nobody = -1;

// When all it waits for is done, `delay` seconds pass (a kernel's time, or a flow's latency), then `bytes`
// flow over the route; no sooner than at the end of the activity it stands behind. Without bytes or without a
// route it ends there and then.
struct Activity {
  double delay{};
  std::int64_t bytes{};
  std::int32_t first_link{};  // in Job::routes
  std::int32_t links{};
  std::int32_t behind = nobody;  // smaller than its own id
};

struct Job {
  std::vector<Activity> activities{};
  std::vector<std::int64_t> first_after{
      0};                             // activity i waits for after[first_after[i]] up to first_after[i + 1]
  std::vector<std::int32_t> after{};  // activities
  std::vector<std::int32_t>
      routes{};                      // links; several activities may share a piece; a link stands once in it
  std::vector<double> bandwidths{};  // by link, bytes per second

  // Appends an activity that waits for others. Its route is a piece of routes; see add_route.
  std::int32_t add(Activity activity, std::span<const std::int32_t> waits_for = {});
  Activity flow(double latency, std::int64_t bytes,
                std::span<const std::int32_t> route);  // with its own piece

  std::span<const std::int32_t> waits_of(std::size_t activity) const;
  std::span<const std::int32_t> route_of(const Activity& activity) const;
  double bottleneck(const Activity& activity) const;  // the least bandwidth of its route
  bool flows(const Activity& activity) const { return activity.bytes > 0 && activity.links > 0; }
};

struct Interval {
  double start{};  // of the delay
  double end{};
};

struct LinkLoad {
  std::int64_t carried{};  // bytes
  double busy{};           // seconds with at least one flow
};

// How it was played: for benchmarks and tests.
struct Effort {
  std::int64_t alone{};      // flows that met nobody on their links
  std::int64_t following{};  // flows of components and lanes that another, equal one was played for
  std::int64_t shared{};     // flows that SimGrid played from their first byte on
  std::int64_t overtaken{};  // began alone or following and went on as SimGrid's
  std::int64_t timers{};     // of SimGrid's clock
};

struct Outcome {
  std::vector<Interval> activities{};
  std::vector<LinkLoad> links{};
  double end{};
  Effort effort{};
};

// Fails an expectation on what no job may hold: unknown activities or links, an activity behind a later one, a
// link twice in a route, negative or infinite amounts.
void check(const Job& job);

}  // namespace wt::simulate
