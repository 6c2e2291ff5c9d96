#include "strategy/logical_devices.h"

#include <algorithm>
#include <set>

#include "base/narrow.h"

namespace wt::strategy {

namespace {

const device::Name task{.job = "worker", .replica = 0, .task = 0};

device::Name name_of(LogicalId logical) {
  return merged({.kind = device::Kind::tpu, .index = narrow<int>(logical)}, task);
}

// The placement of an optimizer's node, which is beside those of its parameters.
constexpr std::string_view count_of_steps = "AssignAddVariableOp";

// TensorFlow gives an operation without a TPU kernel to the host. Here it stays on the requested device.
LogicalId logical_of(const PlacedNode& row) {
  const device::Name& name = row.given.kind == device::Kind::tpu ? row.given : row.requested;
  return static_cast<LogicalId>(name.index.value_or(0));
}

class Assignment {
 public:
  Assignment(const Step& step, const AssignedLayers& layers, std::size_t count) : step_(step) {
    std::vector<device::Name> devices;
    for (LogicalId logical = 0; logical < count; ++logical) devices.push_back(name_of(logical));
    PlacementRules rules{.devices = devices, .task = task};
    rules.devices.push_back(host_of(task));
    placed_ = place(step, rules, layer_scopes(step, layers, devices)).nodes;
  }

  LogicalDevices of_all() && {
    made_.nodes.resize(nodes().size());
    made_.values.assign(step_.program.values.size(), 0);
    for (const PlacedNode& row : placed_)
      if (row.node && row.operation != count_of_steps) made_.nodes[*row.node].push_back(logical_of(row));
    for (std::size_t i = 0; i < step_.variables.size(); ++i)
      at(step_.variables[i].value) = logical_of(placed_[i]);  // a placement begins with them
    for (const NamedValue& input : step_.inputs) at(input.value) = first_reader(input.value);
    for (std::size_t i = 0; i < nodes().size(); ++i) follow(i);
    return std::move(made_);
  }

 private:
  const std::vector<Node>& nodes() const { return step_.program.nodes; }
  LogicalId& at(ValueId value) { return made_.values[index(value)]; }

  // Reshaped or not.
  LogicalId first_reader(ValueId input) const {
    std::set<ValueId> same{input};
    for (std::size_t i = 0; i < nodes().size(); ++i) {
      const Node& node = nodes()[i];
      if (std::ranges::none_of(node.inputs, [&](ValueId value) { return same.contains(value); })) continue;
      if (std::holds_alternative<Apply>(node.operation)) return made_.of(i);
      if (std::holds_alternative<Reshape>(node.operation)) same.insert(node.outputs[0]);
    }
    return 0;
  }

  void follow(std::size_t i) {
    std::vector<LogicalId>& own = made_.nodes[i];
    if (!std::holds_alternative<Apply>(nodes()[i].operation)) own = {at(nodes()[i].inputs[0])};
    for (std::size_t output = 0; output < nodes()[i].outputs.size(); ++output)
      at(nodes()[i].outputs[output]) = own[output % own.size()];
  }

  const Step& step_;
  std::vector<PlacedNode> placed_{};
  LogicalDevices made_{};
};

}  // namespace

std::vector<DeviceScope> layer_scopes(const Step& step, const AssignedLayers& layers,
                                      const std::vector<device::Name>& devices) {
  std::set<std::string_view> paths;  // of scopes, and of what is around them
  for (const Node& node : step.program.nodes)
    for (std::size_t end = 0; end < node.scope.size();) {
      end = std::min(node.scope.find('/', end + 1), node.scope.size());
      paths.insert(std::string_view(node.scope).substr(0, end));
    }
  std::vector<DeviceScope> scopes;
  for (const auto& [layer, logical] : layers) {
    scopes.push_back({layer, devices.at(logical)});
    for (const std::string_view path : paths)
      if (path.ends_with("/" + layer)) scopes.push_back({std::string(path), devices.at(logical)});
  }
  return scopes;
}

LogicalDevices assign_logical_devices(const Step& step, const AssignedLayers& layers, std::size_t count) {
  if (count > 1) return Assignment(step, layers, count).of_all();
  return {{step.program.nodes.size(), {0}}, std::vector<LogicalId>(step.program.values.size(), 0)};
}

}  // namespace wt::strategy
