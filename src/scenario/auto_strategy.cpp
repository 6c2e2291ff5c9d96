#include "scenario/auto_strategy.h"

#include <array>

#include "base/json_writer.h"
#include "base/narrow.h"
#include "scenario/keys.h"
#include "scenario/machine.h"
#include "scenario/read_scenario.h"
#include "strategy/automatic.h"

namespace wt::scenario {

namespace {

const std::array<std::string, 1> strategy_path{"strategy"};
const std::array<std::string, 2> type_path{"strategy", std::string(strategy_type.name)};

// The place where the file leaves the strategy to the rule. Null: it names a strategy.
const json::Value* named_rule(const json::Value& tree) {
  const json::Value* at = &tree;
  for (const std::string& key : type_path)
    if (at != nullptr) at = at->kind() == json::Kind::object ? at->find(key) : nullptr;
  const bool is_rule =
      at != nullptr && at->kind() == json::Kind::string && at->string() == strategy::automatic.name;
  return is_rule ? at : nullptr;
}

// The same tree with a value of ours. It stands at the place of the tree's own value in messages.
json::Value with_type(const json::Value& tree, const json::Value& rule, std::string_view type) {
  return json::replaced(tree, type_path, json::text_at(rule, type));
}

// The program of one machine, before any strategy: what it sees there decides. MirroredStrategy takes GPUs,
// and CPUs where there are none.
strategy::Surroundings surroundings_of(const Scenario& scenario) {
  cluster::Machine machine = build_machine(scenario);
  const auto count = [&](device::Kind kind) {
    return narrow<int>(machine.context.list_logical_devices(kind).size());
  };
  const int gpus = count(device::Kind::gpu);
  return {.is_slice = machine.platform && machine.platform->slice() != nullptr,
          .machines = machine.platform ? machine.platform->machines() : 1,
          .are_unlike = machine.platform && machine.platform->group_of(machine.platform->machines() - 1) > 0,
          .devices = gpus > 0 ? gpus : count(device::Kind::cpu),
          .hides_devices = scenario.devices.visible.has_value()};
}

}  // namespace

std::optional<StrategyRule> read_with_strategy(const json::Value& tree, Scenario& scenario,
                                               Reading& reading) {
  const json::Value* rule = named_rule(tree);
  if (rule == nullptr) {
    read_scenario(tree, scenario, reading);
    return std::nullopt;
  }
  // Any strategy will do for the machine itself. Its options are read below.
  const std::string_view first = strategy::rows().front().name;
  const json::Value without =
      json::replaced(tree, strategy_path, json::object_of(type_path.back(), json::text_at(*rule, first)));
  Scenario trial;
  read_scenario(without, trial, reading);
  if (reading.problems.any()) {  // The caller reports them.
    scenario = std::move(trial);
    return std::nullopt;
  }
  const strategy::RuleChoice choice = strategy::choose(surroundings_of(trial));
  reading = {.folder = reading.folder, .strategy_rule = strategy::automatic.name};
  read_scenario(with_type(tree, *rule, choice.row->name), scenario, reading);
  return StrategyRule{std::string(strategy::automatic.name), choice.why};
}

}  // namespace wt::scenario
