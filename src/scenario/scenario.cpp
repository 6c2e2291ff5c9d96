#include "scenario/scenario.h"

#include <fmt/format.h>

namespace wt::scenario {

std::vector<json::Value> OutputChoice::each() const {
  if (!written) return {};
  if (written->kind() != json::Kind::array) return {*written};
  return {written->elements().begin(), written->elements().end()};
}

bool is_per_row(const json::Value& loss, Loop loop) {
  return loop == Loop::custom && loss.kind() == json::Kind::string;
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
