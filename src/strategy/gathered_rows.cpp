#include "strategy/gathered_rows.h"

#include <algorithm>

#include "plan/memory.h"
#include "strategy/draft.h"
#include "strategy/replicas.h"

namespace wt::strategy {

namespace {

using plan::BufferKind, plan::Operand;

class Tables {
 public:
  explicit Tables(const Step& step) : step_(step), writer_(step.program.values.size(), nullptr) {
    for (const wt::Node& node : step.program.nodes)
      for (const ValueId output : node.outputs) writer_[index(output)] = &node;
  }

  std::vector<GatheredTable> all() const {
    std::vector<GatheredTable> tables;
    for (const wt::Node& node : step_.program.nodes) {
      if (!std::holds_alternative<AllReduce>(node.operation)) continue;
      const std::optional<LookUps> look_ups = look_ups_of(node.inputs[0]);
      if (!look_ups) continue;
      const TensorSpec& table = spec(node.inputs[0]);
      tables.push_back({name_of(table, look_ups->ids, tables), table, look_ups->rows});
    }
    return tables;
  }

 private:
  struct LookUps {
    ValueId ids{};  // of one of them
    Bytes rows{};
  };

  const TensorSpec& spec(ValueId value) const { return step_.program.spec(value); }

  // None if the gradient is anything but a sum of look-ups' gradients. Keras 3 adds the squares of rows, too
  // (model/look_ups.h), which TensorFlow squares after it has gathered them.
  std::optional<LookUps> look_ups_of(ValueId gradient) const {
    const wt::Node* node = writer_[index(gradient)];
    if (node == nullptr) return std::nullopt;
    const std::string_view kernel = name(node->operation);
    if (kernel == "embedding_gradient") {
      const wt::Node* made = writer_[index(node->inputs[1])];
      if (made != nullptr && name(made->operation) == "square") return std::nullopt;
      const Bytes ids(spec(node->inputs[0]).shape.elements() * id_bytes);
      return LookUps{node->inputs[0], spec(node->inputs[1]).bytes() + ids};
    }
    if (kernel != "add") return std::nullopt;
    LookUps sum;
    for (const ValueId input : node->inputs) {
      const std::optional<LookUps> own = look_ups_of(input);
      if (!own) return std::nullopt;
      sum = {own->ids, sum.rows + own->rows};
    }
    return sum;
  }

  // Of a table of this shape in which these ids are looked up, and which is not among the others.
  std::string name_of(const TensorSpec& table, ValueId ids, const std::vector<GatheredTable>& others) const {
    for (const wt::Node& node : step_.program.nodes) {
      if (name(node.operation) != "embedding" || node.inputs[0] != ids || spec(node.inputs[1]) != table)
        continue;
      const auto variable = std::ranges::find(step_.variables, node.inputs[1], &StepVariable::value);
      if (variable != step_.variables.end() &&
          std::ranges::find(others, variable->name, &GatheredTable::name) == others.end())
        return variable->name;
    }
    return "table";
  }

  static constexpr std::int64_t id_bytes = 8;
  const Step& step_;
  std::vector<const wt::Node*> writer_;  // by value; null: no node writes it
};

}  // namespace

std::vector<GatheredTable> gathered_tables(const Step& step) { return Tables(step).all(); }

plan::Plan lower_gathering(const RowGathering& way, Bytes each, std::span<const Place> places) {
  const plan::Label label{"gather", {plan::Purpose::gather, -1, plan::Role::everyone}};
  Draft draft;
  draft.plan.name = "gathered rows";
  const std::vector<Replica> replicas = add_devices(draft, places, places.size());
  const plan::DeviceId center = draft.device(*way.center);
  const TensorSpec own{Type::uint8, {each.count()}}, all{Type::uint8, {each.count() * std::ssize(places)}};
  std::vector<Operand> rows, parts;
  const Operand together = draft.buffer("rows of all", center, all, BufferKind::communication);
  for (const Replica& replica : replicas) {
    parts.push_back(part_of(together, std::ssize(rows) * each.count(), each.count()));
    rows.push_back(
        draft.buffer(port_name("rows", replica.number), replica.device, own, BufferKind::gradient));
  }
  if (auto move = message(brought(draft, rows, center, label), parts))
    draft.plan.add_node(std::move(*move), label);
  for (const Replica& replica : replicas) {
    if (!way.goes_back || replica.device == center) continue;
    const Operand back = draft.buffer("rows of all", replica.device, all, BufferKind::communication);
    draft.plan.add_node(plan::Move{together, back, {}}, label);
  }
  draft.order();
  plan::plan_memory(draft.plan, draft.frontiers);
  return std::move(draft.plan);
}

}  // namespace wt::strategy
