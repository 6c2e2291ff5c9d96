#include "study/what_helps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wt::study {

namespace {

using scenario::StrategyType;
using session::Forecast;

// Ways to reduce that a strategy can be told, as overrides; those that the machine or the scenario's other
// options don't allow are passed over.
struct Reduction {
  StrategyType strategy{};
  std::string_view overrides[2]{};
};
constexpr std::array reductions{
    Reduction{StrategyType::mirrored,
              {"strategy.cross_device_ops=collective_nccl", "strategy.algorithm=ring"}},
    Reduction{StrategyType::mirrored,
              {"strategy.cross_device_ops=collective_nccl", "strategy.algorithm=tree"}},
    Reduction{StrategyType::mirrored,
              {"strategy.cross_device_ops=collective_nccl", "strategy.algorithm=nvls"}},
    Reduction{StrategyType::mirrored, {"strategy.cross_device_ops=collective_ring", ""}},
    Reduction{StrategyType::mirrored, {"strategy.cross_device_ops=hierarchical_copy", ""}},
    Reduction{StrategyType::mirrored, {"strategy.cross_device_ops=reduction_to_one_device", ""}},
    Reduction{StrategyType::multi_worker_mirrored, {"IMPLEMENTATION=ring", ""}},
    Reduction{StrategyType::multi_worker_mirrored, {"IMPLEMENTATION=nccl", "strategy.algorithm=ring"}},
    Reduction{StrategyType::multi_worker_mirrored, {"IMPLEMENTATION=nccl", "strategy.algorithm=tree"}},
    Reduction{StrategyType::multi_worker_mirrored, {"IMPLEMENTATION=nccl", "strategy.algorithm=nvls_tree"}},
    Reduction{StrategyType::tpu, {"strategy.algorithm=ring", ""}},
    Reduction{StrategyType::tpu, {"strategy.algorithm=torus_2d", ""}},
    Reduction{StrategyType::tpu, {"strategy.algorithm=torus_2d_bucket", ""}},
    Reduction{StrategyType::tpu, {"strategy.algorithm=torus_3d", ""}},
    Reduction{StrategyType::tpu, {"strategy.algorithm=torus_3d_bucket", ""}}};

class Changer {
 public:
  explicit Changer(const Standing& now) : now_(now) {}

  std::vector<Change> all() {
    const bool has_replicas = now_.forecast.planned.replicas > 1;
    add("twice the compute", {}, {.compute = 2});
    add("twice the network", {}, {.links = 2});
    add_batch();
    if (now_.forecast.planned.reduction) add_other_reduction();
    if (has_replicas && may_overlap()) add("overlapping reductions", {"strategy.overlap=true"});
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

  // Of those that differ from what runs, the fastest.
  void add_other_reduction() {
    std::optional<Change> best;
    for (const Reduction& reduction : reductions) {
      if (reduction.strategy != now_.scenario.strategy.type()) continue;
      std::optional<Forecast> found = try_reduction(reduction);
      if (!found || !found->simulated || is_the_same(*found)) continue;
      if (best && best->forecast->simulated->step <= found->simulated->step) continue;
      std::string name = fmt::format("gradients by {}", text_of(found->planned));
      best = Change{.name = std::move(name), .forecast = std::move(found)};
    }
    if (best) changes_.push_back(std::move(*best));
  }

  std::optional<Forecast> try_reduction(const Reduction& reduction) const {
    std::vector<std::string> further;
    for (const std::string_view text : reduction.overrides)
      if (!text.empty()) further.push_back(with_key(text));
    try {
      return forecast(now_.file, now_.overrides, further, {.scale = now_.measured_scale});
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  // The key under which the scenario names the implementation, or the short one.
  std::string with_key(std::string_view text) const {
    constexpr std::string_view word = "IMPLEMENTATION";
    if (!text.starts_with(word)) return std::string(text);
    const std::string key = "strategy.communication_options.implementation";
    return (now_.scenario.places.contains(key) ? key : "strategy.communication") +
           std::string(text.substr(word.size()));
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

  bool may_overlap() const {
    if (const auto* mirrored = now_.scenario.strategy.as<scenario::Mirrored>())
      return !mirrored->buckets.overlap;
    const auto* workers = now_.scenario.strategy.as<scenario::MultiWorkerMirrored>();
    return workers != nullptr && !workers->buckets.overlap;
  }

  bool may_round() const {
    const auto& told = now_.forecast.simulated;
    return told && told->precision == "float32" && now_.device.peak.contains(device::Precision::tf32);
  }

  const Standing& now_;
  std::vector<Change> changes_{};
};

}  // namespace

std::vector<Change> changes(const Standing& now) { return Changer(now).all(); }

}  // namespace wt::study
