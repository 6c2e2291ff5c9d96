#include "study/evidence/reference_runs.h"

namespace wt::evidence {

namespace {

// The devices of a way belong to no described machine. Each device that computes is a replica, in the order in which
// they are asked for, and the CPUs that feed them belong to the first one.
session::Computed in_order() {
  return {.replicas = 1,
          .replica_of = [known = std::map<std::string, std::size_t>()](const plan::Device& device) mutable {
            if (device.name.find("device:CPU:") != std::string::npos) return std::size_t{0};
            return known.try_emplace(device.name, known.size()).first->second;
          }};
}

}  // namespace

ReferenceRuns::ReferenceRuns(std::vector<Oracle> oracles)
    : oracles_(std::move(oracles)), queues_(oracles_.front().scenario, in_order(), workers_) {
  for (const Oracle& oracle : oracles_) neighbours_.emplace_back(standard_of(oracle, queues_.queues()));
}

WayChecked ReferenceRuns::check(const StrategyWay& way) {
  WayChecked result;
  for (std::size_t i = 0; i < oracles_.size(); ++i) {
    const Deviation found = check(way, i, result);
    result.worst = {std::max(result.worst.loss, found.loss), std::max(result.worst.weight, found.weight), {}};
  }
  return result;
}

// The deviation from one reference. If only the weights deviate too far, a neighbour has to account for it.
Deviation ReferenceRuns::check(const StrategyWay& way, std::size_t i, WayChecked& result) {
  const Oracle& oracle = oracles_[i];
  const session::Rehearsal run =
      session::rehearse(oracle.scenario, oracle.job, queues_.resources(way.lower, way.input), {});
  Deviation found = deviation(run, oracle.losses, oracle.weights);
  if (found.is_within()) return found;
  const auto followed =
      found.loss <= allowed_loss ? neighbours_[i].followed_by(run) : std::optional<Neighbours::Followed>();
  if (followed)
    result.ties.push_back({oracle.name, found, *followed});
  else
    result.is_right = false;
  return found;
}

}  // namespace wt::evidence
