#include "scenario/scenario.h"

#include <fmt/format.h>

namespace wt::scenario {

bool is_per_row(const Training& training) {
  return training.loop == Loop::custom && training.loss.written &&
         training.loss.written->kind() == json::Kind::string;
}

Place Scenario::place(std::string_view path) const {
  for (;;) {
    const auto found = places.find(path);
    if (found != places.end()) return found->second;
    if (path.empty()) return {};
    const std::size_t dot = path.rfind('.');
    path = dot == std::string_view::npos ? "" : path.substr(0, dot);
  }
}

std::int64_t Scenario::global_batch(std::int64_t replicas) const {
  return training.global_batch ? *training.global_batch : training.per_replica_batch.value_or(0) * replicas;
}

std::string Scenario::chosen_strategy() const {
  if (!strategy_rule) return {};
  return fmt::format("strategy {}: {}, since {}", strategy_rule->name, strategy->name(), strategy_rule->why);
}

}  // namespace wt::scenario
