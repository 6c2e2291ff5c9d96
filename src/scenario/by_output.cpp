#include "scenario/by_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/suggest.h"
#include "base/utf8.h"

namespace wt::scenario {

std::vector<std::optional<std::size_t>> positions_by_output(std::span<const std::string> names,
                                                            std::span<const std::string> outputs,
                                                            bool needs_all) {
  const std::vector<std::string_view> known(outputs.begin(), outputs.end());
  Problems problems;
  if (outputs.empty())
    problems.add({}, "the outputs of this model have no names", "give a list in the order of the outputs");
  for (const std::string& name : names)
    if (!outputs.empty() && std::ranges::find(known, name) == known.end())
      problems.add({}, fmt::format("the model has no output \"{}\"", printable(name)),
                   did_you_mean(name, known));
  std::vector<std::optional<std::size_t>> positions;
  for (const std::string& output : outputs) {
    const auto found = std::ranges::find(names, output);
    if (found != names.end())
      positions.emplace_back(static_cast<std::size_t>(found - names.begin()));
    else if (needs_all)
      problems.add({}, fmt::format("the output \"{}\" is missing", printable(output)),
                   fmt::format("the outputs of the model are {}", fmt::join(known, ", ")));
    else
      positions.emplace_back();
  }
  problems.throw_if_any();
  return positions;
}

}  // namespace wt::scenario
