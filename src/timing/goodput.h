#pragma once
// What failures leave of a training: goodput, the share of a job's time in which it trains steps that are kept.
//
// A training saves a checkpoint after every interval of work. Failures come at random, one in M on average. Each loses
// the work since the last checkpoint and takes a restart of R, in which the next failure may come, too. With work t and
// a checkpoint d the interval takes
//
//   M e^(R/M) (e^((t+d)/M) - 1)
//
// on average (Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future Generation
// Computer Systems, 2006). The work between two checkpoints that loses the least time does not depend on R.

#include <cstdint>
#include <optional>

#include "base/quantity.h"

namespace wt::timing {

// A job as failures see it.
struct Segments {
  double count = 1;      // intervals between two checkpoints
  Seconds work{};        // of each
  Seconds checkpoint{};  // at the end of each
  Seconds restart{};
  Seconds between_failures{};
  // A checkpoint is written beside the training for so long after it. A failure meanwhile loses the work before it, too.
  Seconds written{};
  Seconds each() const { return work + checkpoint; }
};

// The expected number of failures, which may be infinite. Where checkpoints are written beside the training, a failure
// loses, on average, the work of `written` more, which counts as if the restart were longer: right to first order in
// written / between_failures.
double expected_failures(const Segments& job);
Seconds expected_time(const Segments& job);

// The work between two checkpoints for which the expected time of a job is the least. Requires: both are above 0.
Seconds best_interval(Seconds checkpoint, Seconds between_failures);
// Daly's estimate of it, his equation 37.
Seconds daly_interval(Seconds checkpoint, Seconds between_failures);

// Jobs whose failures were drawn.
struct PlayedJobs {
  std::int64_t jobs = 0;
  Seconds mean{};
  Seconds low{};        // a tenth of the jobs are shorter
  Seconds high{};       // a tenth are longer
  double failures = 0;  // of a job, on average
};

// The effort grows with the number of failures, so no more jobs are played than have some millions of them together.
// Returns nothing if a single one has more.
std::optional<PlayedJobs> play_jobs(const Segments& job, std::int64_t jobs, std::int64_t seed);

// What a planner asks of a job.
struct Goodput {
  double share = 0;  // the time of steps over all of the job's time
  Segments segments{};
  double checkpoints = 0;                    // 0: none is saved, and a failure loses everything
  std::optional<Seconds> best{};             // unset: saving takes no time
  std::optional<Seconds> daly{};             // set with it
  std::optional<std::int64_t> best_steps{};  // between two checkpoints
  double best_share = 0;                     // with it
  std::optional<PlayedJobs> played{};
};

}  // namespace wt::timing
