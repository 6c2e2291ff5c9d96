#include "model/losses/producer.h"

namespace wt::model {

std::optional<Symbol> input_of(Symbol x, std::string_view kernel) {
  const Program& program = x.trace->program();
  for (auto node = program.nodes.rbegin(); node != program.nodes.rend(); ++node) {
    if (node->outputs.empty() || node->outputs[0] != x.value) continue;
    const auto* apply = std::get_if<Apply>(&node->operation);
    if (apply == nullptr || apply->kernel->name != kernel) return std::nullopt;
    return Symbol{x.trace, node->inputs[0]};
  }
  return std::nullopt;
}

}  // namespace wt::model
