#pragma once
// A scenario's strategy as what `train` lowers steps with, and what is known of its reduction: which one
// runs, why, and what the platform's own library would run.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "communication/call.h"
#include "scenario/machine.h"
#include "session/results.h"
#include "strategy/central_storage.h"
#include "strategy/devices.h"
#include "strategy/library.h"
#include "strategy/tpu.h"
#include "train/function.h"

namespace wt::session {

class Lowering {
 public:
  // Requires: both outlive it, and keep their address.
  Lowering(const scenario::Scenario& scenario, const cluster::Machine& machine);

  // Throws InputError, at the scenario's "strategy", for what the strategy can't do on such devices.
  // Without numbers, the replicas of one task stand for all where all tasks are alike.
  plan::Plan lower(strategy::Steps steps);

  // On the first replica's devices alone: variables are there too, unless the scenario keeps them elsewhere.
  plan::Plan lower_alone(const Step& step) const;

  // For so many bytes of gradients. None: one replica, or nothing is reduced as a whole.
  std::optional<strategy::ReductionChoice> reduction(Bytes gradients);

 private:
  using Tasks = std::map<int, std::vector<strategy::Place>>;

  void require_nccl();
  std::string fold(strategy::Steps steps);
  std::string obstacle_to_folding(strategy::Steps steps, const Tasks& tasks) const;
  bool is_like(std::span<const strategy::Place> task, std::span<const strategy::Place> first) const;
  plan::Plan lower_unplaced(strategy::Steps steps);
  strategy::CentralStorageOptions central_storage() const;
  strategy::TpuOptions tpu() const;
  plan::Plan lower_mirrored(strategy::Steps steps);
  plan::Plan lower_multi_worker_mirrored(strategy::Steps steps);
  strategy::Library library(const std::optional<scenario::AlgorithmName>& algorithm);
  strategy::LibraryChoice choose(const std::string& algorithm, Bytes bytes);
  const communication::Call& call_for(const std::string& algorithm, Bytes bytes);
  strategy::Chosen chosen_ops();
  strategy::ReductionChoice mirrored_reduction();
  strategy::ReductionChoice multi_worker_reduction();
  void describe_library(const std::optional<scenario::AlgorithmName>& algorithm, Bytes gradients,
                        strategy::ReductionChoice& reduction);

  const scenario::Scenario& scenario_;
  const cluster::Machine& machine_;
  const std::vector<strategy::Place> all_places_;
  std::vector<strategy::Place> places_;  // those that are lowered
  strategy::StandFor stand_for_{};
  std::string schedule_{};  // the text of a file
  communication::CallOptions call_options_{};
  std::map<std::pair<std::string, Bytes>, communication::Call> known_{};  // by algorithm wanted
};

}  // namespace wt::session
