#pragma once
// The rule that a scenario names with `"strategy": "auto"`: it chooses a strategy of the table by what the
// program finds on its machine. The choice is that of TensorFlow's guide ("Distributed training with
// TensorFlow", which strategy for which hardware): OneDeviceStrategy for one device, MirroredStrategy for the
// devices of one machine, MultiWorkerMirroredStrategy for several machines, TPUStrategy for a TPU slice.
//
// The scenario's reader asks once and goes on with the chosen strategy, so nothing else meets the rule.

#include <string>
#include <string_view>

#include "strategy/table.h"

namespace wt::strategy {

struct Rule {
  std::string_view name{};
  std::string_view summary{};
};
inline constexpr Rule automatic{"auto", "one_device, mirrored, multi_worker_mirrored or tpu, by the machine"};

// What the rule depends on.
struct Surroundings {
  bool is_slice = false;  // of TPUs
  int machines = 1;
  bool are_unlike = false;     // machines
  int devices = 1;             // of the first machine: the GPUs that its program sees, or else the CPUs
  bool hides_devices = false;  // The program sees only some of the machine's devices.
};

struct RuleChoice {
  const Row* row = nullptr;
  std::string why{};  // "the machine is one with 8 devices"
};
RuleChoice choose(const Surroundings& surroundings);

// Whether the rule chooses this strategy for any machine.
bool is_chosen_by_rule(const Row& row);

// The overrides that give a scenario another number of replicas, if it leaves the strategy to the rule, which
// chose `chosen` for the machine as it is. They change the machine alone, so that the rule can choose anew:
// from one device to several machines.
Overrides resized_by_rule(const Strategy& chosen, const Resizing& resizing);

}  // namespace wt::strategy
