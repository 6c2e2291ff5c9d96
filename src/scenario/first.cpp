#include "scenario/first.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/json_writer.h"
#include "model/keras_file.h"
#include "model/weights.h"
#include "scenario/build.h"
#include "scenario/parse.h"

namespace wt::scenario {

namespace {

// The values of the keys that say how the model learns, as JSON. An empty one is left out.
struct Learning {
  std::string loss{};
  std::string optimizer{};
  std::string metrics{};
  std::string source{};  // where they are from
};

// The loss that fits the last operation of an output.
struct Fit {
  std::string_view kernel{};
  std::string_view loss{};
};
constexpr Fit fits[] = {{"softmax", "sparse_categorical_crossentropy"}, {"sigmoid", "binary_crossentropy"}};

std::string_view loss_of(const model::Forward& forward, std::size_t output) {
  const std::string name = output == 0 ? "y" : fmt::format("y_{}", output);
  for (const NamedValue& result : forward.step.results)
    for (const Node& node : forward.step.program.nodes)
      for (const Fit& fit : fits)
        if (result.name == name && std::ranges::count(node.outputs, result.value) > 0 &&
            wt::name(node.operation) == fit.kernel)
          return fit.loss;
  return "mean_squared_error";
}

Learning fitting(const model::Forward& forward) {
  std::vector<std::string> losses;
  bool has_classes = false;
  for (std::size_t i = 0; i < forward.outputs.size(); ++i) {
    losses.push_back(json::quote(loss_of(forward, i)));
    has_classes = has_classes || losses.back() != "\"mean_squared_error\"";
  }
  const bool is_one = losses.size() == 1;
  return {.loss = is_one ? losses.front() : fmt::format("[{}]", fmt::join(losses, ", ")),
          .optimizer = "\"adam\"",
          .metrics = is_one && has_classes ? R"(["accuracy"])" : "",
          .source = "The model's file names no loss that can be used, so this one follows from the outputs."};
}

// Keras writes null for what is not given.
std::string text_of(const json::Value& compiled, const char* key) {
  const json::Value* value = compiled.find(key);
  if (value == nullptr || value->kind() == json::Kind::null) return "";
  json::Writer out(json::Layout::one_line);
  json::write_value(out, *value);
  std::string text = out.text();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// In .h5 files Keras 2 writes its own optimizers as if they were registered by a user: "Custom>SGD".
std::string without_registration(std::string optimizer) {
  constexpr std::string_view mark = "Custom>";
  for (std::size_t at = optimizer.find(mark); at != std::string::npos; at = optimizer.find(mark))
    optimizer.erase(at, mark.size());
  return optimizer;
}

std::vector<Learning> compiled(const json::Value& with) {
  if (with.kind() != json::Kind::object) return {};
  Learning learning{.loss = text_of(with, "loss"),
                    .optimizer = without_registration(
                        text_of(with, with.find("optimizer") != nullptr ? "optimizer" : "optimizer_config")),
                    .metrics = text_of(with, "metrics"),
                    .source = "Loss, optimizer and metrics are those that the model was compiled with."};
  if (learning.loss.empty() || learning.optimizer.empty()) return {};
  Learning without_metrics = learning;
  without_metrics.metrics.clear();
  without_metrics.source = "Loss and optimizer are those that the model was compiled with.";
  return {learning, without_metrics};
}

// Fewer rows where a row is large, so that a first run takes seconds.
std::int64_t batch_for(const std::vector<TensorSpec>& inputs) {
  std::int64_t elements = 0;
  for (const TensorSpec& spec : inputs) elements += spec.elements();
  constexpr std::int64_t small = 4096, large = 65536;
  if (elements > large) return 2;
  return elements > small ? 8 : 32;
}

std::string written(const std::string& key, const std::string& model, const std::string& name,
                    const Learning& learning, std::int64_t batch) {
  constexpr std::int64_t replicas = 2, steps = 8;
  std::string text = fmt::format(
      R"({{
  // A first scenario, written by `windtunnel new`. It runs as it is; the comments say what to edit.
  "name": {},
  "description": "Two described GPUs train a model that Keras wrote.",
  // The machine whose time is predicted; `windtunnel list platforms` prints all names.
  "platform": "workstation_2x4090",
  // How the training is spread over its devices; `windtunnel list strategies` prints all.
  "strategy": {{ "type": "mirrored" }},
  "model": {{ {}: {} }},
  // Made-up rows of the model's shapes. Your own: {{ "type": "safetensors", "file": "rows.safetensors", "x": "x", "y": "y" }},
  // or csv, tfrecord, idx.
  "dataset": {{ "type": "synthetic", "rows": {} }},
  "training": {{
    "loop": "fit",
    // {}
    "loss": {},
    "optimizer": {},
)",
      json::quote(name), json::quote(key), json::quote(model), replicas * steps * batch, learning.source,
      learning.loss, learning.optimizer);
  if (!learning.metrics.empty()) text += fmt::format("    \"metrics\": {},\n", learning.metrics);
  text += fmt::format(
      R"(    // Rows of a step on each device, and how often the rows are gone through.
    "per_replica_batch": {},
    "epochs": 1
  }},
  // What computes the numbers: this machine's CPU, "cuda" for its GPU, or "none" for time and memory alone.
  "numerics": "cpu",
  "seed": 1
}}
)",
      batch);
  return text;
}

struct Read {
  json::Value architecture;
  std::optional<json::Value> compiled_with{};
  std::optional<model::WrittenBy> writer{};
  std::string key{};
};

Read read(const std::filesystem::path& path) {
  if (model::container_of(path) != model::Container::other) {
    model::SavedModel saved = model::read_saved_model(path);
    return {std::move(saved.architecture), std::move(saved.compiled_with), saved.writer, "keras"};
  }
  json::Value tree = json::parse_file(path);
  const auto writer = model::written_by(tree);
  const json::Value* compiled_with =
      tree.kind() == json::Kind::object ? tree.find("compile_config") : nullptr;
  std::optional<json::Value> copy;
  if (compiled_with != nullptr) copy = *compiled_with;
  return {std::move(tree), std::move(copy), writer, "keras_json"};
}

}  // namespace

std::string first_scenario(const std::filesystem::path& model, const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  const Read given = read(model);
  const model::LayerPtr layers = model::model_from_json(given.architecture);
  const model::Semantics semantics = given.writer ? given.writer->semantics : model::default_semantics;
  const model::Forward forward = model::forward(*layers, 2, false, semantics);
  const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  const std::string named = fs::absolute(model).lexically_normal().lexically_relative(folder).string();
  std::vector<Learning> learnings =
      given.compiled_with ? compiled(*given.compiled_with) : std::vector<Learning>{};
  learnings.push_back(fitting(forward));
  const std::int64_t batch = batch_for(layers->input_specs());
  for (const Learning& learning : learnings) {
    const std::string text = written(given.key, named, layers->name(), learning, batch);
    try {
      build(parse(text, file));
      return text;
    } catch (const InputError&) {
      // Keras offers what is not offered here. The last one names no such thing, so its problem is the model's.
      if (&learning == &learnings.back()) throw;
    }
  }
  WT_EXPECT(false, "no way to train {}", named);
}

}  // namespace wt::scenario
