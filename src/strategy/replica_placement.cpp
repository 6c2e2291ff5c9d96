#include "strategy/replica_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "strategy/central_roles.h"
#include "strategy/logical_devices.h"
#include "strategy/replicas.h"

namespace wt::strategy {

namespace {

using device::Name;

constexpr std::string_view colocated = "colocated with variable ";

// The devices that the process of a replica sees, among them the replica's own.
PlacementRules rules_for(const std::vector<Name>& own, cluster::Machine& machine, bool soft_placement) {
  PlacementRules rules{.task = {.job = own[0].job, .replica = own[0].replica, .task = own[0].task},
                       .soft_placement = soft_placement};
  std::set<std::string> known;
  const auto add = [&](const Name& device) {
    if (known.insert(device::print(device)).second) rules.devices.push_back(device);
  };
  for (const device::LogicalDevice& device : machine.context.list_logical_devices())
    if (device::host_of(device.name) == device::host_of(own[0])) add(device.name);
  for (const Name& device : own) add(device);
  if (machine.pool)
    for (const Name& server : machine.pool->servers) add(server);
  rules.devices = by_priority(std::move(rules.devices));
  return rules;
}

// Gives the names of one replica's placement to another replica.
class Renaming {
 public:
  Renaming(std::size_t replica, const std::set<std::string>& shared) : replica_(replica), shared_(shared) {}

  // Variables, inputs and results have the names of a plan's ports, operations are inside a scope.
  std::string name(const PlacedNode& node) const {
    const bool is_port =
        node.operation == "VarHandleOp" || node.operation == "_Arg" || node.operation == "_Retval";
    return is_port ? variable(node.name) : inside(node.name);
  }
  std::string variable(const std::string& name) const {
    return shared_.contains(name) ? name : port_name(name, replica_);
  }
  std::string inside(const std::string& name) const {
    return replica_ == 0 ? name : fmt::format("replica_{}/{}", replica_, name);
  }
  std::string why(const std::string& why) const {
    const std::size_t at = why.find(colocated);
    if (at == std::string::npos) return why;
    const std::size_t begin = at + colocated.size();
    return why.substr(0, begin) + variable(why.substr(begin));
  }

 private:
  std::size_t replica_;
  const std::set<std::string>& shared_;  // variables of which there is one copy
};

// What all replicas share: variables of which there is one copy, and the nodes that update them where they
// are.
struct Shared {
  std::set<std::string> variables{};
  std::set<std::string> unread{};  // by all but the update
  std::set<std::size_t> nodes{};
};

Shared shared_by_replicas(const Step& step) {
  Shared shared;
  const Step* const steps[] = {&step};
  const CentralRoles roles = roles_with_servers("central_storage", steps);
  for (std::size_t i = 0; i < step.variables.size(); ++i)
    if (roles.is_central[i]) {
      shared.variables.insert(step.variables[i].name);
      if (!roles.is_pulled[i]) shared.unread.insert(step.variables[i].name);
    }
  for (const Part& part : roles.at_server) shared.nodes.insert(part.node);
  for (const Part& part : roles.at_replicas) shared.nodes.erase(part.node);
  shared.nodes.insert(roles.pushed.begin(), roles.pushed.end());
  return shared;
}

// Scopes of shared variables, and of what contains nothing but shared nodes, such as an optimizer.
void add_scopes(const Step& step, const Shared& shared, const std::vector<Name>& devices,
                std::vector<DeviceScope>& scopes) {
  for (std::size_t i = 0; i < step.variables.size(); ++i)
    if (shared.variables.contains(step.variables[i].name))
      scopes.push_back({.scope = step.variables[i].name, .device = devices[i]});
  std::set<std::string> around, elsewhere;
  for (std::size_t i = 0; i < step.program.nodes.size(); ++i)
    (shared.nodes.contains(i) ? around : elsewhere).insert(step.program.nodes[i].scope);
  for (const std::string& scope : around)
    if (!scope.empty() && !elsewhere.contains(scope))
      scopes.push_back({.scope = scope, .device = devices.front()});
}

// Shared variables are made, and shared nodes computed, once: with the rows of replica 0.
bool is_done_once(const PlacedNode& node, const Shared& shared) {
  if (node.operation == "VarHandleOp") return shared.variables.contains(node.name);
  if (node.node && shared.nodes.contains(*node.node)) return true;
  if (!node.why.starts_with(colocated)) return false;
  const bool is_read = node.operation == "ReadVariableOp";
  return (is_read ? shared.unread : shared.variables).contains(node.why.substr(colocated.size()));
}

void rename(StepPlacement& placement, std::size_t replica, const Shared& shared) {
  if (replica == 0) return;
  std::set<std::string> once;
  for (const PlacedNode& node : placement.nodes)
    if (is_done_once(node, shared)) once.insert(node.name);
  std::erase_if(placement.nodes, [&](const PlacedNode& node) { return once.contains(node.name); });
  std::erase_if(placement.copies, [&](const DeviceCopy& copy) { return once.contains(copy.name); });
  const Renaming renaming(replica, shared.variables);
  std::map<std::string, std::string> renamed;
  for (PlacedNode& node : placement.nodes) {
    std::string name = renaming.name(node);
    renamed.emplace(node.name, name);
    node.name = std::move(name);
    node.why = renaming.why(node.why);
  }
  for (DeviceCopy& copy : placement.copies) {
    const auto found = renamed.find(copy.name);
    copy.name = found == renamed.end() ? renaming.inside(copy.name) : found->second;
  }
}

std::size_t place_among(const std::vector<Name>& devices, const Name& device) {
  return static_cast<std::size_t>(std::ranges::find(devices, device) - devices.begin());
}

std::string print_devices(const std::vector<Name>& devices) {
  std::string text;
  for (const Name& device : devices) text += (text.empty() ? "" : ", ") + device::print(device);
  return text;
}

}  // namespace

ReplicaPlacement place_replica(const Step& traced, std::size_t replica, const Strategy& strategy,
                               cluster::Machine& machine, bool soft_placement) {
  const Step step = strategy.with_placed_variables(traced, machine);
  ReplicaPlacement placed{.replica = replica};
  for (const device::LogicalDevice& device : machine.replicas[replica].devices())
    placed.devices.push_back(device.name);
  std::vector<DeviceScope> scopes = layer_scopes(step, machine.assigned, placed.devices);
  if (strategy.asks_for_device()) scopes.push_back({.scope = "", .device = placed.devices[0]});
  Shared shared;
  if (const std::vector<Name> devices = strategy.variable_devices(step, machine); !devices.empty()) {
    shared = shared_by_replicas(step);
    add_scopes(step, shared, devices, scopes);
  }
  const Name host = device::host_of(placed.devices[0]);
  if (placed.devices[0] != host) placed.devices.push_back(host);
  placed.placement = place(step, rules_for(placed.devices, machine, soft_placement), scopes);
  rename(placed.placement, replica, shared);
  return placed;
}

// Each device of one replica corresponds to the device of the other one at the same place of their lists.
// What is on neither list, such as the one device of all variables, is the same for both.
bool is_alike(const ReplicaPlacement& first, const ReplicaPlacement& other) {
  if (first.devices.size() != other.devices.size()) return false;
  const auto corresponds = [&](const Name& one, const Name& another) {
    const std::size_t i = place_among(first.devices, one);
    return i == place_among(other.devices, another) && (i < first.devices.size() || one == another);
  };
  return std::ranges::equal(first.placement.nodes, other.placement.nodes,
                            [&](const PlacedNode& one, const PlacedNode& another) {
                              return one.operation == another.operation && one.node == another.node &&
                                     corresponds(one.given, another.given);
                            });
}

std::string print(const std::vector<ReplicaPlacement>& replicas) {
  std::vector<const ReplicaPlacement*> printed{&replicas.front()};
  std::string text = wt::print(replicas.front().placement);
  for (const ReplicaPlacement& replica : std::span(replicas).subspan(1)) {
    const std::string devices = print_devices(replica.devices);
    const auto like = std::ranges::find_if(
        printed, [&](const ReplicaPlacement* other) { return is_alike(*other, replica); });
    if (like != printed.end()) {
      text += fmt::format("replica {}: as replica {}, on {}\n", replica.replica, (*like)->replica, devices);
      continue;
    }
    printed.push_back(&replica);
    text += fmt::format("replica {}: on {}\n{}", replica.replica, devices, wt::print(replica.placement));
  }
  return text;
}

}  // namespace wt::strategy
