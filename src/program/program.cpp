#include "program/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/narrow.h"
#include "base/overloaded.h"

namespace wt {

namespace {

TensorSpec reshaped(const TensorSpec& input, const Shape& shape) {
  if (input.elements() != shape.elements())
    throw InputError(fmt::format("[reshape] {} has {} elements, {} has {}", print(input), input.elements(),
                                 print(shape), shape.elements()),
                     "a reshape keeps the number of elements");
  return {input.type, shape};
}

// Checks the pairs of a permutation. The number of replicas is checked when a strategy lowers the step, since
// a step is traced for any number of them.
TensorSpec permuted(const TensorSpec& input, const Permute& permute) {
  std::set<std::int64_t> sources, targets;
  const auto check = [](std::set<std::int64_t>& seen, std::int64_t replica, std::string_view what) {
    if (replica < 0)
      throw InputError(fmt::format("[permute] there is no replica {}", replica), "count from 0");
    if (!seen.insert(replica).second)
      throw InputError(fmt::format("[permute] replica {} is the {} of two pairs", replica, what),
                       "permute twice, and add");
  };
  for (const auto& [source, target] : permute.pairs) {
    check(sources, source, "source");
    check(targets, target, "target");
  }
  return input;
}

TensorSpec gathered(TensorSpec input, std::int64_t replicas) {
  if (input.shape.rank() == 0)
    throw InputError("[gather] a scalar has no axis 0 to gather along", "reshape it to [1]");
  input.shape[0] *= replicas;
  return input;
}

std::vector<TensorSpec> output_specs(const Operation& operation, std::span<const TensorSpec> inputs) {
  using Specs = std::vector<TensorSpec>;
  return std::visit(overloaded{
                        [&](const Apply& apply) { return apply.kernel->outputs(inputs, apply.attributes); },
                        [&](const Reshape& reshape) { return Specs{reshaped(inputs[0], reshape.shape)}; },
                        [&](const Gather& gather) { return Specs{gathered(inputs[0], gather.replicas)}; },
                        [&](const Permute& permute) { return Specs{permuted(inputs[0], permute)}; },
                        [](const Update&) { return Specs{}; },
                        [&](const auto&) { return Specs{inputs[0]}; },
                    },
                    operation);
}

}  // namespace

std::optional<std::int64_t> Permute::source_of(std::int64_t target) const {
  const auto found = std::ranges::find(pairs, target, &SourceTarget::target);
  return found == pairs.end() ? std::nullopt : std::optional(found->source);
}

ValueId Program::add_value(TensorSpec spec, std::string name) {
  values.push_back({spec, std::move(name)});
  return static_cast<ValueId>(values.size() - 1);
}

std::vector<ValueId> append(Program& program, Operation operation, std::vector<ValueId> inputs,
                            std::string scope) {
  std::vector<TensorSpec> specs;
  for (const ValueId input : inputs) specs.push_back(program.spec(input));
  Node node{std::move(operation), std::move(inputs), {}, std::move(scope)};
  for (const TensorSpec& spec : output_specs(node.operation, specs))
    node.outputs.push_back(program.add_value(spec));
  program.nodes.push_back(std::move(node));
  return program.nodes.back().outputs;
}

std::vector<std::int32_t> last_reads(const Step& step) {
  const auto count = narrow<std::int32_t>(step.program.nodes.size());
  std::vector<std::int32_t> last(step.program.values.size(), -1);
  for (std::int32_t node = 0; node < count; ++node)
    for (const ValueId input : step.program.nodes[static_cast<std::size_t>(node)].inputs)
      last[index(input)] = node;
  for (const NamedValue& result : step.results) last[index(result.value)] = count;
  return last;
}

Step without_unused(Step step) {
  std::vector<bool> needed(step.program.values.size(), false);
  for (const NamedValue& result : step.results) needed[index(result.value)] = true;
  std::vector<Node> kept;
  std::vector<Node>& nodes = step.program.nodes;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const bool is_update = std::holds_alternative<Update>(node->operation);
    const bool is_needed = std::any_of(node->outputs.begin(), node->outputs.end(),
                                       [&](ValueId output) { return needed[index(output)]; });
    if (!is_update && !is_needed) continue;
    for (const ValueId input : node->inputs) needed[index(input)] = true;
    kept.push_back(std::move(*node));
  }
  std::reverse(kept.begin(), kept.end());
  nodes = std::move(kept);
  return step;
}

}  // namespace wt
