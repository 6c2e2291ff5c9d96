#pragma once
// The answer of a simulation: how long a step takes on the described machine, how that time is divided, and
// what bounds it. Plain data; report/ writes it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/rows.h"
#include "plan/timeline.h"

namespace wt::timing {

// The same training on one device of the same machine alone: its first replica, which has several devices
// where each replica has. Every speed-up and every efficiency in this program is relative to this baseline,
// which stands beside it. Weak scaling compares steps with equal rows for each replica, strong scaling steps
// with an equal batch (Gustafson, 1988, and Amdahl, 1967).
struct Baseline {
  std::int64_t devices = 1;  // of one replica
  bool is_weak = true;       // true: with the rows of one replica; false: with the rows of the whole batch
  std::int64_t rows = 0;
  Seconds step{};
  double samples_per_second = 0;
  bool fits = true;  // into the memory of these devices; the time is simulated without regard to that
};

// The input pipeline of the slowest host.
struct RowsPipeline {
  std::int64_t rows = 0;  // of a step
  Seconds batch{};        // time that the host needs for these rows
  std::string limit{};    // the slower part: "decoding", "storage"
  std::string
      decoders{};  // what decodes, if its rate is derived: "16 cores of each worker's host, each 9 us a row"
  std::int64_t prefetch = 0;  // batches that are prepared ahead
  bool is_bound = false;      // the pipeline determines the time of the step
};

// Compilations of programs for a TPU. Their time is not part of the steps.
struct Compiles {
  std::vector<std::int64_t> rows{};  // by program, the rows of a batch for which it is compiled
  Seconds each{};                    // time of one compilation
};

// Gradient accumulation: of so many steps all but one only add their gradients to those of the steps before, on each
// replica apart, and the last one reduces their sum and updates the weights.
struct Accumulation {
  std::int64_t steps = 1;
  Seconds step{};  // of those that only accumulate
};

// Several consecutive steps. The reported step is the steady one, or else the mean of the steps after the
// first.
struct Course {
  std::int64_t played = 0;  // number of simulated steps
  Seconds first{};
  std::optional<std::int64_t> steady_from{};  // the first step that the later ones repeat
  // With jitter.
  double jitter = 0;
  Seconds median{};
  Seconds p95{};
};

// The time of a step in a phase of the training, until the set of slow devices changes.
struct PhaseTime {
  std::int64_t from_step = 0;
  Seconds step{};
  std::vector<std::string> slow{};  // "GPU:1 x 1.3"
};

// What losses of workers cost a pool.
struct PoolLosses {
  std::int64_t losses = 0;  // of workers, before the end
  Seconds away{};           // the time that workers were away until the end, added up over workers
  // How often a worker's network carried nothing for a time too short to miss a heartbeat.
  std::int64_t stalls = 0;
  Seconds stalled{};            // added up over workers
  std::int64_t executions = 0;  // of closures that were cut off and executed again
  std::int64_t batches = 0;     // that these executions had read
  std::int64_t updates = 0;  // of variables, by these executions: the closures update the variables once more
  std::int64_t closures = 0;        // that were completed
  std::int64_t never_executed = 0;  // closures that are left, because no worker is
  Seconds end{};
  std::optional<Seconds> undisturbed{};  // the end without losses; unset: not played
};

// A training without steps in common: each worker pulls variables, computes and pushes gradients as often as
// it can.
struct PoolTime {
  struct Share {
    std::string name{};
    double share = 0;
  };
  std::int64_t workers = 1;
  std::int64_t servers = 1;
  std::int64_t closures = 0;  // that were simulated
  Seconds end{};              // of all of them
  Seconds interval{};         // between the ends of two closures, once the workers have drifted apart
  double updates_per_second() const { return 1 / interval.count(); }
  std::vector<std::int64_t> staleness{};  // by staleness, the number of updates of variables that had it
  std::vector<double> by_worker{};        // the mean staleness of each worker's updates
  double mean_staleness = 0;
  double coordinator = 0;             // the share of the time in which it dispatches
  std::vector<Share> servers_busy{};  // the share of the time in which each server applies updates
  Share busiest_link{};               // the share of its capacity that it carries

  // The interval between the ends of two closures if nothing but this limited the workers. It is at least the
  // largest of these, and longer where closures meet at a server or in a queue.
  struct Limit {
    std::string
        name{};  // "the coordinator", "the CPU of ...", "link ...", "the workers", "the joins of the coordinator"
    Seconds alone{};
  };
  std::vector<Limit> limits{};  // the largest first
  const std::string& bottleneck() const { return limits.front().name; }
  // How many workers wait for the coordinator, for a server or for the messages of others, on average.
  double waiting_workers = 0;

  // Closures that wait for the coordinator or for the CPU of a server: on average and at most.
  struct Queue {
    std::string name{};
    double mean = 0;
    std::int64_t longest = 0;
  };
  std::vector<Queue> queues{};

  std::optional<PoolLosses> losses{};  // unset: no worker can be lost; the rest is of a pool without losses
};

// A step on the described machine. All times are simulated. They are those of the first replica's device: the
// step is the sum of its compute time and of the times during which it waits for rows, for communication, and
// for others.
struct Simulated {
  std::string platform{};
  std::string device{};     // "NVIDIA Tesla P100 SXM2"
  std::string precision{};  // of products and convolutions
  Seconds step{};
  Seconds compute{};        // time during which the device's compute stream is busy
  Seconds input{};          // time during which it waits for rows
  Seconds communication{};  // time during which values move between devices or are added
  Seconds exposed{};        // the part of `communication` during which the device computes nothing
  Seconds software{};   // time in which the device has nothing to do but to wait for the framework's software
  Seconds waiting{};    // time during which it waits for other replicas
  Seconds bound{};      // lower bound for such a device: peak rates without losses
  std::string basis{};  // source of the compute times (plan::Costs::basis), then `transport`
  // What the times of messages between machines rest on, if TensorFlow sends them itself. Empty: a library
  // does.
  std::string transport{};
  double samples_per_second = 0;
  double utilization = 0;  // MFU: FLOPs of products and convolutions over those at peak rate during the step
  std::optional<Baseline> baseline{};  // absent: not compared
  double efficiency = 1;               // samples per second and device, relative to the baseline
  std::optional<PoolTime>
      pool{};  // set if workers don't wait for each other; `step` is one worker's closure then
  std::optional<Accumulation>
      accumulation{};  // absent: each step updates the weights; else `step` is one that does
  // What a step adds to a training, on average.
  Seconds each_step() const {
    if (pool) return pool->interval;
    if (!accumulation) return step;
    const auto steps = static_cast<double>(accumulation->steps);
    return (accumulation->step * (steps - 1) + step) / steps;
  }
  plan::RowCopies copies{};                // of rows to the devices
  bool has_encoded_rows = false;           // in files of text or records, which a host decodes
  std::optional<RowsPipeline> pipeline{};  // absent: rows take no time except their copy
  std::optional<Course> course{};          // absent: a single step was simulated
  std::optional<Compiles> compiles{};      // absent: not modelled
  std::vector<PhaseTime> phases{};         // empty: no device slows down; else the rest is of the last
  std::vector<plan::LinkUse> links{};

  // Samples per second, relative to the baseline. Requires: there is one.
  double speed_up() const { return samples_per_second / baseline->samples_per_second; }
};

}  // namespace wt::timing
