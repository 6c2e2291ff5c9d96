#include "scenario/scenario.h"

#include <fmt/format.h>

#include <algorithm>

namespace wt::scenario {

// An object with the class of a choice is one choice.
bool OutputChoice::is_by_name() const {
  return written && written->kind() == json::Kind::object && written->find("class_name") == nullptr &&
         written->find("config") == nullptr;
}

std::vector<json::Value> OutputChoice::each() const {
  if (!written) return {};
  if (written->kind() == json::Kind::array) return {written->elements().begin(), written->elements().end()};
  if (!is_by_name()) return {*written};
  std::vector<json::Value> values;
  for (const json::Member& member : written->members()) values.push_back(member.value);
  return values;
}

std::vector<std::string> OutputChoice::names() const {
  std::vector<std::string> names;
  if (is_by_name())
    for (const json::Member& member : written->members()) names.push_back(member.key);
  return names;
}

std::optional<Type> mixed_type(std::optional<Precision> precision) {
  if (precision == Precision::mixed_float16) return Type::float16;
  return precision == Precision::mixed_bfloat16 ? std::optional(Type::bfloat16) : std::nullopt;
}

std::size_t sample_weights_of(const Dataset& dataset) {
  return std::visit(
      [](const auto& source) {
        std::size_t count = 0;
        if constexpr (requires { source.sample_weight; })
          if (source.sample_weight) count = source.sample_weight->names.size();
        return count;
      },
      dataset.source);
}

bool saves_after(const Checkpointing& checkpointing, std::int64_t epochs, std::int64_t all) {
  if (checkpointing.every_steps) return epochs == all;
  const std::int64_t every = checkpointing.every.value_or(1), first = checkpointing.first.value_or(every);
  return epochs == all || (epochs >= first && (epochs - first) % every == 0);
}

namespace {

std::int64_t saved_in(const Checkpointing& checkpointing, std::int64_t epochs, std::int64_t steps) {
  if (const auto& every = checkpointing.every_steps) return (steps + *every - 1) / *every;
  const std::int64_t each = checkpointing.every.value_or(1), first = checkpointing.first.value_or(each);
  if (epochs < first) return 1;
  const std::int64_t between = (epochs - first) / each, last = first + between * each;
  return between + (last == epochs ? 1 : 2);
}

}  // namespace

const train::BackupAndRestore* backup_of(const Training& training) {
  for (const train::Callback& callback : training.callbacks)
    if (const auto* backup = std::get_if<train::BackupAndRestore>(&callback)) return backup;
  return nullptr;
}

std::int64_t saves_in(const Training& training, std::int64_t epochs, std::int64_t steps) {
  if (const train::BackupAndRestore* backup = backup_of(training))
    return backup->save_freq ? steps / *backup->save_freq : epochs;
  return training.checkpointing ? saved_in(*training.checkpointing, epochs, steps) : 0;
}

bool saves_before_preemption(const Training& training) {
  if (training.checkpointing && training.checkpointing->before_preemption) return true;
  const train::BackupAndRestore* backup = backup_of(training);
  return backup != nullptr && backup->save_before_preemption;
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

std::string Scenario::chosen_semantics() const {
  const auto row = std::ranges::find(model::all_semantics(), semantics, &model::SemanticsRow::value);
  return fmt::format("{} ({}), {}", row->name, row->summary,
                     semantics_rule.empty() ? "as the scenario says" : semantics_rule);
}

}  // namespace wt::scenario
