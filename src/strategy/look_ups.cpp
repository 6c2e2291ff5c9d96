#include "strategy/look_ups.h"

#include <algorithm>
#include <map>

#include "base/narrow.h"
#include "kernel/optimizer.h"
#include "strategy/replicas.h"

namespace wt::strategy {

namespace {

// The rows of a table that one variable has.
struct Shard {
  ValueId variable{};
  std::int64_t first = 0;  // its first row in the table
  std::int64_t rows = 0;
};

// The rows [first, first + rows) of a value.
struct Rows {
  ValueId of{};
  std::int64_t first = 0;
  std::int64_t rows = 0;
};

// One look-up's part of a table's gradient.
struct LookUp {
  ValueId ids{};
  ValueId dy{};  // a row for each id
};

class Rewriting {
 public:
  Rewriting(const Step& step, std::int64_t replicas, const RowShare& share)
      : step_(step),
        replicas_(replicas),
        share_(share),
        made_(step),
        writer_(step.program.values.size(), nullptr) {
    made_.program.nodes.clear();
    for (const wt::Node& node : step.program.nodes)
      for (const ValueId output : node.outputs) writer_[index(output)] = &node;
  }

  Step rewritten() && {
    for (const wt::Node& node : step_.program.nodes) {
      scope_ = node.scope;
      is_gradient_ = node.is_gradient;
      if (!add_look_up(node) && !add_reduction(node) && !add_descent(node))
        made_.program.nodes.push_back(node);
    }
    for (wt::Node& node : made_.program.nodes)
      for (ValueId& input : node.inputs) replace(input);
    for (NamedValue& result : made_.results) replace(result.value);
    return without_unused(std::move(made_));
  }

 private:
  const wt::Node* writer(ValueId value) const { return writer_[index(value)]; }
  TensorSpec spec(ValueId value) const { return made_.program.spec(value); }

  // ---- What there is

  // Empty if the value is anything but a variable that has one place, or all shards of one.
  std::vector<Shard> shards_of(ValueId value) const {
    const wt::Node* node = writer(value);
    if (node == nullptr) {
      const bool is_central = std::ranges::any_of(step_.variables, [&](const StepVariable& variable) {
        return variable.value == value && is_on_write(variable);
      });
      return is_central ? std::vector<Shard>{{value, 0, spec(value).shape[0]}} : std::vector<Shard>{};
    }
    if (name(node->operation) != "concat" ||
        std::get<PartsAttributes>(std::get<Apply>(node->operation).attributes).axis != 0)
      return {};
    std::vector<Shard> all;
    std::int64_t first = 0;
    for (const ValueId input : node->inputs) {
      const std::vector<Shard> own = shards_of(input);
      if (own.empty()) return {};
      for (const Shard& shard : own) all.push_back({shard.variable, first + shard.first, shard.rows});
      first += spec(input).shape[0];
    }
    return all;
  }

  Rows rows_of(ValueId value) const {
    const wt::Node* node = writer(value);
    if (node == nullptr || name(node->operation) != "split")
      return {value, 0, spec(value).shape.rank() > 0 ? spec(value).shape[0] : 0};
    const auto& split = std::get<PartsAttributes>(std::get<Apply>(node->operation).attributes);
    if (split.axis != 0) return {value, 0, spec(value).shape[0]};
    Rows rows = rows_of(node->inputs[0]);
    rows.rows = spec(value).shape[0];
    for (std::size_t i = 0; node->outputs[i] != value; ++i) rows.first += split.sizes[narrow<int>(i)];
    return rows;
  }

  // Empty if the gradient is anything but a sum of look-ups' gradients.
  std::vector<LookUp> look_ups_of(ValueId gradient) const {
    const wt::Node* node = writer(gradient);
    if (node == nullptr) return {};
    if (name(node->operation) == "embedding_gradient") return {{node->inputs[0], node->inputs[1]}};
    if (name(node->operation) != "add") return {};
    std::vector<LookUp> all;
    for (const ValueId input : node->inputs) {
      const std::vector<LookUp> own = look_ups_of(input);
      if (own.empty()) return {};
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  }

  // ---- Look-ups

  bool add_look_up(const wt::Node& node) {
    if (name(node.operation) != "embedding") return false;
    const std::vector<Shard> shards = shards_of(node.inputs[1]);
    if (shards.size() < 2) return false;  // the node itself is a look-up at its table
    std::optional<ValueId> rows;
    for (const Shard& shard : shards) {
      const Owned own = owned(node.inputs[0], {node.inputs[1], shard.first, shard.rows});
      const ValueId found = kernel("embedding", NoAttributes{}, {own.ids, shard.variable});
      set_share(found, own.share);
      rows = rows ? kernel("select", NoAttributes{}, {column(own.is_there), found, *rows}) : found;
    }
    replaced_[node.outputs[0]] = *rows;
    return true;
  }

  // ---- Gradients

  // What replicas send is a look-up's ids and rows in place of a gradient with as many rows as the table.
  bool add_reduction(const wt::Node& node) {
    const auto* sum = std::get_if<AllReduce>(&node.operation);
    if (sum == nullptr || sum->reduction != Reduction::sum) return false;
    const Rows rows = rows_of(node.inputs[0]);
    const std::vector<LookUp> look_ups = look_ups_of(rows.of);
    if (look_ups.empty()) return false;
    std::optional<ValueId> total;
    for (const LookUp& look_up : look_ups) {
      const LookUp there = sent(look_up, rows);
      const ValueId own =
          kernel("embedding_gradient", ShapeAttributes{spec(node.outputs[0]).shape}, {there.ids, there.dy});
      total = total ? kernel("add", NoAttributes{}, {*total, own}) : own;
      if (look_ups.size() == 1) descents_.emplace(node.outputs[0], there);
    }
    replaced_[node.outputs[0]] = *total;
    return true;
  }

  // Where the table is.
  LookUp sent(const LookUp& look_up, const Rows& rows) {
    LookUp local = look_up;
    double share = 1;
    const bool is_shard = rows.rows < spec(rows.of).shape[0];
    if (is_shard) {
      const Owned own = owned(look_up.ids, rows);
      local.ids = own.ids;
      share = own.share;
    }
    // Keras 3 squares the rows of look-ups apart (model/look_ups.h), where the table is.
    const wt::Node* made = writer(look_up.dy);
    const bool is_square = made != nullptr && name(made->operation) == "square";
    if (is_square) local.dy = made->inputs[0];
    if (is_shard) local.dy = masked(local.dy, look_up.ids, rows);
    const ValueId ids = gathered(local.ids, share);
    ValueId dy = gathered(local.dy, share);
    if (is_square) dy = kernel("square", NoAttributes{}, {dy});
    return {ids, dy};
  }

  // The tables among the parameters whose gradient serves for nothing else are updated row by row.
  bool add_descent(const wt::Node& node) {
    if (name(node.operation) != "sgd_update") return false;
    const Apply& apply = std::get<Apply>(node.operation);
    const auto& sgd = std::get<SgdAttributes>(apply.attributes);
    if (sgd.momentum != 0 || sgd.weight_decay != 0) return false;
    const std::size_t count = layout_of(sgd).parameters(node.inputs.size());
    std::vector<ValueId> parameters, gradients, outputs;
    for (std::size_t i = 0; i < count; ++i) {
      const auto found = descents_.find(node.inputs[count + i]);
      if (found != descents_.end() && reads(found->first) == 1) {
        replaced_[node.outputs[i]] =
            kernel("sgd_update_rows", NoAttributes{},
                   {node.inputs[i], found->second.ids, found->second.dy, node.inputs.back()});
        continue;
      }
      parameters.push_back(node.inputs[i]);
      gradients.push_back(node.inputs[count + i]);
      outputs.push_back(node.outputs[i]);
    }
    if (parameters.empty()) return true;
    parameters.insert(parameters.end(), gradients.begin(), gradients.end());
    parameters.push_back(node.inputs.back());
    const std::vector<ValueId> made = append(apply, std::move(parameters));
    for (std::size_t i = 0; i < made.size(); ++i) replaced_[outputs[i]] = made[i];
    return true;
  }

  std::ptrdiff_t reads(ValueId value) const {
    std::ptrdiff_t all = 0;
    for (const wt::Node& node : step_.program.nodes) all += std::ranges::count(node.inputs, value);
    return all;
  }

  ValueId masked(ValueId dy, ValueId ids, const Rows& rows) {
    const auto [at, is_new] = masked_.try_emplace({dy, rows.first});
    if (is_new) {
      const Owned own = owned(ids, rows);
      at->second = kernel("select", NoAttributes{}, {column(own.is_there), dy, scalar(spec(dy).type, 0)});
      set_share(at->second, own.share);
    }
    return at->second;
  }

  // Of all replicas of the worker, one behind the other.
  ValueId gathered(ValueId value, double share) {
    const auto [at, is_new] = gathered_.try_emplace(value);
    if (is_new) {
      at->second = append(Gather{replicas_}, {value})[0];
      set_share(at->second, share);
    }
    return at->second;
  }

  // ---- The ids of one shard

  struct Owned {
    ValueId ids{};       // counted from the shard's first row; those of other shards are within its rows
    ValueId is_there{};  // by id, whether this shard has the row
    double share = 1;    // of the ids that are expected to be this shard's
  };

  // Ids that are outside the table stay outside the first or the last shard, so that they are refused.
  Owned owned(ValueId ids, const Rows& rows) {
    const auto [at, is_new] = owned_.try_emplace({ids, rows.first, rows.rows});
    if (!is_new) return at->second;
    const std::int64_t all = spec(rows.of).shape[0];
    const Type type = spec(ids).type;
    const ValueId own = kernel("subtract", NoAttributes{}, {ids, scalar(type, rows.first)});
    ValueId within = own;
    if (rows.first > 0) within = kernel("maximum", NoAttributes{}, {within, scalar(type, 0)});
    if (rows.first + rows.rows < all)
      within = kernel("minimum", NoAttributes{}, {within, scalar(type, rows.rows - 1)});
    at->second = {within, kernel("equal", NoAttributes{}, {own, within}),
                  share_ ? share_(rows.first, rows.rows, all)
                         : static_cast<double>(rows.rows) / static_cast<double>(all)};
    set_share(within, at->second.share);
    return at->second;
  }

  // As the first operand of a select whose other operands have a row for each element.
  ValueId column(ValueId flags) {
    Shape shape = spec(flags).shape;
    shape.append(1);
    return append(Reshape{shape}, {flags})[0];
  }

  ValueId scalar(Type type, std::int64_t value) {
    return kernel("fill", FillAttributes{{type, {}}, static_cast<double>(value)}, {});
  }

  // ---- Writing

  void set_share(ValueId value, double share) { made_.program.values[index(value)].share = share; }

  ValueId kernel(std::string_view name, Attributes attributes, std::vector<ValueId> inputs) {
    return append(Apply{&kernel_named(name), std::move(attributes)}, std::move(inputs))[0];
  }

  std::vector<ValueId> append(Operation operation, std::vector<ValueId> inputs) {
    for (ValueId& input : inputs) replace(input);
    std::vector<ValueId> outputs = wt::append(made_.program, std::move(operation), std::move(inputs), scope_);
    made_.program.nodes.back().is_gradient = is_gradient_;
    return outputs;
  }

  void replace(ValueId& value) const {
    if (const auto found = replaced_.find(value); found != replaced_.end()) value = found->second;
  }

  const Step& step_;
  const std::int64_t replicas_;
  const RowShare& share_;
  Step made_;
  std::vector<const wt::Node*> writer_;  // by value of the given step; null: no node writes it
  std::map<ValueId, ValueId> replaced_{};
  std::map<std::tuple<ValueId, std::int64_t, std::int64_t>, Owned> owned_{};
  std::map<std::pair<ValueId, std::int64_t>, ValueId> masked_{};
  std::map<ValueId, ValueId> gathered_{};
  std::map<ValueId, LookUp> descents_{};  // by gradient: the only look-up that it consists of
  std::string scope_{};
  bool is_gradient_ = false;
};

}  // namespace

Step with_look_ups_at_tables(const Step& step, std::int64_t replicas, const RowShare& share) {
  return Rewriting(step, replicas, share).rewritten();
}

bool is_look_up_at_table(const Step& step, const wt::Node& node) {
  return name(node.operation) == "embedding" &&
         std::ranges::any_of(step.variables, [&](const StepVariable& variable) {
           return variable.value == node.inputs[1] && is_on_write(variable);
         });
}

}  // namespace wt::strategy
