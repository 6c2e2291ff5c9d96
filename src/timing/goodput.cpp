#include "timing/goodput.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "timing/failures.h"

namespace wt::timing {

double expected_failures(const Segments& job) {
  const Seconds m = job.between_failures;
  return job.count * std::exp((job.restart + job.written) / m) * std::expm1(job.each() / m);
}

Seconds expected_time(const Segments& job) { return job.between_failures * expected_failures(job); }

// The derivative of e^((t+d)/M) - 1 over t is 0 where e^((t+d)/M) (1 - t/M) is 1. The left side falls from above 1 at
// t = 0 to 0 at t = M.
Seconds best_interval(Seconds checkpoint, Seconds between_failures) {
  WT_EXPECT(checkpoint > Seconds(0) && between_failures > Seconds(0), "{} s of {} s", checkpoint.count(),
            between_failures.count());
  const double d = checkpoint / between_failures;
  double low = 0, high = 1;
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double t = (low + high) / 2;
    (std::log1p(-t) + t + d > 0 ? low : high) = t;
  }
  return between_failures * ((low + high) / 2);
}

Seconds daly_interval(Seconds checkpoint, Seconds between_failures) {
  const double d = checkpoint / (between_failures * 2);
  if (d >= 1) return between_failures;
  return between_failures * (2 * std::sqrt(d) * (1 + std::sqrt(d) / 3 + d / 9) - 2 * d);
}

namespace {

struct PlayedJob {
  Seconds time{};
  std::int64_t failures = 0;
};

PlayedJob play(const Segments& job, DrawnTimes& failures) {
  PlayedJob played;
  const auto all = static_cast<std::int64_t>(std::ceil(job.count));
  std::int64_t done = 0;
  for (Seconds left = failures.next();; left = failures.next()) {
    const auto ends = static_cast<double>(all - done);
    const double whole = std::floor(left / job.each());
    if (whole >= ends) {
      played.time += job.each() * ends;
      return played;
    }
    done += static_cast<std::int64_t>(whole);
    if (whole > 0 && left - job.each() * whole < job.written) --done;
    played.time += left;
    ++played.failures;
    for (left = failures.next(); left < job.restart; left = failures.next()) {
      played.time += left;
      ++played.failures;
    }
    // Failures have no memory: what is left until the next one after a restart is distributed like a fresh draw.
    played.time += job.restart;
  }
}

}  // namespace

std::optional<PlayedJobs> play_jobs(const Segments& job, std::int64_t jobs, std::int64_t seed) {
  constexpr double affordable = 3e6;  // failures of all jobs; a second
  const double failures = expected_failures(job);
  if (!(failures < affordable)) return std::nullopt;
  PlayedJobs played{.jobs = std::clamp<std::int64_t>(
                        static_cast<std::int64_t>(affordable / std::max(1.0, failures)), 1, jobs)};
  std::vector<Seconds> times;
  Seconds sum{};
  for (std::int64_t i = 0; i < played.jobs; ++i) {
    DrawnTimes drawn(job.between_failures, Seed{seed, i});
    const PlayedJob one = play(job, drawn);
    times.push_back(one.time);
    sum += one.time;
    played.failures += static_cast<double>(one.failures) / static_cast<double>(played.jobs);
  }
  std::ranges::sort(times);
  played.mean = sum / static_cast<double>(played.jobs);
  played.low = times[times.size() / 10];
  played.high = times[times.size() - 1 - times.size() / 10];
  return played;
}

}  // namespace wt::timing
