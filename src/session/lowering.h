#pragma once
// Lowers the steps of a training with the scenario's strategy. What a strategy doesn't know comes from here: the
// replicas that stand for others of the same kind (folding), and what the communication library of the machine runs.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "communication/call.h"
#include "communication/known_times.h"
#include "scenario/machine.h"
#include "session/known_plans.h"
#include "session/results.h"
#include "strategy/library.h"
#include "train/function.h"

namespace wt::session {

// Lowers steps by the strategy of a scenario.
class ScenarioLowering {
 public:
  // `known` has the times of collectives from other trainings; null: none. Requires: all outlive it, and keep
  // their address.
  ScenarioLowering(const scenario::Scenario& scenario, const cluster::Machine& machine,
                   communication::KnownTimes* known = nullptr);

  // Throws InputError, at the scenario's "strategy", for what the strategy can't do on such devices.
  // Without numbers, the replicas of one task stand for all where all tasks are alike and either the scenario asks for
  // it, or a plan of all replicas would be too large to be simulated in a moment.
  plan::Plan lower(strategy::Steps steps);
  // For a plan that is never timed: one task stands for all wherever it can. The memory is that of any plan.
  plan::Plan lower_for_memory(strategy::Steps steps);

  // On the first replica's devices alone: variables are there too, unless the scenario keeps them elsewhere.
  plan::Plan lower_alone(const Step& step);

  // For so many bytes of gradients. None: one replica, or nothing is reduced as a whole.
  std::optional<strategy::ReductionChoice> reduction(Bytes gradients);
  // The library's choice, by the algorithm that the strategy wants; empty: whatever the library takes.
  strategy::LibraryChoice choose(const std::string& algorithm, Bytes bytes);
  // The choices that lowerings have asked for since the last call.
  std::vector<Asked> take_asked() { return std::exchange(asked_, {}); }

  // How long TensorFlow takes to gather so many bytes of each replica, rows of gradients that it doesn't add. None: it adds
  // all gradients, or nothing is timed.
  std::optional<Seconds> time_of_gathering(Bytes each);

  // What NCCL would run in place of what TensorFlow takes, with its time, which is simulated. Empty: nothing.
  std::string alternative(Bytes gradients);

 private:
  using Tasks = std::map<int, std::vector<strategy::Place>>;

  void require_nccl();
  plan::Plan lower(strategy::Steps steps, bool expands_small_plans);
  std::string fold(strategy::Steps steps);
  void take_all();
  bool can_afford_all(const plan::Plan& folded) const;
  std::string obstacle_to_folding(strategy::Steps steps, const Tasks& tasks) const;
  bool is_like(std::span<const strategy::Place> task, std::span<const strategy::Place> first) const;
  strategy::RowShare row_share() const;
  strategy::Setting setting(std::vector<strategy::Place> places);
  strategy::Library library(const std::string& algorithm);
  std::string_view library_choice(const communication::Group& group, Bytes bytes) const;
  const communication::Call& call_for(const std::string& algorithm, Bytes bytes);
  void describe_library(const std::string& algorithm, Bytes gradients, strategy::ReductionChoice& reduction);

  const scenario::Scenario& scenario_;
  const cluster::Machine& machine_;
  const std::vector<strategy::Place> all_places_;
  std::vector<strategy::Place> places_;  // those that are lowered
  strategy::StandFor stand_for_{};
  std::string file_{};  // the text of the file that the strategy's options name
  communication::CallOptions call_options_{};
  communication::KnownTimes own_times_{};
  communication::KnownTimes& times_;
  std::map<std::pair<std::string, Bytes>, communication::Call> known_{};  // by algorithm wanted
  std::vector<Asked> asked_{};
};

}  // namespace wt::session
