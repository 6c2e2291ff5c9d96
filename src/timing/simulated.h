#pragma once
// The answer of a simulation: how long a step takes on the described machine, how that time is divided, and what
// bounds it. Plain data; report/ writes it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/timeline.h"

namespace wt::timing {

// The same training on one of the devices, or where a replica has several, by one replica.
struct Baseline {
  std::int64_t devices = 1;
  bool is_weak = true;  // with as many rows as each replica has; else with the whole batch
  std::int64_t rows = 0;
  Seconds step{};
  double samples_per_second = 0;
};

// What brings a host its rows: of all hosts the slowest.
struct RowsPipeline {
  std::int64_t rows = 0;  // of a step
  Seconds batch{};        // for them
  std::string limit{};    // "decoding", "storage"
  std::int64_t prefetch = 0;
  bool is_bound = false;  // a step takes no longer
};

// Programs that a TPU's compiler makes, beside the steps.
struct Compiles {
  std::vector<std::int64_t> rows{};  // a program for each
  Seconds each{};
};

// Steps one after the other. What is told of a step is the steady one, or the mean behind the first.
struct Course {
  std::int64_t played = 0;
  Seconds first{};
  std::optional<std::int64_t> steady_from{};  // the first step that the later ones repeat
  // With jitter.
  double jitter = 0;
  Seconds median{};
  Seconds p95{};
};

// The same, until devices slow down or others do.
struct PhaseTime {
  std::int64_t from_step = 0;
  Seconds step{};
  std::vector<std::string> slow{};  // "GPU:1 x 1.3"
};

// A step on the described machine. All times are simulated. Of several replicas, the first one's device is
// told of; its step is what it computes, and what else it waits for: communication, rows, the other replicas.
struct Simulated {
  std::string platform{};
  std::string device{};     // "NVIDIA Tesla P100 SXM2"
  std::string precision{};  // of products and convolutions
  Seconds step{};
  Seconds compute{};        // the device's stream is busy
  Seconds input{};          // it waits for the rows' copy
  Seconds communication{};  // values are on their way between devices, or are added
  Seconds exposed{};        // of it, while the device computes nothing
  Seconds waiting{};        // for others
  Seconds bound{};          // no such device can be faster: peak rates, no losses
  std::string basis{};
  double samples_per_second = 0;
  double utilization = 0;  // MFU: operations of products and convolutions, over the step at peak rate
  std::optional<Baseline> baseline{};      // several replicas
  double efficiency = 1;                   // samples per second and device, over the baseline's
  std::optional<RowsPipeline> pipeline{};  // absent: input assumed free, but for the rows' copy
  std::optional<Course> course{};          // absent: one step tells
  std::optional<Compiles> compiles{};      // absent: not modelled
  std::vector<PhaseTime> phases{};         // with devices that slow down; the last one is told of
  std::vector<plan::LinkUse> links{};
};

}  // namespace wt::timing
