#include "strategy/replicas.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/rough.h"

namespace wt::strategy {

namespace {

bool is_same_node(const wt::Node& a, const wt::Node& b) {
  return a.operation.index() == b.operation.index() && a.inputs == b.inputs && a.outputs == b.outputs;
}

// The operations in which replicas meet, in their order.
std::vector<std::string_view> collectives_of(const Step& step) {
  std::vector<std::string_view> collectives;
  for (const wt::Node& node : step.program.nodes)
    if (std::holds_alternative<AllReduce>(node.operation) || std::holds_alternative<Reduce>(node.operation) ||
        std::holds_alternative<Broadcast>(node.operation) || std::holds_alternative<Gather>(node.operation) ||
        std::holds_alternative<Permute>(node.operation))
      collectives.push_back(name(node.operation));
  return collectives;
}

// In TensorFlow a replica waits without end for others that never come.
void check_collectives(Steps steps) {
  const std::vector<std::string_view> first = collectives_of(*steps[0]);
  for (std::size_t replica = 1; replica < steps.size(); ++replica) {
    if (steps[replica] == steps[0]) continue;
    const std::vector<std::string_view> own = collectives_of(*steps[replica]);
    const auto [a, b] = std::ranges::mismatch(first, own);
    if (a == first.end() && b == own.end()) continue;
    const bool zero_waits = a != first.end();
    throw InputError(
        fmt::format("[{}] replica 0 calls {} and replica {} calls {}: replica {} would wait for ever in its "
                    "{}, number {}",
                    steps[0]->name, counted(std::ssize(first), "collective"), replica,
                    counted(std::ssize(own), "collective"), zero_waits ? 0 : replica, zero_waits ? *a : *b,
                    a - first.begin() + 1),
        "call the same collectives in the same order on every replica, also on one with fewer rows or none");
  }
}

void check_programs(Steps steps) {
  check_collectives(steps);
  for (std::size_t replica = 1; replica < steps.size(); ++replica)
    if (steps[replica] != steps[0] &&
        !std::ranges::equal(steps[replica]->program.nodes, steps[0]->program.nodes, is_same_node))
      throw InputError(fmt::format("[{}] replicas 0 and {} run different programs", steps[0]->name, replica),
                       "trace the same operations on every replica; only the numbers of rows may differ");
}

void check_devices(std::string_view strategy, std::span<const Place> places) {
  std::map<std::string_view, std::size_t> replica_on;
  const auto take = [&](const plan::Device& device, std::size_t replica) {
    const auto [found, is_new] = replica_on.try_emplace(device.name, replica);
    if (is_new) return;
    if (found->second == replica)
      throw InputError(fmt::format("[{}] replica {} has {} twice", strategy, replica, device.name),
                       "give it devices of its own");
    throw InputError(
        fmt::format("[{}] replicas {} and {} are both on {}", strategy, found->second, replica, device.name),
        "give each replica a device of its own");
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    take(places[i].device, i);
    for (const plan::Device& device : places[i].further) take(device, i);
  }
}

// The mirrored values, given which variables are mirrored.
std::vector<bool> mirrored_given(Steps steps, const std::vector<bool>& variables) {
  const Step& step = *steps[0];
  std::vector<bool> mirrored(step.program.values.size(), false);
  for (std::size_t i = 0; i < variables.size(); ++i) mirrored[index(step.variables[i].value)] = variables[i];
  for (std::size_t i = 0; i < step.program.nodes.size(); ++i) {
    const wt::Node& node = step.program.nodes[i];
    bool is_mirrored =
        std::ranges::all_of(node.inputs, [&](ValueId input) { return mirrored[index(input)]; });
    if (std::holds_alternative<Apply>(node.operation))
      is_mirrored = is_mirrored && computes_the_same(steps, i);
    else if (!std::holds_alternative<Reshape>(node.operation))
      is_mirrored =
          !std::holds_alternative<Reduce>(node.operation) && !std::holds_alternative<Permute>(node.operation);
    for (const ValueId output : node.outputs) mirrored[index(output)] = is_mirrored;
  }
  return mirrored;
}

}  // namespace

std::string port_name(const std::string& name, std::size_t replica) {
  return replica == 0 ? name : fmt::format("{}/replica_{}", name, replica);
}

void check_replicas(std::string_view strategy, Steps steps, std::span<const Place> places,
                    StandFor stand_for) {
  if (places.empty())
    throw InputError(fmt::format("[{}] there are no devices", strategy), "give it at least one");
  if (steps.size() != places.size())
    throw InputError(fmt::format("[{}] {} replicas can't run on {} device{}", strategy, steps.size(),
                                 places.size(), places.size() == 1 ? "" : "s"),
                     "give each replica a device, or take as many replicas as there are devices");
  WT_EXPECT(!stand_for || *stand_for % places.size() == 0, "{} replicas can't stand for {}", places.size(),
            stand_for.value_or(0));
  check_devices(strategy, places);
  check_programs(steps);
}

std::vector<Replica> add_devices(Draft& draft, std::span<const Place> places, std::size_t replicas_in_all) {
  std::vector<Replica> replicas;
  for (const Place& place : places)
    replicas.push_back({.device = draft.device(place.device),
                        .number = replicas.size(),
                        .is_only_one = replicas_in_all == 1});
  for (std::size_t i = 0; i < places.size(); ++i)
    for (const plan::Device& device : places[i].further) replicas[i].further.push_back(draft.device(device));
  std::map<std::string_view, plan::DeviceId> hosts;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i].host) continue;
    const auto [found, is_new] = hosts.try_emplace(places[i].host->name);
    if (is_new) found->second = draft.device(*places[i].host);
    replicas[i].host = found->second;
  }
  return replicas;
}

bool computes_the_same(Steps steps, std::size_t node) {
  const auto* first = std::get_if<Apply>(&steps[0]->program.nodes[node].operation);
  return first == nullptr || std::ranges::all_of(steps, [&](const Step* step) {
           const auto& other = std::get<Apply>(step->program.nodes[node].operation);
           return step == steps[0] ||
                  (other.kernel == first->kernel && other.attributes == first->attributes);
         });
}

bool is_on_write(const StepVariable& variable) {
  return variable.synchronization == Synchronization::automatic ||
         variable.synchronization == Synchronization::on_write;
}

// A variable without aggregation stays mirrored as long as all replicas write the same value.
std::vector<bool> mirrored_values(Steps steps) {
  const Step& step = *steps[0];
  std::vector<bool> variables;
  for (const StepVariable& variable : step.variables) variables.push_back(is_on_write(variable));
  for (;;) {
    const std::vector<bool> mirrored = mirrored_given(steps, variables);
    bool is_stable = true;
    for (const wt::Node& node : step.program.nodes) {
      const auto* update = std::get_if<Update>(&node.operation);
      if (update == nullptr || mirrored[index(node.inputs[0])]) continue;
      if (step.variables[index(update->variable)].aggregation != Aggregation::none) continue;
      is_stable = is_stable && !variables[index(update->variable)];
      variables[index(update->variable)] = false;
    }
    if (is_stable) return mirrored;
  }
}

}  // namespace wt::strategy
