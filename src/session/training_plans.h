#pragma once
// A scenario's training step as plans: its model, compiled and lowered for its strategy, for a whole batch
// and for other numbers of rows. What such a step is, needs and fits into; not when anything in it happens.

#include <optional>
#include <vector>

#include "execute/queues.h"
#include "program/step_placement.h"
#include "scenario/build.h"
#include "session/lowering.h"
#include "session/planned.h"
#include "train/model.h"

namespace wt::session {

class TrainingPlans {
 public:
  // Requires: scenario and job outlive it, and keep their address.
  TrainingPlans(const scenario::Scenario& scenario, scenario::Job& job, const execute::Queues& queues);
  TrainingPlans(const TrainingPlans&) = delete;
  TrainingPlans& operator=(const TrainingPlans&) = delete;

  // Kept for as long as this lives.
  const plan::Plan& whole() { return of(job_.global_batch); }  // a whole batch's
  const plan::Plan& of(std::int64_t rows);
  const Step& step();  // the first replica's, of a whole batch

  // The first replica's step with so many rows, and nobody to talk to.
  plan::Plan alone(std::int64_t rows);

  // As the training's batches are dealt out.
  std::vector<std::int64_t> replica_rows(std::int64_t rows) const;
  std::int64_t own_rows() const { return replica_rows(job_.global_batch).front(); }  // the first replica's

  // Shapes of a batch: its inputs and its labels.
  std::vector<Tensor> batch_of(std::int64_t rows) const;

  session::Planned planned();
  plan::MemoryReport memory();
  StepPlacement placement();

  // The largest batch whose step finds a place on the device; none where the device has no limit, or not even
  // one row fits.
  std::optional<std::int64_t> largest_batch_that_fits();

  const Lowering& lowering() const { return lowering_; }

  // What was compiled, for who trains it.
  train::Model& model() { return model_; }
  train::State& state() { return state_; }
  train::Machine& machine() { return machine_; }

 private:
  bool fits(std::int64_t rows);
  std::vector<std::optional<plan::Capacity>> capacities(const plan::Plan& plan);

  const scenario::Scenario& scenario_;
  scenario::Job& job_;  // its context lists devices only where it may initialise them
  Lowering lowering_;
  train::Machine machine_;
  train::State state_;
  train::Model model_;
};

}  // namespace wt::session
