#pragma once
// Small clusters with a strategy, drawn from a seed.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "study/drawn/dice.h"

namespace wt::drawn {

// A machine with its strategy, and the tasks that a failure may name.
struct Site {
  std::string keys{};  // of a scenario: "platform", "cluster", "devices" and "strategy"
  std::vector<std::string> tasks{};
  bool has_network = false;
  bool has_queue = false;  // workers take closures from it
  std::string_view strategy{};
  bool may_back_up = true;  // whether Keras 2's BackupAndRestore supports the strategy
};

// All strategies, in the order in which the seeds go through them in turn.
const std::vector<std::string_view>& strategies();
std::string_view strategy_of(std::int64_t seed);

Site draw_site(std::int64_t seed, Dice& dice);

}  // namespace wt::drawn
