#include "train/callbacks/monitor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace wt::train {

namespace {

// The rules of Keras 2.15, keras/src/callbacks.py.
bool is_larger_better_in_keras2(std::string_view name, Watcher by) {
  switch (by) {
    case Watcher::early_stopping:
      return name.ends_with("acc") || name.ends_with("accuracy") || name.ends_with("auc");
    case Watcher::plateau:
      return name.find("acc") != std::string_view::npos;
    case Watcher::checkpoint:
      break;
  }
  return name.find("acc") != std::string_view::npos || name.starts_with("fmeasure");
}

// The rule of Keras 3, keras/src/callbacks/monitor_callback.py: each class of metrics has its direction.
std::optional<bool> is_larger_better_in_keras3(std::string_view name,
                                               const std::vector<model::Metric>& metrics) {
  if (name.starts_with("val_")) name.remove_prefix(4);
  const auto metric = std::ranges::find(metrics, name, &model::Metric::name);
  if (metric == metrics.end()) return name == "loss" ? std::optional(false) : std::nullopt;
  if (metric->type == nullptr) return true;  // "accuracy"
  switch (metric->type->better) {
    case model::Better::larger:
      return true;
    case model::Better::smaller:
      return false;
    case model::Better::unknown:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<bool> larger_is_better(const Watched& watched, const std::vector<model::Metric>& metrics,
                                     model::Semantics semantics) {
  if (watched.mode != Mode::automatic) return watched.mode == Mode::max;
  if (semantics == model::Semantics::keras3) return is_larger_better_in_keras3(watched.name, metrics);
  return is_larger_better_in_keras2(watched.name, watched.by);
}

Monitor::Monitor(const Watched& watched, const std::vector<model::Metric>& metrics,
                 model::Semantics semantics)
    : is_keras3_(semantics == model::Semantics::keras3),
      from_value_(is_keras3_ || watched.by != Watcher::plateau) {
  const std::optional<bool> larger = larger_is_better(watched, metrics, semantics);
  WT_EXPECT(larger.has_value(), "{} has no direction", watched.name);
  larger_ = *larger;
  const double least = from_value_ ? std::abs(watched.min_delta) : -watched.min_delta;
  to_subtract_ = larger_ ? least : -least;
}

// Keras 3 compares tensors, which are float32; Keras 2 compares Python's floats.
bool Monitor::is_improvement(double value, std::optional<double> than) const {
  if (!than) return true;
  const double left = from_value_ ? value - to_subtract_ : value;
  const double right = from_value_ ? *than : *than - to_subtract_;
  if (is_keras3_)
    return larger_ ? static_cast<float>(left) > static_cast<float>(right)
                   : static_cast<float>(left) < static_cast<float>(right);
  return larger_ ? left > right : left < right;
}

std::optional<double> Monitor::worst() const {
  if (is_keras3_) return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  return larger_ ? -infinity : infinity;
}

}  // namespace wt::train
