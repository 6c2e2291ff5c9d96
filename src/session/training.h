#pragma once
// session/ turns one scenario into one training: it plans the step, simulates when everything happens on the
// described machine, and computes the training's numbers on the machine that runs this program.
//
// A step that is only planned and timed takes its tensors' shapes, and computes nothing:
//
//   const scenario::Scenario scenario = scenario::parse_file("scenarios/quickstart.json", {});
//   session::Training training(scenario, scenario::build(scenario), {});
//   const session::Forecast forecast = training.forecast();  // .planned.memory, .simulated->step
//
// With Options::computes and a scenario that has numerics, run() also trains: it computes losses and weights,
// and writes checkpoints into an output folder. Three classes keep the questions apart. TrainingPlans lowers
// the step for any number of rows and reports its memory. TrainingClock times these plans on the described
// machine. HostQueues selects the CPU or the GPUs that compute the numbers. The numbers never depend on the
// simulated time, except that a lost worker or a timeout ends the training early (Results::last_step).
//
// Requires: the scenario outlives the Training, and the job was built from that scenario.
// Read next: session/training_plans.h, session/training_clock.h, then session/results.h.

#include <functional>
#include <string>

#include "base/free_memory.h"
#include "base/output_folder.h"
#include "device/cpu/workers.h"
#include "scenario/build.h"
#include "session/evaluator.h"
#include "session/forecast.h"
#include "session/host_queues.h"
#include "session/printed.h"
#include "session/results.h"
#include "session/saved_state.h"
#include "session/training_clock.h"
#include "session/training_plans.h"
#include "train/callbacks.h"

namespace wt::session {

// One training of a scenario.
class Training {
 public:
  struct Options {
    int threads = 1;
    // True if run() is going to be called. The constructor then throws InputError if the scenario computes on
    // GPUs and this machine has none.
    bool computes = false;
    Shared* shared = nullptr;  // what trainings before this one have left to know; null: nothing
    bool asks_nccl = true;     // true: a plan says what NCCL would run in place of TensorFlow's own reduction
    std::string version{};     // of the program, for the results
    timing::SimulationOptions simulation{};  // options of the simulation that a scenario cannot express
    std::function<void()> on_begin{};        // called before the first computed step
    std::function<void(const train::StepResult&)> on_step{};  // called after each computed step
    // Called after each computed step of an evaluation, with the number of its steps so far and of all.
    std::function<void(std::int64_t done, std::int64_t all)> on_evaluation_step{};
    std::function<void(const std::string&)> note{};        // receives messages for the user
    std::function<void(const std::string&)> print{};       // receives the lines of the scenario's own program
    std::function<Bytes()> free_memory = wt::free_memory;  // of this machine
    // Called after each computed step, also of evaluations. The name of a signal ends the training after this
    // step; empty: none.
    std::function<std::string()> interrupted_by{};
  };

  Training(const scenario::Scenario& scenario, scenario::Job job, Options options);

  const cluster::Machine& machine() const { return job_.machine; }
  const std::vector<Problem>& notes() const { return job_.notes; }  // about the scenario
  std::size_t weights() const { return job_.weights.size(); }       // of the model
  TrainingPlans& plans() { return plans_; }
  TrainingClock& clock() { return clock_; }

  // Throws InputError for everything that run() would refuse before it computes the first step. Nothing is
  // measured, and a step is simulated only if the scenario has wishes that only the simulation can refuse.
  // Returns the text of TensorFlow's error if a step of the training or of an evaluation doesn't fit into a
  // device's memory. Requires: Options::computes.
  std::optional<std::string> check();

  // What TensorFlow does wrong with this scenario, each with a remedy, whether it is repeated or not. Nothing is said about a
  // version that the scenario doesn't name.
  std::vector<Problem> faults();
  // Where such a fault ends the training, if the scenario wants faults to be repeated.
  std::optional<EndedByFault> ending_fault();

  // Plans the step of a whole batch and, if the scenario has a platform and the step fits, simulates it.
  session::Forecast forecast();

  // Trains, evaluates, and writes checkpoints and weights into the folder; or, if the scenario's loop is predict, predicts
  // all rows and writes the predictions. With the numerics "none" the
  // results hold only what is planned and simulated. If a step does not fit into a device's memory, the
  // training ends and Results::out_of_memory is set. If the training is interrupted, the results have the
  // completed steps and Results::interrupted is set. Requires: Options::computes, unless the numerics are
  // "none".
  session::Results run(OutputFolder& folder);

 private:
  void add_job(const scenario::Scenario& scenario, session::Forecast& forecast);
  void add_cost(const std::optional<timing::JobTime>& job, std::optional<cost::Cost>& cost) const;
  session::Results planned_results();
  void add_time(session::Results& results);
  std::vector<const plan::Plan*> evaluation_plans();
  void require_host();
  void note_turns(session::Results& results);
  void train(session::Results& results, OutputFolder& folder);
  void train_attempt(std::size_t attempt, session::Results& results, OutputFolder& folder);
  void resume(std::size_t attempt, session::Results& results, OutputFolder& folder);
  void end_attempt(const timing::Attempt& attempt, session::Results& results, OutputFolder& folder);
  std::int64_t steps_done(const session::Results& results) const;
  std::optional<std::int64_t> last_step(const session::Results& results) const;
  void predict(session::Results& results, OutputFolder& folder);
  std::optional<train::EpochResult> evaluate_checkpoint(session::Results& results, OutputFolder& folder);
  void evaluate_beside(std::int64_t epochs, session::Results& results, OutputFolder& folder);
  std::optional<train::EpochResult> evaluate(train::Model& model, session::Results& results);
  train::CallbackContext callback_context(const session::Results& results, OutputFolder& folder);
  void run_callbacks(session::Results& results);
  void finish_stopped(session::Results& results, OutputFolder& folder);
  void continue_from(const train::Progress& backup);
  train::FitOptions fit_options(session::Results& results, OutputFolder& folder);
  train::ClosureOrder order_closures(std::int64_t count, std::int64_t epoch, session::Results& results);
  void end_without_workers(const timing::PoolLosses& losses, session::Results& results) const;
  void note_closure(const train::StepResult& step, session::Results& results) const;
  double reported(const train::StepResult& step) const;
  void finish_step(train::StepResult step, session::Results& results);
  void finish_epoch(train::EpochResult epoch, session::Results& results, OutputFolder& folder);
  train::Progress progress_after(const train::StepResult& step, const session::Results& results);
  train::Progress progress_of(const session::Results& results) const;
  static void forget_steps_from(std::int64_t first, session::Results& results);
  bool is_cut_off(const session::Results& results) const;
  bool is_saved_on_notice(const session::Results& results) const;
  bool is_interrupted(session::Results& results) const;
  std::optional<Seconds> time_of_last_epoch(const session::Results& results) const;
  bool ends_within_epoch() const;

  const scenario::Scenario& scenario_;
  scenario::Job job_;
  Options options_;
  device::Workers workers_;
  HostQueues queues_;
  TrainingPlans plans_;
  TrainingClock clock_;
  SavedState saved_;
  Printed printed_;
  train::Model evaluator_;
  std::optional<Evaluator> beside_{};            // the cluster's, unless the training itself evaluates
  train::Progress done_{};                       // progress of the restored checkpoint; zero without one
  std::int64_t origin_ = 0;                      // the first step of the results
  std::size_t attempt_ = 0;                      // of Results::course
  bool is_backed_up_ = false;                    // `done_` is what BackupAndRestore has restored
  bool is_restarted_ = false;                    // this is not the job's first attempt
  std::optional<train::Callbacks> callbacks_{};  // while the training runs
  double losses_of_epoch_ = 0;
  std::int64_t epoch_ = 0;
  std::int64_t steps_of_epoch_ = 0;  // those that an earlier training made of it included
  // Of workers that don't wait for each other.
  const timing::PlayedPool* played_ = nullptr;  // the closures of the epoch
  std::vector<double> staleness_{};             // by closure, the mean of its updates
  Seconds epoch_begin_{};
  std::int64_t epochs_played_ = 0;
};

}  // namespace wt::session
