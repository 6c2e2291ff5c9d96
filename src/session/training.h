#pragma once

#include <functional>
#include <string>

#include "base/output_folder.h"
#include "device/cpu/workers.h"
#include "scenario/build.h"
#include "session/forecast.h"
#include "session/host_queues.h"
#include "session/results.h"
#include "session/saved_state.h"
#include "session/training_clock.h"
#include "session/training_plans.h"

namespace wt::session {

// A scenario's objects brought together: what it describes, on this machine. Plans first, then their time;
// then, where the scenario has numbers, trains.
class Training {
 public:
  struct Options {
    int threads = 1;
    bool computes = false;  // run() will follow: what the scenario computes on must be there
    std::string version{};
    timing::SimulationOptions simulation{};  // what the scenario doesn't say of its time
    std::function<void(const train::StepResult&)> on_step{};
    std::function<void(const std::string&)> note{};  // to a person
  };

  Training(const scenario::Scenario& scenario, scenario::Job job, Options options);

  const cluster::Machine& machine() const { return job_.machine; }
  TrainingPlans& plans() { return plans_; }
  TrainingClock& clock() { return clock_; }

  session::Forecast forecast();

  // Trains, evaluates, writes checkpoints and weights into the folder. Without numbers: what is planned. What
  // doesn't fit ends the training, and the results say so.
  session::Results run(OutputFolder& folder);

 private:
  session::Results begun();
  void tell_time(session::Results& results);
  void take_seats(session::Results& results);
  void train(session::Results& results, OutputFolder& folder);
  train::CompileOptions evaluation_options() const;
  train::EpochResult evaluate_checkpoint(OutputFolder& folder);
  train::FitOptions fit_options(session::Results& results, OutputFolder& folder);
  void finish_step(train::StepResult step, session::Results& results);
  void finish_epoch(train::EpochResult epoch, session::Results& results, OutputFolder& folder);
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

}  // namespace wt::session
