#pragma once
// The faults that a scenario describes, with the replicas, tasks and links that they affect. Scripted faults begin
// before a step or at a time. Random ones are drawn while the training is played (timing/failures.h).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "platform/platform.h"

namespace wt::timing {

// Steps from the first to before the last of them, counted from 0.
struct StepRange {
  std::int64_t from = 0;
  std::optional<std::int64_t> until{};  // unset: to the end of the training
};

// Replicas whose kernels take `factor` times as long.
struct Slowed {
  std::string what{};                   // the device, as the scenario names it
  std::vector<std::size_t> replicas{};  // workers, if these take closures from a queue
  double factor = 1;
  StepRange steps{};
};

// Links that carry a `factor`-th of their bytes per second.
struct Degraded {
  std::string what{};  // the worker or the link, as the scenario names it
  std::vector<platform::LinkId> links{};
  double factor = 1;
  StepRange steps{};
};

enum class FailureKind : std::uint8_t {
  killed,     // the process ends without a word
  preempted,  // the process gets a notice, and ends after a grace period
  cut         // the process goes on, and its machine's network carries nothing for a time
};
std::string_view name(FailureKind kind);  // "killed"

// Which part of the job is lost.
enum class Victim : std::uint8_t { worker, server, coordinator };

// Something that a training may not survive.
struct Failure {
  FailureKind kind{};
  Victim victim{};
  int task = 0;        // of a worker, the number in cluster::Replica::task; of a server, its index
  std::string name{};  // "/job:worker/replica:0/task:1"
  // The first step that the victim does not reach, if no time is set. A step that is trained again after a
  // restart does not meet the failure a second time.
  std::int64_t step = 0;
  std::optional<Seconds> time{};  // since the beginning of the first step
  Seconds back_after{};           // until the victim's machine, or the network, can be used again
  Seconds grace{};                // of a preemption, from its notice to the end of the process
};

// Failures that come at random, independently of each other and of the past. Each is one of `parts`, all of which are
// equally likely.
struct RandomFailures {
  Seconds mean_time{};  // between two failures of all parts together
  std::vector<Failure> parts{};
};

struct Faults {
  std::vector<Slowed> slowed{};
  std::vector<Degraded> degraded{};
  std::vector<Failure> failures{};  // in the scenario's order
  std::vector<RandomFailures> random{};

  bool can_end_training() const { return !failures.empty() || !random.empty(); }
};

}  // namespace wt::timing
