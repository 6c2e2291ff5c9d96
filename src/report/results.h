// report/: what a run came to, written down for people and scripts: results.json (its schema is
// scenarios/schema/results.json), steps.csv, and the folder that they lie in. Nothing of the machine at hand
// gets in, no wall time, no path, no count of threads: the same scenario gives the same bytes (one that measures
// kernels, the same bytes for the same profile.json). Read on in
// report/folder.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/memory_report.h"
#include "plan/timeline.h"
#include "train/model.h"

namespace wt::report {

struct Epoch {
  train::EpochResult training{};
  std::optional<train::EpochResult> evaluation{};
};

// How a strategy brings the replicas' gradients together.
struct Reduction {
  std::string name{};       // TensorFlow's: "CollectiveAllReduce (NCCL)"
  std::string algorithm{};  // "ring"
  std::string protocol{};   // of NCCL: "Simple"
  std::string why{};
  std::string otherwise{};   // what NCCL would take, where something else runs
  bool is_librarys = false;  // NCCL carries it out
};

// Known before anything runs.
struct Planned {
  std::string model{};
  std::int64_t trainable_parameters = 0;
  std::int64_t other_parameters = 0;
  std::int64_t replicas = 1;
  std::int64_t devices_of_each = 1;          // replica: cores of TPUs
  std::int64_t workers = 1;                  // tasks that take part
  std::vector<std::int64_t> replica_rows{};  // of a whole batch, by replica
  std::optional<Reduction> reduction{};      // several replicas
  std::int64_t global_batch = 0;
  std::int64_t epochs = 0;
  std::int64_t steps = 0;  // all epochs together
  plan::MemoryReport memory{};
  std::optional<std::int64_t> steps_per_epoch{};  // absent: rows without end
};

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
struct Phase {
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
  std::vector<Phase> phases{};             // with devices that slow down; the last one is told of
  std::vector<plan::LinkUse> links{};
};

// A step that a worker doesn't reach: who waits for it, and how that ends.
struct LostWorker {
  std::string worker{};
  std::int64_t step = 0;
  std::string collective{};  // the first that waits
  std::vector<std::string> arrived{};
  std::vector<std::string> missing{};
  Seconds arrival{};      // since the training began
  Seconds end{};          // of the job
  std::string status{};   // "UNAVAILABLE"
  std::string message{};  // TensorFlow's text
};

// A step in which a collective takes longer than it is given, counted from the first that enters it.
struct TimedOut {
  std::int64_t step = 0;
  std::string collective{};
  std::string last{};  // the device that entered it last
  Seconds late{};      // so long after the first
  Seconds arrival{};   // of the first, since the training began
  Seconds span{};      // from there to its end, had it been let
  Seconds timeout{};
  Seconds end() const { return arrival + timeout; }  // of the job
};

// TensorFlow's, when a collective's time is over; all later ones fail at once.
inline constexpr std::string_view timed_out_status = "DEADLINE_EXCEEDED";
inline constexpr std::string_view timed_out_message = "Collective has timed out during execution.";

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
  std::optional<Simulated> simulated{};          // with a platform: a step with a whole batch
  std::map<std::int64_t, Seconds> step_times{};  // by step; simulated
  std::optional<std::string> out_of_memory{};    // TensorFlow's text: the job ended there
  std::optional<LostWorker> lost{};              // the job ended with it
  std::optional<TimedOut> timed_out{};           // or with that
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

inline constexpr std::string_view results_format = "windtunnel results";

// A loss that is no number any more (NaN, infinite) is null.
std::string results_json(const Results& results);
std::string steps_csv(const Results& results);

// For people: a row per epoch.
std::string epochs_table(const Results& results);
std::string planned_text(const Planned& planned);
std::string simulated_text(const Simulated& simulated);
std::string lost_text(const LostWorker& lost);
std::string timed_out_text(const TimedOut& timed_out);
std::string turns_text(const Turns& turns);

}  // namespace wt::report
