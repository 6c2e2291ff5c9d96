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

}  // namespace

std::optional<Symbol> squares_of_look_ups(Symbol gradient) {
  Trace& trace = *gradient.trace;
  const Node* found = writer_of(trace.program(), gradient.value);
  if (found == nullptr) return std::nullopt;
  const Node node = *found;  // a copy, since the program grows
  const auto input = [&](std::size_t i) { return Symbol{&trace, node.inputs[i]}; };
  if (const auto* sum = std::get_if<AllReduce>(&node.operation);
      sum != nullptr && sum->reduction == Reduction::sum) {
    const std::optional<Symbol> own = squares_of_look_ups(input(0));
    return own ? std::optional(all_reduce(*own, Reduction::sum)) : std::nullopt;
  }
  const auto* apply = std::get_if<Apply>(&node.operation);
  if (apply == nullptr) return std::nullopt;
  if (apply->kernel->name == "embedding_gradient")
    return trace.apply("embedding_gradient", {{input(0), square(input(1))}}, apply->attributes).front();
  if (apply->kernel->name != "add") return std::nullopt;
  const std::optional<Symbol> first = squares_of_look_ups(input(0)), second = squares_of_look_ups(input(1));
  return first && second ? std::optional(*first + *second) : std::nullopt;
}

}  // namespace wt::model
