#include "model/look_ups.h"

#include <algorithm>

#include "program/operations.h"

namespace wt::model {

namespace {

const Node* writer_of(const Program& program, ValueId value) {
  const auto found = std::ranges::find_if(
      program.nodes, [&](const Node& node) { return std::ranges::count(node.outputs, value) > 0; });
  return found == program.nodes.end() ? nullptr : &*found;
}

// The gradient once more, with `leaf` in place of each node embedding_gradient.
std::optional<Symbol> walk(Symbol gradient, const std::function<Symbol(const Node&)>& leaf) {
  Trace& trace = *gradient.trace;
  const Node* found = writer_of(trace.program(), gradient.value);
  if (found == nullptr) return std::nullopt;
  const Node node = *found;  // a copy, since the program grows
  const auto input = [&](std::size_t i) { return Symbol{&trace, node.inputs[i]}; };
  if (const auto* sum = std::get_if<AllReduce>(&node.operation);
      sum != nullptr && sum->reduction == Reduction::sum) {
    const std::optional<Symbol> own = walk(input(0), leaf);
    return own ? std::optional(all_reduce(*own, Reduction::sum)) : std::nullopt;
  }
  const auto* apply = std::get_if<Apply>(&node.operation);
  if (apply == nullptr) return std::nullopt;
  if (apply->kernel->name == "embedding_gradient") return leaf(node);
  if (apply->kernel->name != "add") return std::nullopt;
  const std::optional<Symbol> first = walk(input(0), leaf), second = walk(input(1), leaf);
  return first && second ? std::optional(*first + *second) : std::nullopt;
}

}  // namespace

std::optional<Symbol> with_look_ups(Symbol gradient, const OfRows& of) {
  Trace& trace = *gradient.trace;
  return walk(gradient, [&](const Node& node) {
    const Symbol ids{&trace, node.inputs[0]}, rows{&trace, node.inputs[1]};
    return trace.apply("embedding_gradient", {{ids, of(rows)}}, std::get<Apply>(node.operation).attributes)
        .front();
  });
}

std::optional<Symbol> sum_over_look_ups(Symbol gradient, const OfRows& of) {
  return walk(gradient, [&](const Node& node) { return reduce_sum(of({gradient.trace, node.inputs[1]})); });
}

}  // namespace wt::model
