#include "scenario/strategy_options.h"

#include <algorithm>
#include <array>
#include <utility>

#include "scenario/keys.h"

namespace wt::scenario {
namespace {

constexpr std::size_t types = std::variant_size_v<decltype(Strategy::options)>;

template <std::size_t... index>
std::array<Strategy, sizeof...(index)> make_all(std::index_sequence<index...>) {
  return {Strategy{.options = decltype(Strategy::options)(std::in_place_index<index>)}...};
}

// Lists the keys of an object.
struct KeyNames {
  std::vector<std::string_view> names{};

  template <class T>
  void operator()(const Key& key, T&) {
    names.push_back(key.name);
  }
  void later(std::string_view name, std::string_view) { names.push_back(name); }
  void exactly_one(Together) {}
  void at_most_one(Together) {}
};

}  // namespace

Strategy default_options(StrategyType type) {
  return make_all(std::make_index_sequence<types>{})[static_cast<std::size_t>(type)];
}

std::vector<std::string_view> options_of(StrategyType type) {
  KeyNames keys;
  Strategy strategy = default_options(type);
  std::visit([&](auto& options) { keys_of(keys, options); }, strategy.options);
  return keys.names;
}

std::vector<std::string_view> strategies_with(std::string_view option) {
  std::vector<std::string_view> found;
  for (const auto& row : Names<StrategyType>::rows)
    if (const auto options = options_of(row.value); std::ranges::find(options, option) != options.end())
      found.push_back(row.name);
  return found;
}

}  // namespace wt::scenario
