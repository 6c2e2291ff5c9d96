#include "study/what_helps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenario/variant.h"
#include "study/causes.h"

namespace wt::study {

namespace {

using session::Forecast;

class Changer {
 public:
  explicit Changer(const Standing& now) : now_(now) {}

  std::vector<Change> all() {
    const bool reduces = now_.forecast.planned.replicas > 1 && !now_.forecast.planned.is_inference;
    add("twice the compute", {}, {.compute = 2});
    add("twice the network", {}, {.links = 2});
    add_batch();
    if (now_.machine.pool) add_tasks();
    if (now_.forecast.planned.reduction) add_other_reduction();
    if (reduces)
      if (const auto packs = now_.scenario.strategy->in_packs()) add("packs of 50 MiB", *packs);
    if (reduces && now_.scenario.strategy->may_overlap())
      add("overlapping reductions", {"strategy.overlap=true"});
    if (waits_for_software(*now_.forecast.simulated)) add_less_software();
    if (may_round()) add("tf32 instead of float32", {"training.precision=tf32"});
    return std::move(changes_);
  }

 private:
  void add(std::string name, const std::vector<std::string>& further, WhatIf what_if = {}) {
    what_if.scale = now_.measured_scale;
    Change& change = changes_.emplace_back(Change{.name = std::move(name)});
    try {
      change.forecast = forecast(now_.file, now_.overrides, further, what_if);
    } catch (const InputError& error) {
      change.refusal = error.problems().front().fact;
    }
  }

  void add_batch() {
    const auto& each = now_.scenario.training.per_replica_batch;
    const std::int64_t batch = each ? *each : *now_.scenario.training.global_batch;
    add("twice the batch",
        {fmt::format("training.{}={}", each ? "per_replica_batch" : "global_batch", 2 * batch)});
  }

  // What takes work away from the host. Fit, steps per execution and eager steps are refused beside each other.
  void add_less_software() {
    const scenario::Training& training = now_.scenario.training;
    if (training.run_eagerly) add("compiled by tf.function", {"training.run_eagerly=false"});
    if (training.loop == scenario::Loop::fit || training.is_inference()) {
      const std::int64_t steps = 10 * training.steps_per_execution;
      add(fmt::format("{} steps per execution", steps),
          {fmt::format("training.steps_per_execution={}", steps)});
    }
    if (training.loop == scenario::Loop::fit) {
      add("a loop of one's own", {"training.loop=custom", "training.steps_per_execution=1"});
    }
    if (!training.jit_compile && !training.run_eagerly && !now_.scenario.time.fusion)
      add("compiled by XLA", {"training.jit_compile=true"});
  }

  // Of workers that don't wait for each other.
  void add_tasks() {
    add("one more worker", scenario::with_another_task(now_.scenario, now_.machine, job_of_workers()));
    add("one more server", scenario::with_another_task(now_.scenario, now_.machine, "ps"));
    if (!now_.scenario.strategy->has_coordinator()) return;
    const std::int64_t steps = 10 * now_.scenario.training.steps_per_execution;
    add(fmt::format("{} steps a dispatch", steps), {fmt::format("training.steps_per_execution={}", steps)});
  }

  // A chief may be the only task that trains.
  std::string_view job_of_workers() const {
    return cluster::tasks_of(*now_.machine.cluster, "worker").empty() ? "chief" : "worker";
  }

  // The fastest of those that differ from what runs. Some aren't possible on this machine or beside the scenario's
  // other options.
  void add_other_reduction() {
    std::optional<Change> best;
    const auto is_given = [&](std::string_view key) { return now_.scenario.places.contains(key); };
    for (const strategy::Overrides& reduction : now_.scenario.strategy->other_reductions(is_given)) {
      std::optional<Forecast> found = try_reduction(reduction);
      if (!found || !found->simulated || is_the_same(*found)) continue;
      if (best && best->forecast->simulated->step <= found->simulated->step) continue;
      std::string name = fmt::format("gradients by {}", text_of(found->planned));
      best = Change{.name = std::move(name), .forecast = std::move(found)};
    }
    if (best) changes_.push_back(std::move(*best));
  }

  std::optional<Forecast> try_reduction(const strategy::Overrides& reduction) const {
    try {
      return forecast(now_.file, now_.overrides, reduction, {.scale = now_.measured_scale});
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  // By name, or to the last bit: what runs by default has a name that the scenario needn't give.
  bool is_the_same(const Forecast& other) const {
    return text_of(now_.forecast.planned) == text_of(other.planned) ||
           now_.forecast.simulated->step == other.simulated->step;
  }

  // TensorFlow's name where it says more than the algorithm's.
  static std::string text_of(const session::Planned& planned) {
    return planned.reduction->is_librarys ? fmt::format("NCCL's {}", print(*planned.reduction))
                                          : print(*planned.reduction);
  }

  bool may_round() const {
    const auto& simulated = now_.forecast.simulated;
    return simulated && simulated->precision == "float32" &&
           now_.device.peak.contains(device::Precision::tf32);
  }

  const Standing& now_;
  std::vector<Change> changes_{};
};

}  // namespace

std::vector<Change> changes(const Standing& now) { return Changer(now).all(); }

}  // namespace wt::study
