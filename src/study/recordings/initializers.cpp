// Recordings `initializer_`: an initializer with its options and several seeds, called twice for each of three shapes.

#include <fmt/format.h>

#include "base/json_writer.h"
#include "model/initializer.h"
#include "study/recordings/families.h"

namespace wt::recordings {

namespace {

// {"class_name": ..., "config": {..., "seed": ...}}, as a user writes it.
model::Initializer initializer_of(const Recording& recording, const json::Value& seed) {
  json::Writer out(json::Layout::compact);
  out.begin_object().member("class_name", recording.config("class")->string()).key("config").begin_object();
  for (const json::Member& option : recording.config("options")->members()) {
    out.key(option.key);
    json::write_value(out, option.value);
  }
  if (seed.kind() != json::Kind::null) out.member("seed", seed.integer());
  out.end_object().end_object();
  Problems problems;
  const model::Initializer initializer =
      model::initializer_from_json(json::parse(out.text(), "initializer.json"), problems);
  problems.throw_if_any();
  return initializer;
}

std::string name_of(const json::Value& seed) {
  return seed.kind() == json::Kind::null ? "seedNone" : fmt::format("seed{}", seed.integer());
}

void compare_shape(const Recording& recording, Comparison& comparison, const model::Initializer& initializer,
                   const std::string& key, const Shape& shape) {
  const std::optional<std::string> error = recording.error_text(key);
  const std::map<std::string, Tensor> tensors = recording.tensors();
  try {
    const Tensor ours = model::initial_value(initializer, {Type::float32, shape}, "weight", 0);
    if (error) return comparison.fail(fmt::format("{} is accepted, recorded: {}", key, *error));
    for (const std::string_view call : {"first", "second"}) {
      const std::string recorded = fmt::format("{}/{}", key, call);
      comparison.near(recorded, ours, tensors.at(recorded), prediction_limit);
    }
  } catch (const InputError& refusal) {
    if (!error) throw;
    comparison.same("the error of " + key, refusal.problems().front().fact, *error);
  }
}

}  // namespace

void compare_initializer(const Recording& recording, Comparison& comparison) {
  if (recording.config("class") == nullptr)
    throw InputError("the seeds that Keras draws for initializers without one are not reproduced");
  std::vector<std::pair<std::string, model::Initializer>> all;
  for (const json::Value& seed : recording.config("seeds")->elements())
    all.emplace_back(name_of(seed), initializer_of(recording, seed));
  comparison.starts_to_compute();
  for (const auto& [seed, initializer] : all) {
    compare_shape(recording, comparison, initializer, seed + "/3x3x2x4", {3, 3, 2, 4});
    compare_shape(recording, comparison, initializer, seed + "/5x7", {5, 7});
    compare_shape(recording, comparison, initializer, seed + "/6", {6});
  }
}

}  // namespace wt::recordings
