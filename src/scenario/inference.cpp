#include "scenario/inference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace wt::scenario {

namespace {

struct Ignored {
  std::string_view key{};
  void (*reset)(Scenario& scenario){};
};

template <auto Member>
void reset(Scenario& scenario) {
  scenario.training.*Member = {};
}

template <auto Member>
void reset_checkpoint(Scenario& scenario) {
  if (auto& checkpointing = scenario.training.checkpointing)
    (*checkpointing).*Member = Checkpointing{}.*Member;
}

// Rows are predicted in the order in which they lie in the dataset.
void reset_shuffle(Scenario& scenario) { scenario.dataset.shuffle.reset(); }

constexpr std::array<Ignored, 20> ignored{{
    {"dataset.shuffle", reset_shuffle},
    {"training.loss", reset<&Training::loss>},
    {"training.loss_weights", reset<&Training::loss_weights>},
    {"training.loss_scale", reset<&Training::loss_scale>},
    {"training.class_weight", reset<&Training::class_weight>},
    {"training.optimizer", reset<&Training::optimizer>},
    {"training.learning_rate_by_batch", reset<&Training::learning_rate_by_batch>},
    {"training.metrics", reset<&Training::metrics>},
    {"training.weighted_metrics", reset<&Training::weighted_metrics>},
    {"training.epochs", reset<&Training::epochs>},
    {"training.steps_per_epoch", reset<&Training::steps_per_epoch>},
    {"training.join_every", reset<&Training::join_every>},
    {"training.target_loss", reset<&Training::target_loss>},
    {"training.gradient_compression", reset<&Training::gradient_compression>},
    {"training.evaluation", reset<&Training::evaluation>},
    {"training.callbacks", reset<&Training::callbacks>},
    {"training.save_weights", reset<&Training::save_weights>},
    {"training.checkpointing.folder", reset_checkpoint<&Checkpointing::folder>},
    {"training.checkpointing.every", reset_checkpoint<&Checkpointing::every>},
    {"training.checkpointing.keep", reset_checkpoint<&Checkpointing::keep>},
}};

}  // namespace

void keep_what_inference_reads(Scenario& scenario) {
  if (!scenario.training.is_inference()) return;
  for (const Ignored& each : ignored) each.reset(scenario);
}

void note_what_inference_ignores(const Scenario& scenario, Job& job) {
  if (!scenario.training.is_inference()) return;
  std::vector<std::string> given;
  for (const Ignored& each : ignored)
    if (scenario.places.contains(each.key))
      given.push_back(fmt::format("\"{}\"", each.key.substr(each.key.rfind('.') + 1)));
  if (!given.empty())
    job.notes.push_back({scenario.place("training.loop"),
                         fmt::format("predict has no use for {}", fmt::join(given, ", ")), ""});
}

void check_inference(const Scenario& scenario, const Job& job, Problems& problems) {
  if (!scenario.training.is_inference() || !job.machine.pool) return;
  const Place place = scenario.place("training.loop");
  const std::string remedy = R"(take the strategy "mirrored", "multi_worker_mirrored" or "one_device")";
  if (!scenario.strategy->has_coordinator())
    problems.add(place,
                 fmt::format("Keras' predict doesn't run under {}, which is made for Estimator",
                             scenario.strategy->name()),
                 remedy);
  else if (!model::is_on(model::Switch::fit_makes_a_coordinator, scenario.semantics))
    problems.add(place,
                 fmt::format("predict of {} refuses parameter servers: \"{}\"",
                             model::name(scenario.semantics), model::refusal_outside_of_coordinator),
                 remedy);
  else
    problems.add(place,
                 fmt::format("under {} Keras predicts on the coordinator alone, and no worker takes part",
                             scenario.strategy->name()),
                 remedy);
}

}  // namespace wt::scenario
