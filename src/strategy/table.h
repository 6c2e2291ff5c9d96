#pragma once
// The table of strategies: what a scenario may write as "type" of "strategy".

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "strategy/strategy.h"

namespace wt::strategy {

struct Row {
  std::string_view name{};
  std::string_view summary{};
  std::unique_ptr<Strategy> (*make)() =
      nullptr;  // with the options as they are where the scenario gives none
};
std::span<const Row> rows();  // the first is the strategy of a scenario that names none

// The names of the table as values of the key "type", and that of the rule that chooses among them
// (strategy/automatic.h). A name that is not offered yet is refused with its meaning. `index`: of a row, if
// one is given.
Word type_word(std::optional<std::size_t> index);

// The keys of the options of a strategy, those that are not offered yet among them.
std::vector<std::string_view> option_names(const Row& row);
std::vector<std::string_view> strategies_with(std::string_view option);

}  // namespace wt::strategy
