#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/overloaded.h"
#include "program/program.h"

namespace wt {

namespace {

constexpr std::string_view reduction_names[] = {"sum", "mean"};

std::string_view word(Reduction reduction) { return reduction_names[static_cast<std::size_t>(reduction)]; }

std::string value_name(const Program& program, ValueId value) {
  const std::string& name = program.values[index(value)].name;
  return name.empty() ? fmt::format("%{}", index(value)) : name;
}

std::string value_names(const Program& program, std::span<const ValueId> values) {
  std::vector<std::string> names;
  for (const ValueId value : values) names.push_back(value_name(program, value));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string pairs_text(const Permute& permute) {
  std::vector<std::string> pairs;
  for (const auto& [source, target] : permute.pairs) pairs.push_back(fmt::format("{}>{}", source, target));
  return fmt::format("{}", fmt::join(pairs, " "));
}

std::string details(const Step& step, const Operation& operation) {
  return std::visit(overloaded{
                        [](const Apply& apply) { return print(apply.attributes); },
                        [](const Reshape& reshape) {
                          return print(reshape.shape) +
                                 (reshape.stops_gradient ? ", without a gradient" : "");
                        },
                        [](const AllReduce& all_reduce) { return std::string(word(all_reduce.reduction)); },
                        [](const Reduce& reduce) { return std::string(word(reduce.reduction)); },
                        [](const Permute& permute) { return pairs_text(permute); },
                        [&](const Update& update) { return step.variables[index(update.variable)].name; },
                        [](const auto&) { return std::string(); },
                    },
                    operation);
}

std::string print(const Step& step, const Node& node) {
  const Program& program = step.program;
  std::string line = "  ";
  if (!node.outputs.empty()) {
    std::vector<std::string> outputs;
    for (const ValueId output : node.outputs)
      outputs.push_back(fmt::format("{} {}", value_name(program, output), print(program.spec(output))));
    line += fmt::format("{} = ", fmt::join(outputs, ", "));
  }
  line += fmt::format("{}({})", name(node.operation), value_names(program, node.inputs));
  if (const std::string text = details(step, node.operation); !text.empty()) line += " " + text;
  if (!node.scope.empty()) line += "  # " + node.scope;
  return line + "\n";
}

}  // namespace

std::string_view name(const Operation& operation) {
  constexpr std::string_view names[] = {"",          "reshape", "all_reduce", "reduce",
                                        "broadcast", "gather",  "permute",    "update"};
  if (const auto* apply = std::get_if<Apply>(&operation)) return apply->kernel->name;
  return names[operation.index()];
}

std::string print(const Step& step) {
  std::string text = fmt::format("step {}\n", step.name);
  const auto spec = [&](ValueId value) { return print(step.program.spec(value)); };
  for (const NamedValue& input : step.inputs)
    text += fmt::format("  input {} {}\n", input.name, spec(input.value));
  for (const StepVariable& variable : step.variables)
    text += fmt::format("  variable {} {}{}\n", variable.name, spec(variable.value),
                        variable.trainable ? "" : " not trainable");
  for (const Node& node : step.program.nodes) text += print(step, node);
  for (const NamedValue& result : step.results)
    text += fmt::format("  result {} = {}\n", result.name, value_name(step.program, result.value));
  return text;
}

}  // namespace wt
