#pragma once
// Losses, weights and metrics that a scenario gives for each output of a model: as a list, in the order of
// the outputs, or by name, {"price": "mse", "kind": "categorical_crossentropy"}.

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace wt::scenario {

// For each output the position of its name among `names`, or nothing if that is missing there. Without names
// the order is that of the outputs. Throws InputError for a name that no output has, and for one that is
// missing if all are needed.
std::vector<std::optional<std::size_t>> positions_by_output(std::span<const std::string> names,
                                                            std::span<const std::string> outputs,
                                                            bool needs_all);

// What was given for each output, in the order of the outputs. Requires: names are as many as values, or
// none.
template <class T>
std::vector<T> in_order_of_outputs(const std::vector<T>& given, std::span<const std::string> names,
                                   std::span<const std::string> outputs, bool needs_all = true) {
  if (names.empty()) return given;
  std::vector<T> ordered;
  for (const std::optional<std::size_t> position : positions_by_output(names, outputs, needs_all))
    ordered.push_back(position ? given[*position] : T{});
  return ordered;
}

}  // namespace wt::scenario
