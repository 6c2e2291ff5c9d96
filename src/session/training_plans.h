#pragma once
// Plans of a scenario's training step: its model, compiled and lowered for its strategy, for a whole batch
// and for other numbers of rows. If the scenario predicts and doesn't train, these are the plans of its
// predictions. This class answers what a step consists of and how much memory it needs. Its time is
// training_clock.h's subject.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenario/build.h"
#include "session/host_queues.h"
#include "session/lowering.h"
#include "session/planned.h"
#include "strategy/gathered_rows.h"
#include "strategy/replica_placement.h"
#include "train/model.h"

namespace wt::session {

// What a step of an optimizer that accumulates gradients does with its own. All other steps update.
enum class Turn : std::uint8_t { updates, accumulates };

// Gradients of embeddings that TensorFlow gathers (strategy/gathered_rows.h). Plans add them.
struct GatheredRows {
  std::vector<strategy::GatheredTable> tables{};  // by their variables, at least one
  Bytes each{};                                   // of one replica
  Seconds time{};
};

class TrainingPlans {
 public:
  // `shared` has what other trainings have left to know; null: nothing. Requires: everything outlives this
  // object and keeps its address.
  TrainingPlans(const scenario::Scenario& scenario, scenario::Job& job, const HostQueues& queues,
                Shared* shared);
  TrainingPlans(const TrainingPlans&) = delete;
  TrainingPlans& operator=(const TrainingPlans&) = delete;

  // The plan of a step on all replicas. Plans are kept as long as this object lives.
  const plan::Plan& whole() { return of(job_.global_batch); }  // for a whole batch
  const plan::Plan& of(std::int64_t rows, Turn turn = Turn::updates);
  const plan::Plan& evaluation(std::int64_t rows) { return model_.evaluation_plan(batch_of(rows)); }
  const Step& step();  // the program of the first replica in a step of a whole batch

  // The step of the first replica alone with this number of rows, without communication.
  std::shared_ptr<const plan::Plan> alone(std::int64_t rows, Turn turn = Turn::updates);

  // The rows of each replica in a batch with this number of rows.
  std::vector<std::int64_t> replica_rows(std::int64_t rows) const;
  std::int64_t own_rows() const { return replica_rows(job_.global_batch).front(); }  // the first replica's

  // A batch of tensors without values: the inputs, then the labels.
  std::vector<Tensor> batch_of(std::int64_t rows) const;

  session::Planned planned();
  // What NCCL would run in place of TensorFlow's own reduction, and its time. Empty: NCCL is no choice.
  std::string alternative_reduction();
  plan::MemoryReport memory();
  Bytes gradients() const;  // of a replica
  std::optional<GatheredRows> gathered_rows();
  std::optional<strategy::ReductionChoice> reduction() { return lowering_.reduction(gradients()); }
  // Of the replicas of the first process, which is the one that logs them: of all replicas, unless each
  // worker is a process.
  std::vector<strategy::ReplicaPlacement> placements();

  // The largest global batch whose step fits into the devices' memory. Unset if the devices have no limit, or
  // if not even one row fits.
  std::optional<std::int64_t> largest_batch_that_fits();

  const ScenarioLowering& lowering() const { return lowering_; }
  // The times of collectives that other trainings have simulated; null: there are no other trainings.
  communication::KnownTimes* known_times() const { return shared_ == nullptr ? nullptr : &shared_->times; }

  // The compiled model with its state and machine, for the class that trains it.
  train::Model& model() { return model_; }
  train::State& state() { return state_; }
  train::Resources& machine() { return machine_; }

 private:
  using Make = std::function<std::shared_ptr<const plan::Plan>()>;
  KnownPlans::Known& known(std::string_view kind, std::int64_t rows, const Make& make);
  std::shared_ptr<const plan::Plan> plan_of(train::Model& model, std::int64_t rows, Turn turn) const;
  const Step& step_of_replica(std::size_t replica);
  std::shared_ptr<const plan::Plan> lowered_alone(std::int64_t rows, Turn turn);
  std::string identity();
  std::string key(std::string_view kind, std::int64_t rows);
  std::optional<Bytes> memory_of(std::int64_t rows);
  std::vector<std::optional<plan::Capacity>> capacities(const plan::Plan& plan);

  const scenario::Scenario& scenario_;
  scenario::Job& job_;  // Not const: listing a context's devices initializes them.
  Shared* const shared_;
  ScenarioLowering lowering_;
  std::string identity_{};  // of the training without its number of rows; empty: not yet asked for
  std::map<std::string, std::shared_ptr<KnownPlans::Known>, std::less<>> used_{};
  train::Resources machine_;
  train::State state_;
  train::Model model_;
};

}  // namespace wt::session
