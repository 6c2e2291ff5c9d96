#include "simulate/job.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/error.h"
#include "base/narrow.h"

namespace wt::simulate {

std::int32_t Job::add(Activity activity, std::span<const std::int32_t> waits_for) {
  activities.push_back(activity);
  after.insert(after.end(), waits_for.begin(), waits_for.end());
  first_after.push_back(static_cast<std::int64_t>(after.size()));
  return narrow<std::int32_t>(activities.size() - 1);
}

Activity Job::flow(double latency, std::int64_t bytes, std::span<const std::int32_t> route) {
  const auto first = narrow<std::int32_t>(routes.size());
  routes.insert(routes.end(), route.begin(), route.end());
  return {.delay = latency, .bytes = bytes, .first_link = first, .links = narrow<std::int32_t>(route.size())};
}

std::span<const std::int32_t> Job::waits_of(std::size_t activity) const {
  const auto first = static_cast<std::size_t>(first_after[activity]);
  return std::span(after).subspan(first, static_cast<std::size_t>(first_after[activity + 1]) - first);
}

std::span<const std::int32_t> Job::route_of(const Activity& activity) const {
  return std::span(routes).subspan(static_cast<std::size_t>(activity.first_link),
                                   static_cast<std::size_t>(activity.links));
}

double Job::bottleneck(const Activity& activity) const {
  double least = std::numeric_limits<double>::infinity();
  std::int32_t last = none;
  int times = 0;
  for (const std::int32_t link : route_of(activity)) {
    times = link == last ? times + 1 : 1;
    last = link;
    least = std::min(least, bandwidths[static_cast<std::size_t>(link)] / times);
  }
  return least;
}

namespace {

bool is_amount(double value) { return std::isfinite(value) && value >= 0; }

void check_faults(const Tasks& tasks) {
  const auto is_worker = [&](std::int32_t worker) {
    return worker >= 0 && worker < std::ssize(tasks.first) - 1;
  };
  for (const Absence& absence : tasks.absences)
    WT_EXPECT(is_worker(absence.worker) && is_amount(absence.from) && absence.until >= absence.from &&
                  (!absence.is_stall || std::isfinite(absence.until)),
              "worker {} of {} is away from {} s to {} s", absence.worker, tasks.workers(), absence.from,
              absence.until);
  for (const SlowWorker& slow : tasks.slow)
    WT_EXPECT(is_worker(slow.worker) && is_amount(slow.factor), "worker {} of {} takes {} times as long",
              slow.worker, tasks.workers(), slow.factor);
}

void check_shape(const Job& job) {
  WT_EXPECT(job.first_after.size() == job.activities.size() + 1, "{} offsets for {} activities",
            job.first_after.size(), job.activities.size());
  WT_EXPECT(job.first_after.front() == 0 && job.first_after.back() == std::ssize(job.after) &&
                std::is_sorted(job.first_after.begin(), job.first_after.end()),
            "the offsets go from {} to {}, and there are {} waits", job.first_after.front(),
            job.first_after.back(), job.after.size());
  for (const std::int32_t other : job.after) {
    const bool is_known = other >= 0 && other < std::ssize(job.activities);
    WT_EXPECT(is_known, "an activity waits for activity {} of {}", other, job.activities.size());
  }
  for (std::size_t link = 0; link < job.bandwidths.size(); ++link) {
    const double bandwidth = job.bandwidths[link];
    WT_EXPECT(is_amount(bandwidth) && bandwidth > 0, "the bandwidth of link {} is {} B/s", link, bandwidth);
  }
}

void check_route(const Job& job, std::size_t id) {
  const Activity& activity = job.activities[id];
  WT_EXPECT(activity.first_link >= 0 && activity.links >= 0 &&
                activity.first_link + std::int64_t{activity.links} <= std::ssize(job.routes),
            "the route of activity {} is {} links from position {} of {}", id, activity.links,
            activity.first_link, job.routes.size());
  const std::span<const std::int32_t> route = job.route_of(activity);
  for (std::ptrdiff_t hop = 0; hop < std::ssize(route); ++hop) {
    const bool is_known = route[hop] >= 0 && route[hop] < std::ssize(job.bandwidths);
    WT_EXPECT(is_known, "activity {} uses link {} of {}", id, route[hop], job.bandwidths.size());
    if (hop > 0 && route[hop] == route[hop - 1]) continue;
    const bool is_new = std::find(route.begin(), route.begin() + hop, route[hop]) == route.begin() + hop;
    WT_EXPECT(is_new, "activity {} uses link {} twice, with others between", id, route[hop]);
  }
}

// The task that an activity belongs to; the number of tasks if it belongs to none.
std::size_t task_of(const Tasks& tasks, std::size_t activity) {
  const auto id = static_cast<std::int32_t>(activity);
  if (tasks.workers() == 0 || id < tasks.first.front() || id >= tasks.first.back()) return tasks.workers();
  return static_cast<std::size_t>(std::ranges::upper_bound(tasks.first, id) - tasks.first.begin()) - 1;
}

void check_tasks(const Job& job) {
  const Tasks& tasks = job.tasks;
  if (tasks.first.empty()) return;
  const bool is_ascending =
      std::ranges::adjacent_find(tasks.first, std::greater_equal<>()) == tasks.first.end();
  WT_EXPECT(is_ascending && tasks.first.front() >= 0 && tasks.first.back() <= std::ssize(job.activities),
            "the tasks of {} workers are no ranges of {} activities", tasks.workers(), job.activities.size());
  WT_EXPECT(tasks.runs >= 0 && (tasks.paces.empty() || std::ssize(tasks.paces) == tasks.runs),
            "there are {} paces for {} runs", tasks.paces.size(), tasks.runs);
  check_faults(tasks);
  WT_EXPECT(tasks.at_once > 0, "a worker takes {} runs", tasks.at_once);
  WT_EXPECT(tasks.round >= 0, "a round has {} runs", tasks.round);
  for (const double pace : tasks.paces) WT_EXPECT(is_amount(pace), "the pace of a run is {}", pace);
  for (std::size_t id = 0; id < job.activities.size(); ++id)
    for (const std::int32_t other : job.waits_of(id)) {
      const bool is_of_same = task_of(tasks, id) == task_of(tasks, static_cast<std::size_t>(other));
      WT_EXPECT(is_of_same, "activity {} waits for activity {}, which is not of its task", id, other);
    }
}

}  // namespace

void check(const Job& job) {
  check_shape(job);
  check_tasks(job);
  for (std::size_t id = 0; id < job.activities.size(); ++id) {
    const Activity& activity = job.activities[id];
    WT_EXPECT(is_amount(activity.delay) && activity.bytes >= 0,
              "activity {} has a delay of {} s and {} bytes", id, activity.delay, activity.bytes);
    const bool is_behind_earlier = activity.behind >= none && activity.behind < static_cast<std::int64_t>(id);
    WT_EXPECT(is_behind_earlier, "activity {} is behind activity {}, which isn't smaller", id,
              activity.behind);
    WT_EXPECT(activity.station >= none && activity.station < job.stations,
              "activity {} occupies station {} of {}", id, activity.station, job.stations);
    check_route(job, id);
  }
}

}  // namespace wt::simulate
