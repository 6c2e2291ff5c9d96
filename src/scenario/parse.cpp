#include "scenario/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/file.h"
#include "base/json_override.h"
#include "model/keras_file.h"
#include "scenario/auto_strategy.h"
#include "scenario/check.h"
#include "scenario/inference.h"
#include "scenario/keys.h"
#include "scenario/read_scenario.h"

namespace wt::scenario {
namespace {

// "training.epochs" is a path of two keys. What follows "platform.set" is one key, as platform/ reads it.
std::vector<std::string> path_of(std::string_view key) {
  constexpr std::string_view of_platform = "platform.set.";
  if (key.starts_with(of_platform)) return {"platform", "set", std::string(key.substr(of_platform.size()))};
  return json::dotted(key);
}

// A key of a platform that is only named, as in `--set platform.set.machines=4` where the file says
// "platform": "dgx_a100", which becomes {"file": "dgx_a100"} first.
json::Value with_platform_object(const json::Value& tree, std::span<const std::string> path) {
  const json::Value* platform = tree.kind() == json::Kind::object ? tree.find("platform") : nullptr;
  const bool is_key_of_named = platform != nullptr && platform->kind() == json::Kind::string &&
                               path.size() > 2 && path[0] == "platform" && path[1] == "set";
  if (!is_key_of_named) return tree;
  const std::array<std::string, 2> file{"platform", "file"};
  return json::replaced(json::removed(tree, std::span(file).first(1), {}), file, *platform);
}

// "strategy": "mirrored" is short for an object, to which overrides may add options.
json::Value in_full(const json::Value& tree) {
  const json::Value* strategy = tree.kind() == json::Kind::object ? tree.find("strategy") : nullptr;
  if (strategy == nullptr || strategy->kind() != json::Kind::string) return tree;
  const std::array<std::string, 1> path{"strategy"};
  return json::replaced(tree, path, json::object_of(std::string(strategy_type.name), *strategy));
}

json::Value with_override(const json::Value& tree, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::vector<std::string> path = path_of(std::string_view(text).substr(0, equals));
  const bool is_empty = std::ranges::any_of(path, &std::string::empty);
  if (equals == std::string::npos || is_empty) {
    throw InputError(fmt::format("{} {}: wanted key=value", json::command_line, text),
                     "keys are those of a scenario, with dots: --set training.epochs=3");
  }
  const json::Value value = json::override_value(text, equals + 1);
  if (value.kind() == json::Kind::null) return json::removed(tree, path, value.place());
  return in_full(json::replaced(with_platform_object(tree, path), path, value));
}

json::Value with_overrides(json::Value tree, const std::vector<std::string>& overrides) {
  Problems problems;
  tree = in_full(tree);
  for (const std::string& text : overrides) {
    try {
      tree = with_override(tree, text);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    }
  }
  problems.throw_if_any();
  return tree;
}

// Where the scenario names no version, the file of its model does, and otherwise the default holds. A file that can't be
// read is reported when the model is built from it.
void follow_the_model(Scenario& scenario, const Reading& reading) {
  if (reading.places.contains("semantics")) return;
  scenario.semantics_rule = "the default";
  const auto* keras = std::get_if<KerasModel>(&scenario.model.form);
  const auto* saved = std::get_if<SavedKerasModel>(&scenario.model.form);
  if (keras == nullptr && saved == nullptr) return;
  const auto* file = saved != nullptr ? &saved->keras : std::get_if<InputPath>(&keras->keras_json);
  std::optional<model::WrittenBy> writer;
  try {
    if (saved != nullptr)
      writer = model::read_saved_model(file->path).writer;
    else
      writer = model::written_by(file != nullptr ? json::parse_file(file->path)
                                                 : std::get<json::Value>(keras->keras_json));
  } catch (const InputError&) {
    return;
  }
  if (!writer) return;
  scenario.semantics = writer->semantics;
  scenario.semantics_rule =
      fmt::format("as {} wrote {}", writer->version, file != nullptr ? file->path : "the model");
}

// Fills in keys that are absent and follow from other keys.
void fill_in(Scenario& scenario) {
  Training& training = scenario.training;
  if (!training.epochs && !training.steps) training.epochs = 1;
  if (!scenario.faithful) scenario.faithful = scenario.semantics_rule.empty();
  if (!training.loss_scale) {
    training.loss_scale = training.loop == Loop::custom ? LossScale::global_batch : LossScale::keras;
  }
  scenario.strategy->complete();
  const auto fill_seeds = [&](Dataset& dataset) {
    if (auto* synthetic = std::get_if<SyntheticData>(&dataset.source)) {
      if (!synthetic->seed) synthetic->seed = scenario.seed;
    }
    if (dataset.shuffle && !dataset.shuffle->seed) dataset.shuffle->seed = scenario.seed;
  };
  fill_seeds(scenario.dataset);
  if (training.evaluation && training.evaluation->dataset) fill_seeds(*training.evaluation->dataset);
}

Scenario parse_tree(const json::Value& tree, const std::filesystem::path& file) {
  Reading reading{.folder = file.parent_path()};
  Scenario scenario;
  scenario.strategy_rule = read_with_strategy(tree, scenario, reading);
  follow_the_model(scenario, reading);
  keep_what_inference_reads(scenario);
  check(scenario, reading.problems);
  // A user who corrects a file wants to know all problems now, and the platform is read later.
  if (reading.problems.any()) check_platform(scenario, reading.problems);
  if (reading.problems.any()) throw InputError(reading.with_remedies());
  fill_in(scenario);
  return scenario;
}

}  // namespace

Scenario parse(std::string text, const std::filesystem::path& file,
               const std::vector<std::string>& overrides) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError(
        Problem{Place{.file = file.string()}, "the file is empty", "scenarios/ has some to begin with"});
  }
  return parse_tree(with_overrides(json::parse(std::move(text), file.string()), overrides), file);
}

Scenario parse_file(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  return parse(read_text(path, {}, json::largest_text), path, overrides);
}

std::string slug(std::string_view name) {
  std::string text;
  for (char letter : name) {
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    const bool is_plain = is_upper || (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (is_plain) text += is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
    if (!is_plain && !text.empty() && text.back() != '_') text += '_';
  }
  while (!text.empty() && text.back() == '_') text.pop_back();
  return text.empty() ? "scenario" : text;
}

}  // namespace wt::scenario
