#pragma once
// The results of a scenario's training: what was planned, simulated and computed. They are plain data, which
// report/ writes.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cost/bill.h"
#include "platform/constants_version.h"
#include "session/planned.h"
#include "timing/ending.h"
#include "timing/job_course.h"
#include "timing/job_time.h"
#include "timing/simulated.h"
#include "train/model.h"

namespace wt::session {

// A callback ended the training early, as Keras' EarlyStopping does.
struct Stopped {
  std::int64_t epochs = 0;  // that were trained, from the training's beginning
  std::string by{};         // "EarlyStopping"
};

struct Epoch {
  train::EpochResult training{};
  std::optional<double> learning_rate{};  // unset: no callback changes it
  std::optional<train::EpochResult> evaluation{};
};

// The swaps of each step, if the replicas don't fit side by side into the pieces of host.logical_devices.
struct Turns {
  std::int64_t swaps = 0;  // arenas loaded
  Bytes swapped{};         // bytes loaded and parked
};

// What the cluster's evaluator did with the training's checkpoints. Dates are simulated, from the beginning of the first
// step.
struct Beside {
  struct Evaluation {
    std::int64_t epoch = 0;  // whose weights they are, from 0
    Seconds saved{};
    Seconds begin{};
    Seconds end{};
    std::optional<train::EpochResult>
        result{};  // unset without numbers, and for epochs before a restored one
  };
  std::string device{};
  Seconds each{};         // one evaluation
  bool is_given = false;  // by the scenario: it was not simulated
  std::vector<Evaluation> evaluations{};
  std::int64_t skipped = 0;  // checkpoints that were no longer the newest when the evaluator was free
  Seconds behind{};          // from the last checkpoint to the end of its evaluation

  Evaluation* find(std::int64_t epoch);  // null: it was not evaluated
};

// A user or the operating system ended the training early.
struct Interrupted {
  std::int64_t step = 0;  // the number of completed steps, from the training's beginning
  std::string by{};       // "SIGINT"
};

// What inference alone computed. The file is in the folder of the results, and its rows are in the order of the dataset's.
struct Predictions {
  struct Output {
    std::string name{};  // of the tensor in the file
    TensorSpec spec{};
  };
  std::string file{};
  std::vector<Output> outputs{};
};

// A fault of TensorFlow or Keras that ends the job, as the scenario wants it.
struct EndedByFault {
  train::Fault fault{};
  std::int64_t step = 0;  // after so many steps
  std::string key{};      // of the scenario, to which the fault is due
};

struct Results {
  std::string version{};                        // of the program
  int constants = platform::constants_version;  // the version of the model's constants
  std::string name{};
  std::string strategy{};
  std::string semantics{};
  std::string chosen_semantics{};  // with the reason (Scenario::chosen_semantics)
  std::string numerics = "cpu";    // "none": nothing was computed
  bool has_numbers() const { return numerics != "none"; }
  Planned planned{};
  std::optional<timing::Simulated> simulated{};  // a step of a whole batch; unset without a platform
  std::optional<timing::JobTime> job{};          // of a job that does not end early; unset: not wanted
  std::optional<cost::Cost> cost{};              // of that job; unset: the platform has no price
  std::map<std::int64_t, Seconds> step_times{};  // simulated, by step number
  // Of workers that don't wait for each other: where and when a step took place.
  struct ClosureTime {
    std::int32_t worker = 0;
    Seconds begin{};  // since the beginning of the training
    Seconds end{};
    double staleness = 0;  // the mean of its updates
  };
  std::map<std::int64_t, ClosureTime> closures{};  // by step number
  // Of the closures that were computed, if workers of theirs can be lost.
  std::optional<timing::PoolLosses> losses{};
  // A worker that was lost is back and begins its dataset anew, of which it had read so many batches.
  struct ReadAgain {
    std::int32_t worker = 0;
    std::int64_t batches = 0;
  };
  std::vector<ReadAgain> read_again{};
  std::optional<std::string> out_of_memory{};   // in TensorFlow's words, if this ended the job
  std::optional<timing::JobCourse> course{};    // through failures; unset: nothing can fail
  std::optional<timing::LostWorker> lost{};     // set if the loss of a task ended the job
  std::optional<timing::TimedOut> timed_out{};  // set if a timeout ended the job
  std::optional<EndedByFault> fault{};          // set if this ended the job
  // The step in which a fault, a lost worker or a timeout ended the job. Unset if none did.
  std::optional<std::int64_t> last_step() const {
    if (fault) return fault->step;
    if (timed_out) return timed_out->step;
    return lost ? std::optional(lost->step) : std::nullopt;
  }
  std::optional<Stopped> stopped{};          // the job's time is then that of the epochs that were trained
  std::optional<Interrupted> interrupted{};  // set if the results are incomplete for this reason
  std::optional<Turns> turns{};              // unset if the replicas fit side by side
  // Both are empty without numbers. A training that continues a checkpoint begins at the checkpoint's epoch.
  std::vector<train::StepResult> steps{};
  std::vector<Epoch> epochs{};
  std::optional<train::EpochResult> evaluation{};  // after training
  // Of the weights that were evaluated last.
  std::optional<train::EpochResult> last_evaluation() const;
  std::optional<Beside> beside{};            // unset: the cluster has no evaluator
  std::optional<Predictions> predictions{};  // unset: not inference, or it did not come to its end
  std::optional<double> target_loss{};       // unset: none is wanted
};

// The first step, in the order in which steps end, whose loss is at most Results::target_loss.
struct ReachedTarget {
  std::int64_t step = 0;
  double loss = 0;
  std::optional<Seconds> time{};  // simulated, from the training's beginning to the end of that step
};
// Unset: no step reaches it, or no target is wanted. A training that continues a checkpoint has no time,
// which would lack that of the earlier steps.
std::optional<ReachedTarget> reached_target(const Results& results);

std::string print(const Turns& turns);  // one line for the user

}  // namespace wt::session
