#include "strategy/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/narrow.h"
#include "kernel/families.h"

namespace wt::strategy {

namespace {

using Values = std::vector<ValueId>;

bool is_elementwise(const Kernel& kernel) {
  return std::ranges::any_of(elementwise_kernels(),
                             [&](const Kernel& row) { return row.name == kernel.name; });
}

class Sharding {
 public:
  Sharding(const Step& step, const model::Partition& partition)
      : step_(step), whole_(step.program.values.size()), parts_(step.program.values.size()) {
    made_.name = step.name;
    made_.fetches_results = step.fetches_results;
    count_shards(partition);
  }

  Step sharded() && {
    for (const NamedValue& input : step_.inputs) made_.inputs.push_back({input.name, add_value(input.value)});
    for (std::size_t i = 0; i < step_.variables.size(); ++i) add_variable(i);
    find_cut_gradients();
    for (const wt::Node& node : step_.program.nodes) add(node);
    for (const NamedValue& result : step_.results)
      made_.results.push_back({result.name, whole(result.value)});
    return std::move(made_);
  }

 private:
  // ---- Variables

  // The rows of each shard, by variable; a single number stands for a variable that is not cut.
  void count_shards(const model::Partition& partition) {
    std::map<std::string_view, std::vector<std::int64_t>> by_name;
    for (const StepVariable& variable : step_.variables) {
      const TensorSpec& spec = step_.program.spec(variable.value);
      std::int64_t shards = 1;
      if (is_on_write(variable) && spec.shape.rank() > 0)
        shards = variable.slot_of.empty() ? model::shards(partition, spec)
                                          : std::ssize(by_name.at(variable.slot_of));
      rows_.push_back(model::rows_of_shards(spec.shape.rank() > 0 ? spec.shape[0] : 1, shards));
      by_name.emplace(variable.name, rows_.back());
    }
  }

  std::size_t variable_of(ValueId value) const {
    const auto found = std::ranges::find(step_.variables, value, &StepVariable::value);
    WT_EXPECT(found != step_.variables.end(), "an optimizer updates a value that is no variable");
    return static_cast<std::size_t>(found - step_.variables.begin());
  }

  void add_variable(std::size_t i) {
    const StepVariable& variable = step_.variables[i];
    std::vector<VariableId>& ids = variables_.emplace_back();
    const std::vector<std::int64_t>& rows = rows_[i];
    if (rows.size() == 1) {
      ids.push_back(add_shard(variable, variable.name, add_value(variable.value), variable.slot_of));
      return;
    }
    for (std::size_t shard = 0; shard < rows.size(); ++shard) {
      TensorSpec spec = step_.program.spec(variable.value);
      spec.shape[0] = rows[shard];
      const std::string name = shard_name(variable.name, shard);
      const ValueId value = made_.program.add_value(spec, name);
      parts_[index(variable.value)].push_back(value);
      ids.push_back(add_shard(variable, name, value,
                              variable.slot_of.empty() ? "" : shard_name(variable.slot_of, shard)));
    }
  }

  VariableId add_shard(StepVariable variable, std::string name, ValueId value, std::string slot_of) {
    variable.name = std::move(name);
    variable.value = value;
    variable.slot_of = std::move(slot_of);
    made_.variables.push_back(std::move(variable));
    return static_cast<VariableId>(narrow<std::int32_t>(made_.variables.size() - 1));
  }

  ValueId add_value(ValueId value) {
    const Value& old = step_.program.values[index(value)];
    const ValueId added = made_.program.add_value(old.spec, old.name);
    whole_[index(value)] = added;
    return added;
  }

  // ---- Values

  // The gradient of a variable that is cut leaves its replica in pieces.
  void find_cut_gradients() {
    for (const wt::Node& node : step_.program.nodes) {
      const std::optional<OptimizerLayout> layout = optimizer_layout(node);
      if (!layout) continue;
      const std::size_t count = layout->parameters(node.inputs.size());
      for (std::size_t i = 0; i < count; ++i) {
        const std::vector<std::int64_t>& rows = rows_[variable_of(node.inputs[i])];
        if (rows.size() == 1) continue;
        cut_.emplace(node.inputs[layout->gradients_at(count) + i], rows);
        if (layout->has_squares) cut_.emplace(node.inputs[layout->squares_at(count) + i], rows);
      }
    }
  }

  bool is_cut(ValueId value) const { return !parts_[index(value)].empty(); }

  ValueId whole(ValueId value) {
    std::optional<ValueId>& known = whole_[index(value)];
    if (!known) known = concatenated(parts_[index(value)]);
    return *known;
  }

  const Values& parts(ValueId value, const std::vector<std::int64_t>& rows) {
    Values& known = parts_[index(value)];
    if (known.empty()) known = split(whole(value), rows);
    return known;
  }

  // A shape has at most Shape::max_rank extents, and the attributes of concat and split name the parts by a
  // shape. More parts are joined in groups.
  ValueId concatenated(Values parts) {
    while (parts.size() > 1) {
      Values joined;
      for (std::size_t i = 0; i < parts.size(); i += Shape::max_rank) {
        const std::size_t end = std::min(parts.size(), i + Shape::max_rank);
        PartsAttributes attributes;
        for (std::size_t j = i; j < end; ++j) attributes.sizes.append(made_.program.spec(parts[j]).shape[0]);
        Values group(parts.begin() + narrow<std::ptrdiff_t>(i), parts.begin() + narrow<std::ptrdiff_t>(end));
        joined.push_back(group.size() == 1 ? group.front()
                                           : kernel("concat", attributes, std::move(group))[0]);
      }
      parts = std::move(joined);
    }
    return parts.front();
  }

  Values split(ValueId value, std::span<const std::int64_t> rows) {
    if (rows.size() == 1) return {value};
    std::size_t group = 1;  // shards in each piece
    while (group * Shape::max_rank < rows.size()) group *= Shape::max_rank;
    PartsAttributes attributes;
    for (std::size_t i = 0; i < rows.size(); i += group) {
      std::int64_t sum = 0;
      for (const std::int64_t each : rows.subspan(i, std::min(group, rows.size() - i))) sum += each;
      attributes.sizes.append(sum);
    }
    Values all;
    std::size_t i = 0;
    for (const ValueId piece : kernel("split", attributes, {value})) {
      const std::size_t size = std::min(group, rows.size() - i);
      const Values within = split(piece, rows.subspan(i, size));
      all.insert(all.end(), within.begin(), within.end());
      i += size;
    }
    return all;
  }

  Values kernel(std::string_view name, Attributes attributes, Values inputs) {
    return append(Apply{&kernel_named(name), std::move(attributes)}, std::move(inputs));
  }

  Values append(Operation operation, Values inputs) {
    Values outputs = wt::append(made_.program, std::move(operation), std::move(inputs), scope_);
    made_.program.nodes.back().is_gradient = is_gradient_;
    return outputs;
  }

  // ---- Nodes

  void add(const wt::Node& node) {
    scope_ = node.scope;
    is_gradient_ = node.is_gradient;
    if (const auto* update = std::get_if<Update>(&node.operation))
      add_updates(*update, node.inputs[0]);
    else if (const std::optional<OptimizerLayout> layout = optimizer_layout(node))
      add_optimizer(node, *layout);
    else if (!add_by_parts(node))
      add_whole(node);
  }

  void add_whole(const wt::Node& node) {
    Values inputs;
    for (const ValueId input : node.inputs) inputs.push_back(whole(input));
    const Values outputs = append(node.operation, std::move(inputs));
    for (std::size_t i = 0; i < outputs.size(); ++i) whole_[index(node.outputs[i])] = outputs[i];
  }

  void add_updates(const Update& update, ValueId value) {
    const std::vector<VariableId>& ids = variables_[index(update.variable)];
    if (ids.size() == 1) {
      append(Update{ids.front()}, {whole(value)});
      return;
    }
    const Values& new_values = parts(value, rows_[index(update.variable)]);
    for (std::size_t i = 0; i < ids.size(); ++i) append(Update{ids[i]}, {new_values[i]});
  }

  // Reductions of gradients, and what is computed from them element by element.
  bool add_by_parts(const wt::Node& node) {
    const std::vector<std::int64_t>* rows = rows_of_parts(node);
    if (rows == nullptr) return false;
    std::vector<Values> inputs;
    for (const ValueId input : node.inputs)
      inputs.push_back(step_.program.spec(input).shape.rank() == 0 ? Values(rows->size(), whole(input))
                                                                   : parts(input, *rows));
    Values& outputs = parts_[index(node.outputs[0])];
    for (std::size_t part = 0; part < rows->size(); ++part) {
      Values own;
      for (const Values& input : inputs) own.push_back(input[part]);
      outputs.push_back(append(node.operation, std::move(own))[0]);
    }
    reduced_.emplace(node.outputs[0], *rows);
    return true;
  }

  const std::vector<std::int64_t>* rows_of_parts(const wt::Node& node) const {
    if (std::holds_alternative<AllReduce>(node.operation)) {
      const auto found = cut_.find(node.outputs[0]);
      return found == cut_.end() ? nullptr : &found->second;
    }
    const auto* apply = std::get_if<Apply>(&node.operation);
    if (apply == nullptr || !is_elementwise(*apply->kernel)) return nullptr;
    const TensorSpec& spec = step_.program.spec(node.outputs[0]);
    const std::vector<std::int64_t>* rows = nullptr;
    for (const ValueId input : node.inputs) {
      if (const auto found = reduced_.find(input); found != reduced_.end()) rows = &found->second;
      const Shape& shape = step_.program.spec(input).shape;
      if (shape.rank() != 0 && (shape != spec.shape || !is_cut(input))) return nullptr;
    }
    return rows;
  }

  void add_optimizer(const wt::Node& node, const OptimizerLayout& layout) {
    const std::size_t count = layout.parameters(node.inputs.size());
    Values inputs;
    const auto add_operands = [&](std::size_t first) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::vector<std::int64_t>& rows = rows_[variable_of(node.inputs[i])];
        const Values own =
            rows.size() == 1 ? Values{whole(node.inputs[first + i])} : parts(node.inputs[first + i], rows);
        inputs.insert(inputs.end(), own.begin(), own.end());
      }
    };
    for (std::size_t kind = 0; kind <= layout.slots; ++kind) add_operands(kind * count);
    if (layout.has_count) inputs.push_back(whole(node.inputs[layout.count_at(count)]));
    add_operands(layout.gradients_at(count));
    if (layout.has_squares) add_operands(layout.squares_at(count));
    inputs.push_back(whole(node.inputs.back()));

    const Values outputs = append(node.operation, std::move(inputs));
    std::size_t at = 0;
    for (std::size_t i = 0; i < count * (1 + layout.slots); ++i) {
      const std::size_t shards = rows_[variable_of(node.inputs[i])].size();
      const Values own(outputs.begin() + narrow<std::ptrdiff_t>(at),
                       outputs.begin() + narrow<std::ptrdiff_t>(at + shards));
      if (shards == 1)
        whole_[index(node.outputs[i])] = own.front();
      else
        parts_[index(node.outputs[i])] = own;
      at += shards;
    }
    if (layout.has_count) whole_[index(node.outputs[layout.count_at(count)])] = outputs[at];
  }

  const Step& step_;
  Step made_{};
  std::vector<std::vector<std::int64_t>> rows_{};           // by variable: of each shard
  std::vector<std::vector<VariableId>> variables_{};        // by variable: its shards
  std::vector<std::optional<ValueId>> whole_;               // by value, where it is needed as a whole
  std::vector<Values> parts_;                               // by value; empty: it is not cut
  std::map<ValueId, std::vector<std::int64_t>> cut_{};      // gradients: the rows of each part
  std::map<ValueId, std::vector<std::int64_t>> reduced_{};  // what follows from cut gradients
  std::string scope_{};                                     // of the nodes that are added
  bool is_gradient_ = false;
};

}  // namespace

Step with_shards(const Step& step, const model::Partition& partition) {
  return partition ? Sharding(step, partition).sharded() : step;
}

std::string shard_name(const std::string& variable, std::size_t shard) {
  return fmt::format("{}/part_{}", variable, shard);
}

}  // namespace wt::strategy
