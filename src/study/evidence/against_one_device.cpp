#include "study/evidence/against_one_device.h"

#include "session/host_queues.h"
#include "session/lowering.h"
#include "strategy/default.h"
#include "strategy/mirrored.h"
#include "tensor/difference.h"

namespace wt::evidence {

namespace {

std::vector<std::string> definitions_of(const Step& step, const session::Rehearsal& replicas) {
  const auto has = [&](std::string_view word) {
    return std::ranges::any_of(step.program.nodes, [&](const Node& node) {
      const auto* apply = std::get_if<Apply>(&node.operation);
      return apply != nullptr && apply->kernel->name.find(word) != std::string_view::npos;
    });
  };
  std::vector<std::string> reasons;
  if (has("batch_norm")) reasons.emplace_back("batch statistics are each replica's own");
  if (has("dropout")) reasons.emplace_back("dropout draws on each replica");
  if (std::ranges::any_of(replicas.steps, &train::StepResult::is_uneven_mean))
    reasons.emplace_back("fit weighs replicas equally, whatever rows they have");
  return reasons;
}

class Comparison {
 public:
  Comparison(const scenario::Scenario& scenario, const scenario::Job& job, std::int64_t steps)
      : scenario_(scenario), job_(job), steps_(steps) {}

  AgainstOneDevice run() {
    session::ScenarioLowering as_is(scenario_, job_.machine);
    const session::Rehearsal faithful = rehearsed(
        job_, [&](strategy::Steps steps) { return as_is.lower(steps); }, job_.input);
    const session::Rehearsal corrected = corrected_or(faithful);
    const session::Rehearsal plain = rehearsed_plainly(job_);
    const session::Rehearsal alone = rehearsed_alone(job_);
    AgainstOneDevice result{.steps = std::ssize(faithful.steps),
                            .definitions = definitions_of(*step_, faithful)};
    const bool is_defined = !result.definitions.empty();
    const session::Rehearsal& standard = is_defined ? plain : alone;
    for (const auto& [name, tensor] : alone.weights)
      result.tensors.push_back(
          {.tensor = name,
           .definition = is_defined ? relative_difference(plain.weights.at(name), tensor) : 0,
           .bug = relative_difference(faithful.weights.at(name), corrected.weights.at(name)),
           .rounding = relative_difference(corrected.weights.at(name), standard.weights.at(name))});
    for (std::size_t i = 0; i < alone.steps.size() && i < faithful.steps.size(); ++i)
      result.loss = std::max(result.loss, relative_difference(faithful.steps[i].loss, alone.steps[i].loss));
    if (std::ranges::any_of(result.tensors, [](const TensorDifferences& row) { return row.bug > 0; }))
      result.bug = corrected_.bug;
    if (!result.is_rounding()) result.followed = followed_by(corrected, standard, is_defined);
    return result;
  }

 private:
  session::Rehearsal rehearsed(const scenario::Job& job, train::Lowering lower,
                               const data::Distribution& input) {
    return session::rehearse(scenario_, job, queues_.resources(std::move(lower), input), steps_);
  }
  session::Rehearsal rehearsed_plainly(const scenario::Job& job) {
    return rehearsed(
        job, [&](strategy::Steps steps) { return plainly(steps); }, job_.input);
  }
  session::Rehearsal rehearsed_alone(const scenario::Job& job) {
    return rehearsed(job, [&](strategy::Steps steps) { return on_one_device(steps); }, {});
  }

  // A neighbour of the standard that the run agrees with.
  std::optional<Neighbours::Followed> followed_by(const session::Rehearsal& run,
                                                  const session::Rehearsal& standard, bool is_plain) {
    return Neighbours({.first_weights = session::first_weights(scenario_, job_),
                       .losses = session::losses_of(standard),
                       .weights = standard.weights,
                       .again =
                           [&](const std::map<std::string, Tensor>& first) {
                             scenario::Job job = job_;
                             job.initial_weights = first;
                             return is_plain ? rehearsed_plainly(job) : rehearsed_alone(job);
                           }})
        .followed_by(run);
  }

  session::Rehearsal corrected_or(const session::Rehearsal& faithful) {
    if (corrected_.strategy == nullptr) return faithful;
    scenario::Scenario corrected = scenario_;
    corrected.strategy = strategy::AnyStrategy(corrected_.strategy->clone());
    session::ScenarioLowering lowering(corrected, job_.machine);
    return rehearsed(
        job_, [&](strategy::Steps steps) { return lowering.lower(steps); }, job_.input);
  }

  // Adds all gradients on the first replica, in order.
  plan::Plan plainly(strategy::Steps steps) {
    std::vector<strategy::Place> places = strategy::places(job_.machine);
    for (strategy::Place& place : places) place.task = 0;
    return strategy::lower_mirrored(steps, places,
                                    {.cross_device_ops = strategy::CrossDeviceOps::reduction_to_one_device});
  }

  plan::Plan on_one_device(strategy::Steps steps) {
    if (step_ == std::nullopt) step_ = *steps.front();
    return strategy::lower_default(*steps.front(), strategy::planned(job_.machine.device()));
  }

  const scenario::Scenario& scenario_;
  const scenario::Job& job_;
  std::int64_t steps_;
  strategy::Mended corrected_{scenario_.strategy->mended(job_.machine)};
  std::optional<Step> step_{};  // one device's
  device::Workers workers_{device::hardware_threads()};
  session::HostQueues queues_{scenario_, session::computed_on(job_.machine), workers_};
};

}  // namespace

bool AgainstOneDevice::is_rounding() const {
  return std::ranges::all_of(tensors,
                             [](const TensorDifferences& row) { return row.rounding <= allowed_weight; });
}

AgainstOneDevice against_one_device(const scenario::Scenario& scenario, const scenario::Job& job,
                                    std::int64_t steps) {
  return Comparison(scenario, job, steps).run();
}

}  // namespace wt::evidence
