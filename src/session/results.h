#pragma once
// What a scenario's training came to: what was planned, simulated and computed. Plain data; report/ writes it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "session/planned.h"
#include "timing/ending.h"
#include "timing/simulated.h"
#include "train/model.h"

namespace wt::session {

struct Epoch {
  train::EpochResult training{};
  std::optional<train::EpochResult> evaluation{};
};

// Replicas that have no room side by side in host.logical_devices, in each step.
struct Turns {
  std::int64_t swaps = 0;  // arenas brought in
  Bytes swapped{};         // in and out
};

struct Results {
  std::string version{};  // of the program
  std::string name{};
  std::string strategy{};
  std::string semantics{};
  std::string numerics = "cpu";  // what computed; none: only what is planned is here
  bool has_numbers() const { return numerics != "none"; }
  Planned planned{};
  std::optional<timing::Simulated> simulated{};  // with a platform: a step with a whole batch
  std::map<std::int64_t, Seconds> step_times{};  // by step; simulated
  std::optional<std::string> out_of_memory{};    // TensorFlow's text: the job ended there
  std::optional<timing::LostWorker> lost{};      // the job ended with it
  std::optional<timing::TimedOut> timed_out{};   // or with that
  // The step that the job ended in; none: it was done.
  std::optional<std::int64_t> last_step() const {
    if (timed_out) return timed_out->step;
    return lost ? std::optional(lost->step) : std::nullopt;
  }
  std::optional<Turns> turns{};  // absent: side by side
  // Empty without numbers. A training that goes on from a checkpoint begins at the checkpoint's epoch.
  std::vector<train::StepResult> steps{};
  std::vector<Epoch> epochs{};
  std::optional<train::EpochResult> evaluation{};  // after training
};

std::string print(const Turns& turns);  // for people

}  // namespace wt::session
