#include "study/disturbed/drawn_scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "study/drawn/site.h"

namespace wt::disturbed {

namespace {

using drawn::Dice;
using drawn::Site;

// How the state is saved, in "training".
std::string saving(Dice& dice, bool is_fit, bool may_back_up, bool has_queue) {
  if (is_fit && may_back_up && dice.one_in(2))
    return fmt::format(R"("callbacks": [{{"type": "BackupAndRestore", "backup_dir": "backup"{}}}], )",
                       dice.one_in(2) ? R"(, "save_freq": 2)" : "");
  if (dice.one_in(6)) return "";
  const std::string how = !has_queue && dice.one_in(2)
                              ? fmt::format(R"("every_steps": {})", dice.between(1, 5))
                              : R"("every": 1)";
  std::string more = dice.one_in(3) ? R"(, "keep": 1)" : "";
  if (dice.one_in(3)) more += R"(, "asynchronous": true)";
  if (!has_queue && dice.one_in(3)) {
    more += R"(, "before_preemption": true)";
    if (dice.one_in(2)) more += fmt::format(R"(, "grace_period": "{} s")", dice.between(1, 12));
  }
  return fmt::format(R"("checkpointing": {{{}{}}}, )", how, more);
}

std::string fault(Dice& dice, const Site& site, std::int64_t steps) {
  const std::string when = dice.one_in(2) ? fmt::format(R"("step": {})", dice.below(steps))
                                          : fmt::format(R"("at": "{} ms")", dice.below(steps * 1500));
  const std::string& task = dice.of(site.tasks);
  switch (dice.below(site.has_network ? 4 : 3)) {
    case 0:
      return fmt::format(R"({{"kill": "{}", {}, "back_after": "{} s"}})", task, when, dice.between(1, 20));
    case 1:
      return fmt::format(R"({{"preempt": "{}", {}, "grace": "{} s"}})", task, when, dice.between(1, 10));
    case 2:
      return fmt::format(R"({{"random": "{}", "mean_time": "{} s", "back_after": "2 s"}})",
                         dice.one_in(2) ? "device" : "machine",
                         dice.between(10, 300) * std::ssize(site.tasks));
    default:
      return fmt::format(R"({{"cut": "{}", {}, "back_after": "{} s"}})", task, when, dice.between(1, 20));
  }
}

}  // namespace

DrawnScenario draw_scenario(std::int64_t seed) {
  constexpr std::int64_t purpose = 26;
  Dice dice(seed, purpose);
  const Site site = drawn::draw_site(seed, dice);
  // fit under a coordinator is Keras 2's alone.
  const bool is_fit = !site.has_queue && dice.one_in(2);
  const std::int64_t epochs = dice.between(1, 3), each = 2 * dice.between(2, 4), steps = epochs * each;
  constexpr std::int64_t batch = 16;
  std::vector<std::string> faults;
  for (std::int64_t i = dice.between(1, 3); i > 0; --i) faults.push_back(fault(dice, site, steps));
  // The rows of workers that take closures have no end.
  const std::string length = fmt::format(
      R"("epochs": {}{})", epochs, site.has_queue ? fmt::format(R"(, "steps_per_epoch": {})", each) : "");
  return {
      .text = fmt::format(
          R"({{"name": "trial {}", {}, "model": "linear", "dataset": {{"type": "synthetic", "rows": {}{}}}, )"
          R"("training": {{"loop": "{}", "loss": "mse", "optimizer": "{}", "{}": {}, {}{}, "save_weights": "weights.safetensors"}}, )"
          R"("job": {{"step": "1 s", "partial_step": "1 s", "checkpoint": "2 s", "restart": "5 s", "restarts": {}}}, )"
          R"("faults": [{}], "semantics": "keras2", "numerics": "cpu", "seed": {}}})",
          seed, site.keys, each * batch,
          site.has_queue ? R"(, "repeat": -1)" : (dice.one_in(2) ? R"(, "shuffle": {})" : ""),
          is_fit ? "fit" : "custom", dice.one_in(2) ? "sgd" : "adam",
          site.has_queue ? "per_replica_batch" : "global_batch", batch,
          saving(dice, is_fit, site.may_back_up, site.has_queue), length,
          dice.one_in(5) ? 0 : dice.between(1, 40), fmt::join(faults, ", "), seed),
      .strategy = std::string(site.strategy)};
}

}  // namespace wt::disturbed
