#include "program/differentiate.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "program/gradient_rules.h"

namespace wt {

namespace {

bool stops_gradient(const Operation& operation) {
  const auto* reshape = std::get_if<Reshape>(&operation);
  return reshape != nullptr && reshape->stops_gradient;
}

// The values that are computed from `of` by floating operations. The gradient of the loss reaches `of`
// through these values only.
std::vector<bool> depends_on(const Program& program, std::span<const ValueId> of) {
  std::vector<bool> depends(program.values.size(), false);
  for (const ValueId value : of) depends[index(value)] = true;
  for (const Node& node : program.nodes) {
    if (stops_gradient(node.operation)) continue;
    const bool any = std::any_of(node.inputs.begin(), node.inputs.end(),
                                 [&](ValueId input) { return depends[index(input)]; });
    for (const ValueId output : node.outputs)
      if (any && is_floating(program.spec(output).type)) depends[index(output)] = true;
  }
  return depends;
}

void send_through(Backward& backward) {
  const auto refuse = [&](std::string_view name) {
    throw InputError(fmt::format("[gradient] {} has no gradient", name),
                     "the loss must not depend on the differentiated values through this operation");
  };
  std::visit(
      overloaded{
          [&](const Apply& apply) {
            const GradientRule* rule = find_gradient_rule(apply.kernel->name);
            if (rule == nullptr) return refuse(apply.kernel->name);
            rule->send(backward);
          },
          [&](const Reshape&) {
            backward.send(0, backward.reshape(backward.gradient(), backward.shape(backward.input())));
          },
          // The loss of every replica depends on all replicas' values, so the gradients are all-reduced, too.
          [&](const AllReduce& all_reduce) {
            backward.send(0, backward.append_one(all_reduce, {backward.gradient()}));
          },
          // The gradient goes from target to source (tensorflow/python/tpu/ops/tpu_ops.py).
          [&](Permute permute) {
            for (auto& [source, target] : permute.pairs) std::swap(source, target);
            backward.send(0, backward.append_one(std::move(permute), {backward.gradient()}));
          },
          [&](const auto&) { refuse(name(backward.operation())); },
      },
      backward.operation());
}

class Differentiation {
 public:
  Differentiation(Program& program, ValueId loss, std::span<const ValueId> of)
      : program_(program), depends_(depends_on(program, of)), gradients_(program.values.size()) {
    gradients_[index(loss)] = append(
        program, Apply{&kernel_named("fill"), FillAttributes{program.spec(loss), 1.0}}, {}, "gradient")[0];
  }

  void visit(std::size_t position) {
    const Node node = program_.nodes[position];  // a copy, since appending nodes moves the others in memory
    std::vector<std::optional<ValueId>> arrived;
    for (const ValueId output : node.outputs) arrived.push_back(gradients_[index(output)]);
    std::vector<bool> wanted;
    for (const ValueId input : node.inputs) wanted.push_back(depends_[index(input)]);
    const bool reached =
        std::any_of(arrived.begin(), arrived.end(), [](const auto& g) { return g.has_value(); });
    if (!reached || std::none_of(wanted.begin(), wanted.end(), [](bool w) { return w; })) return;
    Backward backward(program_, node, arrived, wanted);
    send_through(backward);
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (wanted[i] && backward.sent()[i]) add(node.inputs[i], *backward.sent()[i]);
  }

  ValueId gradient_of(ValueId value) {
    if (!gradients_[index(value)])
      gradients_[index(value)] =
          append(program_, Apply{&kernel_named("fill"), FillAttributes{program_.spec(value), 0.0}}, {},
                 "gradient")[0];
    return *gradients_[index(value)];
  }

 private:
  void add(ValueId value, ValueId contribution) {
    std::optional<ValueId>& sum = gradients_[index(value)];
    sum = sum ? append(program_, Apply{&kernel_named("add"), {}}, {*sum, contribution}, "gradient")[0]
              : contribution;
  }

  Program& program_;
  std::vector<bool> depends_;
  std::vector<std::optional<ValueId>> gradients_;  // of the values that the program had before
};

}  // namespace

std::vector<ValueId> differentiate(Program& program, ValueId loss, std::span<const ValueId> of) {
  const TensorSpec& spec = program.spec(loss);
  if (!is_floating(spec.type) || spec.shape.rank() != 0)
    throw InputError(fmt::format("[gradient] the loss is {}", print(spec)),
                     "it must be one floating number: sum or average it first");
  const std::size_t count = program.nodes.size();
  Differentiation differentiation(program, loss, of);
  for (std::size_t position = count; position-- > 0;) differentiation.visit(position);
  std::vector<ValueId> gradients;
  for (const ValueId value : of) gradients.push_back(differentiation.gradient_of(value));
  for (std::size_t i = count; i < program.nodes.size(); ++i) program.nodes[i].is_gradient = true;
  return gradients;
}

}  // namespace wt
