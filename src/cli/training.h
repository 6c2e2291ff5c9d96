#pragma once

#include <functional>
#include <string>

#include "cli/host_queue.h"
#include "cli/saved_state.h"
#include "cli/training_clock.h"
#include "cli/training_plans.h"
#include "device/cpu/workers.h"
#include "report/folder.h"
#include "report/forecast.h"
#include "report/results.h"
#include "scenario/build.h"

namespace wt {

// A scenario's objects brought together: what it describes, on this machine. Plans first, then their time;
// then, where the scenario has numbers, trains.
class Training {
 public:
  struct Options {
    int threads = 1;
    bool computes = false;  // run() will follow: what the scenario computes on must be there
    std::string version{};
    SimulationOptions simulation{};  // what the scenario doesn't say of its time
    std::function<void(const train::StepResult&)> on_step{};
    std::function<void(const std::string&)> note{};  // to a person
  };

  Training(const scenario::Scenario& scenario, scenario::Job job, Options options);

  const scenario::Machine& machine() const { return job_.machine; }
  TrainingPlans& plans() { return plans_; }
  TrainingClock& clock() { return clock_; }

  report::Forecast forecast();

  // Trains, evaluates, writes checkpoints and weights into the folder. Without numbers: what is planned. What
  // doesn't fit ends the training, and the results say so.
  report::Results run(report::Folder& folder);

 private:
  report::Results begun();
  void tell_time(report::Results& results);
  void take_seats(report::Results& results);
  void train(report::Results& results, report::Folder& folder);
  train::CompileOptions evaluation_options() const;
  train::EpochResult evaluate_checkpoint(report::Folder& folder);
  train::FitOptions fit_options(report::Results& results, report::Folder& folder);
  void finish_step(train::StepResult step, report::Results& results);
  void finish_epoch(train::EpochResult epoch, report::Results& results, report::Folder& folder);
  bool is_cut_off(const train::EpochResult& epoch) const;

  const scenario::Scenario& scenario_;
  scenario::Job job_;
  Options options_;
  device::Workers workers_;
  HostQueues queues_;
  TrainingPlans plans_;
  TrainingClock clock_;
  SavedState saved_;
  train::Model evaluator_;
  train::Progress done_{};  // the checkpoint's, where the training began with one
  double losses_of_epoch_ = 0;
};

}  // namespace wt
