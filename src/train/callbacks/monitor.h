#pragma once
// The quantity that a callback watches: which results of an epoch are better than which.

#include <optional>
#include <string>

#include "train/callback.h"

namespace wt::train {

// Callbacks of Keras 2 guess by the quantity's name, each by a rule of its own, whether larger is better, and each
// subtracts the least improvement on another side.
enum class Watcher : std::uint8_t { early_stopping, plateau, checkpoint };

struct Watched {
  const std::string& name;
  Mode mode = Mode::automatic;
  double min_delta = 0;
  Watcher by{};
};

// Whether larger values are better; none where Keras 3 refuses to guess.
std::optional<bool> larger_is_better(const Watched& watched, const std::vector<model::Metric>& metrics,
                                     model::Semantics semantics);

class Monitor {
 public:
  // Requires: larger_is_better has an answer.
  Monitor(const Watched& watched, const std::vector<model::Metric>& metrics, model::Semantics semantics);

  // Whether the value is better than another, by at least the least improvement. Everything is better than none.
  bool is_improvement(double value, std::optional<double> than) const;

  // The best value before the first epoch: infinite in Keras 2, none in Keras 3.
  std::optional<double> worst() const;

 private:
  bool larger_;
  bool is_keras3_;
  double to_subtract_;  // from the value, or from the value that it is compared with
  bool from_value_;
};

}  // namespace wt::train
