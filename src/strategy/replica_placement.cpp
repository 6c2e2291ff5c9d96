#include "strategy/replica_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

// A variable of which there is one copy is made, and written, once: with the rows of replica 0.
bool is_done_once(const PlacedNode& node, const std::set<std::string>& shared) {
  if (node.operation == "VarHandleOp") return shared.contains(node.name);
  const bool is_write = node.why.starts_with(colocated) && node.operation != "ReadVariableOp";
  return is_write && shared.contains(node.why.substr(colocated.size()));
}

void rename(StepPlacement& placement, std::size_t replica, const std::set<std::string>& shared) {
  if (replica == 0) return;
  std::erase_if(placement.nodes, [&](const PlacedNode& node) { return is_done_once(node, shared); });
  const Renaming renaming(replica, shared);
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

ReplicaPlacement place_replica(const Step& step, std::size_t replica, const Strategy& strategy,
                               cluster::Machine& machine, bool soft_placement) {
  ReplicaPlacement placed{.replica = replica};
  for (const device::LogicalDevice& device : machine.replicas[replica].devices())
    placed.devices.push_back(device.name);
  std::vector<DeviceScope> scopes = layer_scopes(step, machine.assigned, placed.devices);
  if (strategy.asks_for_device()) scopes.push_back({.scope = "", .device = placed.devices[0]});
  std::set<std::string> shared;
  if (const std::optional<Name> center = strategy.variable_device(machine))
    for (const Variable& variable : step.variables)
      if (is_on_write(variable)) {
        shared.insert(variable.name);
        scopes.push_back({.scope = variable.name, .device = *center});
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
  const ReplicaPlacement& first = replicas.front();
  std::string text = wt::print(first.placement);
  for (const ReplicaPlacement& replica : replicas) {
    if (replica.replica == first.replica) continue;
    const std::string devices = print_devices(replica.devices);
    text += is_alike(first, replica) ? fmt::format("replica {}: the same on {}\n", replica.replica, devices)
                                     : fmt::format("replica {}: on {}\n{}", replica.replica, devices,
                                                   wt::print(replica.placement));
  }
  return text;
}

}  // namespace wt::strategy
