#include "program/step_placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/overloaded.h"
#include "kernel/optimizer.h"

namespace wt {

namespace {

using device::Name;

std::optional<OptimizerLayout> layout_of_node(const Node& node) {
  const auto* apply = std::get_if<Apply>(&node.operation);
  if (apply == nullptr) return std::nullopt;
  return std::visit(overloaded{
                        [](const SgdAttributes& sgd) { return std::optional(layout_of(sgd)); },
                        [](const AdamAttributes& adam) { return std::optional(layout_of(adam)); },
                        [](const RmsPropAttributes& rmsprop) { return std::optional(layout_of(rmsprop)); },
                        [](const auto&) { return std::optional<OptimizerLayout>(); },
                    },
                    apply->attributes);
}

// Makes names unique as TensorFlow's graphs do: MatMul, MatMul_1. Two names that differ in upper and lower
// case only count as equal.
class UniqueNames {
 public:
  std::string operator()(const std::string& wanted) {
    std::string name = wanted;
    int& count = counts_[lower(wanted)];
    while (!used_.insert(lower(name)).second) name = fmt::format("{}_{}", wanted, ++count);
    return name;
  }

 private:
  static std::string lower(std::string text) {
    for (char& letter : text)
      if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return text;
  }
  std::map<std::string, int> counts_{};
  std::set<std::string> used_{};
};

class StepPlacer {
 public:
  StepPlacer(const Step& step, const PlacementRules& rules, std::span<const DeviceScope> scopes)
      : step_(step), rules_(rules), scopes_(scopes), values_(step.program.values.size()) {}

  StepPlacement run() {
    for (std::size_t i = 0; i < step_.variables.size(); ++i)
      values_[index(step_.variables[i].value)].variable = i;
    find_slots();
    for (std::size_t i = 0; i < step_.variables.size(); ++i) place_variable(i);
    for (const NamedValue& input : step_.inputs) place_input(input);
    for (std::size_t i = 0; i < nodes().size(); ++i) place_node(i);
    for (const auto& [row, value] : generators_) place_generator(row, value);
    for (const NamedValue& result : step_.results) place_result(result);
    std::vector<DeviceCopy> sent = copies();
    return {std::move(placed_), std::move(sent)};
  }

 private:
  using Values = std::vector<ValueId>;

  struct Origin {
    std::optional<std::size_t> variable{};  // the variable whose value it is
    std::optional<std::size_t> row{};       // the row that computes it
    bool is_read = false;                   // the variable's ReadVariableOp already has a row
    bool is_updated = false;                // the row of an optimizer computes it and writes the variable
  };
  struct Use {
    std::size_t row = 0;
    ValueId value{};
  };

  const std::vector<Node>& nodes() const { return step_.program.nodes; }
  const TensorSpec& spec(ValueId value) const { return step_.program.spec(value); }
  const StepVariable& variable(std::size_t i) const { return step_.variables[i]; }
  Origin& origin(ValueId value) { return values_[index(value)]; }

  static bool is_inside(const std::string& path, const std::string& scope) {
    return scope.empty() || path == scope || path.starts_with(scope + "/");
  }

  Name requested(const std::string& path) const {
    std::vector<const DeviceScope*> around;
    for (const DeviceScope& scope : scopes_)
      if (is_inside(path, scope.scope)) around.push_back(&scope);
    std::stable_sort(around.begin(), around.end(), [](const DeviceScope* outer, const DeviceScope* inner) {
      return outer->scope.size() < inner->scope.size();
    });
    Name name;
    for (const DeviceScope* scope : around) name = merged(scope->device, name);
    return name;
  }

  static std::string joined(const std::string& scope, std::string_view name) {
    return scope.empty() ? std::string(name) : fmt::format("{}/{}", scope, name);
  }

  std::size_t add_row(const std::string& name, std::string_view operation, const Name& wanted,
                      const Selection& selection, const Values& reads, const Values& makes,
                      std::optional<std::size_t> node = {}) {
    const std::size_t row = placed_.size();
    placed_.push_back(
        {names_(name), std::string(operation), wanted, selection.device, std::string(selection.why), node});
    for (const ValueId value : reads) uses_.push_back({row, value});
    for (const ValueId value : makes) origin(value).row = row;
    return row;
  }

  std::string print_attributes(const KernelNeed& need) const {
    const OperationKernels* row = find_operation(rules_.kernels, need.operation);
    return fmt::format("{}={}", row == nullptr ? "T" : row->attribute, type_enumerator(need.type));
  }

  [[noreturn]] void refuse(const std::string& name, const KernelNeed& need, const Name& wanted) const {
    const std::string kernels = print_kernels(rules_.kernels, need.operation);
    std::set<std::string_view> kinds;
    std::set<std::string> devices;
    bool is_there = false;
    for (const Name& device : rules_.devices) {
      kinds.insert(device::name(*device.kind));
      devices.insert(device::print(device));
      is_there = is_there || device == merged(wanted, device);
    }
    if (devices_with_kernels({&need, 1}, {}, rules_).empty())
      throw InvalidArgumentError(fmt::format(
          "No OpKernel was registered to support Op '{}' used by {{{{node {}}}}} with these attrs: [{}]\n"
          "Registered devices: [{}]\nRegistered kernels:\n{}",
          need.operation, name, print_attributes(need), fmt::join(kinds, ", "), kernels));
    if (!is_there)
      throw InvalidArgumentError(
          fmt::format("Cannot assign a device for operation {0}: {{{{node {0}}}}} was explicitly assigned to "
                      "{1} but available "
                      "devices are [ {2} ]. Make sure the device specification refers to a valid device.",
                      name, device::print(wanted), fmt::join(devices, ", ")));
    throw InvalidArgumentError(fmt::format(
        "Cannot assign a device for operation {}: Could not satisfy explicit device specification '{}' "
        "because no "
        "supported kernel for {} devices is available.\nOp: {}\nNode attrs: {}\nRegistered kernels:\n{}",
        name, device::print(wanted), wanted.kind ? device::name(*wanted.kind) : "such", need.operation,
        print_attributes(need), kernels));
  }

  Selection selected(const std::string& name, std::span<const KernelNeed> needs, const Name& wanted) const {
    if (const auto selection = select_device(needs, wanted, rules_)) return *selection;
    for (const KernelNeed& need : needs)
      if (!select_device({&need, 1}, wanted, rules_)) refuse(name, need, wanted);
    refuse(name, needs[0], wanted);
  }

  // ---- variables

  // Keras creates the slots of an optimizer on the device of their variable (colocate_vars_with).
  void find_slots() {
    for (std::size_t i = 0; i < step_.variables.size(); ++i) leaders_.push_back(i);
    needs_.resize(step_.variables.size());
    for (const Node& node : nodes()) {
      const auto layout = layout_of_node(node);
      if (!layout) continue;
      const std::size_t parameters = layout->parameters(node.inputs.size());
      const KernelNeed need{operation_of(node), operation_type_of(node)};
      for (std::size_t i = 0; i < layout->count_at(parameters); ++i) {
        const auto own = origin(node.inputs[i]).variable;
        const auto leader = origin(node.inputs[i % parameters]).variable;
        if (own && leader) leaders_[*own] = *leader;
        if (leader && i < parameters) needs_[*leader].push_back(need);
      }
    }
    for (std::size_t i = 0; i < leaders_.size(); ++i)
      needs_[leaders_[i]].push_back({"VarHandleOp", spec(variable(i).value).type});
  }

  void place_variable(std::size_t i) {
    const std::size_t leader = leaders_[i];
    const std::string& name = variable(i).name;
    const Name wanted = requested(variable(leader).name);
    const Selection found = selected(name, needs_[leader], wanted);
    const std::string why = leader == i ? fmt::format("variable, {}", found.why)
                                        : fmt::format("colocated with variable {}", variable(leader).name);
    add_row(name, "VarHandleOp", leader == i ? wanted : requested(name), {found.device, why}, {}, {});
    variable_devices_.push_back(found.device);
  }

  // A ReadVariableOp on the variable's device gives its value. It gets a row when the first node reads the
  // value.
  void read(ValueId value) {
    Origin& from = origin(value);
    if (!from.variable || from.is_read) return;
    from.is_read = true;
    const std::string& name = variable(*from.variable).name;
    add_row(name + "/Read/ReadVariableOp", "ReadVariableOp", {},
            {variable_devices_[*from.variable], fmt::format("colocated with variable {}", name)}, {},
            {value});
  }

  // ---- nodes

  std::vector<TensorSpec> input_specs(const Node& node) const {
    std::vector<TensorSpec> specs;
    for (const ValueId input : node.inputs) specs.push_back(spec(input));
    return specs;
  }

  std::string_view operation_of(const Node& node) const {
    constexpr std::array<std::string_view, 8> names{"",
                                                    "Reshape",
                                                    "CollectiveReduceV2",
                                                    "CollectiveReduceV2",
                                                    "CollectiveBcastSendV2",
                                                    "CollectiveGatherV2",
                                                    "CollectivePermute",
                                                    "AssignVariableOp"};  // by alternative of Operation
    if (const auto* reshape = std::get_if<Reshape>(&node.operation); reshape && reshape->stops_gradient)
      return "StopGradient";
    const auto* apply = std::get_if<Apply>(&node.operation);
    if (apply == nullptr) return names[node.operation.index()];
    return operation_name(apply->kernel->name, input_specs(node), apply->attributes);
  }

  Type operation_type_of(const Node& node) const {
    const auto* apply = std::get_if<Apply>(&node.operation);
    if (apply == nullptr) return spec(node.inputs[0]).type;
    return operation_type(apply->kernel->name, input_specs(node), apply->attributes);
  }

  void place_node(std::size_t i) {
    const Node& node = nodes()[i];
    const auto layout = layout_of_node(node);
    if (layout && origin(node.inputs[0]).variable) return place_optimizer(i, *layout);
    if (const auto* update = std::get_if<Update>(&node.operation)) return place_update(i, *update);
    if (const std::optional<ValueId> table = table_of(node)) return place_at_table(i, *table);
    for (const ValueId input : node.inputs) read(input);
    const std::string_view operation = operation_of(node);
    const std::string name = joined(node.scope, operation);
    const Name wanted = requested(node.scope);
    const KernelNeed need{operation, operation_type_of(node)};
    Selection found = selected(name, {&need, 1}, wanted);
    if (wanted == Name{} && stays_on_cpu(node))
      found = {host_of(rules_.task), "small integers stay on the CPU"};
    const std::size_t row = add_row(name, operation, wanted, found, node.inputs, node.outputs, i);
    if (node.inputs.empty() && node.outputs.size() == 1 && wanted == Name{})
      generators_.emplace_back(row, node.outputs[0]);
  }

  // The table whose rows a node gathers or updates.
  std::optional<ValueId> table_of(const Node& node) {
    std::optional<ValueId> table;
    if (name(node.operation) == "embedding") table = node.inputs[1];
    if (name(node.operation) == "sgd_update_rows") table = node.inputs[0];
    return table && origin(*table).variable ? table : std::nullopt;
  }

  // TensorFlow gathers and updates rows of a variable where the variable is.
  void place_at_table(std::size_t i, ValueId table) {
    const Node& node = nodes()[i];
    const std::size_t at = *origin(table).variable;
    const bool updates = node.inputs[0] == table;
    const std::string_view operation = updates ? "ResourceScatterSub" : "ResourceGather";
    Values reads;
    for (const ValueId input : node.inputs)
      if (input != table) reads.push_back(input);
    for (const ValueId value : reads) read(value);
    if (updates) origin(node.outputs[0]).is_updated = true;
    add_row(joined(node.scope, operation), operation, {},
            {variable_devices_[at], fmt::format("colocated with variable {}", variable(at).name)}, reads,
            node.outputs, i);
  }

  bool stays_on_cpu(const Node& node) {
    if (!rules_.small_integers_on_cpu || node.inputs.empty()) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
      const auto row = origin(input).row;
      return row && placed_[*row].given == host_of(rules_.task) && is_small_integer(spec(input));
    });
  }

  // As in TensorFlow, there is one operation per parameter. It writes the variable and its slots in place.
  void place_optimizer(std::size_t i, const OptimizerLayout& layout) {
    const Node& node = nodes()[i];
    const std::size_t parameters = layout.parameters(node.inputs.size());
    const std::string_view operation = operation_of(node);
    const std::size_t count = layout.count_at(parameters);
    if (layout.has_count) read(node.inputs[count]);
    for (std::size_t p = 0; p < parameters; ++p) {
      const std::size_t written = origin(node.inputs[p]).variable.value();
      const std::string& name = variable(written).name;
      Values reads{node.inputs[layout.gradients_at(parameters) + p], node.inputs.back()};
      if (layout.has_count) reads.push_back(node.inputs[count]);
      if (layout.has_squares) reads.push_back(node.inputs[layout.squares_at(parameters) + p]);
      Values makes;
      for (std::size_t output = p; output < count; output += parameters)
        makes.push_back(node.outputs[output]);
      for (const ValueId value : makes) origin(value).is_updated = true;
      for (const ValueId value : reads) read(value);
      add_row(joined(node.scope, fmt::format("update_{}/{}", name, operation)), operation, {},
              {variable_devices_[written], fmt::format("colocated with variable {}", name)}, reads, makes, i);
    }
    if (layout.has_count) place_count(i, node.inputs[count], node.outputs[count]);
  }

  void place_count(std::size_t i, ValueId before, ValueId after) {
    const auto counted = origin(before).variable;
    if (!counted) return;
    origin(after).is_updated = true;
    if (!counted_.insert(*counted).second) return;  // another update of the same step has counted it
    add_row(joined(nodes()[i].scope, "AssignAddVariableOp"), "AssignAddVariableOp", {},
            {variable_devices_[*counted], fmt::format("colocated with variable {}", variable(*counted).name)},
            {}, {after}, i);
  }

  void place_update(std::size_t i, const Update& update) {
    const Node& node = nodes()[i];
    if (origin(node.inputs[0]).is_updated) return;
    read(node.inputs[0]);
    const std::size_t written = index(update.variable);
    add_row(joined(node.scope, "AssignVariableOp"), "AssignVariableOp", {},
            {variable_devices_[written], fmt::format("colocated with variable {}", variable(written).name)},
            node.inputs, {}, i);
  }

  void place_input(const NamedValue& input) {
    add_row(input.name, "_Arg", {}, {host_of(rules_.task), "input, from the host"}, {}, {input.value});
  }

  void place_result(const NamedValue& result) {
    read(result.value);
    const auto row = origin(result.value).row;
    WT_EXPECT(row.has_value(), "no row computes the result {}", result.name);
    add_row(result.name + "_RetVal", "_Retval", {}, {placed_[*row].given, "colocated with its input"},
            {result.value}, {});
  }

  // Moves an operation without inputs to the device of its readers, if all of them are on one device that has
  // a kernel for it (heuristic A of the placer).
  void place_generator(std::size_t row, ValueId value) {
    std::set<std::string> readers;
    Name reader;
    for (const Use& use : uses_)
      if (use.value == value && readers.insert(device::print(placed_[use.row].given)).second)
        reader = placed_[use.row].given;
    const KernelNeed need{placed_[row].operation, spec(value).type};
    if (readers.size() != 1 || devices_with_kernels({&need, 1}, reader, rules_).empty()) return;
    placed_[row].given = reader;
    placed_[row].why = "colocated with its reader";
  }

  std::vector<DeviceCopy> copies() {
    std::vector<DeviceCopy> list;
    std::set<std::pair<ValueId, std::string>> sent;
    for (const Use& use : uses_) {
      const auto row = origin(use.value).row;
      WT_EXPECT(row.has_value(), "no row computes value {}", index(use.value));
      const Name from = memory_of(placed_[*row].given, spec(use.value).type);
      const Name to = memory_of(placed_[use.row].given, spec(use.value).type);
      if (from != to && sent.insert({use.value, device::print(to)}).second)
        list.push_back({placed_[*row].name, spec(use.value), from, to});
    }
    return list;
  }

  const Step& step_;
  const PlacementRules& rules_;
  std::span<const DeviceScope> scopes_;
  std::vector<Origin> values_;
  std::vector<std::size_t> leaders_{};            // by variable: for a slot its variable, else itself
  std::vector<std::vector<KernelNeed>> needs_{};  // by leader
  std::vector<Name> variable_devices_{};          // by variable
  std::vector<std::pair<std::size_t, ValueId>> generators_{};
  std::set<std::size_t> counted_{};  // counts of steps, by variable, whose increment has a row
  std::vector<Use> uses_{};
  std::vector<PlacedNode> placed_{};
  UniqueNames names_{};
};

}  // namespace

StepPlacement place(const Step& step, const PlacementRules& rules, std::span<const DeviceScope> scopes) {
  return StepPlacer(step, rules, scopes).run();
}

}  // namespace wt
