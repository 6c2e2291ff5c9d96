#include "tensorflow/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace wt::tensorflow {

namespace {

using model::Semantics;

// Where the class of an argument is.
struct Module {
  std::string_view end{};  // of the argument's name
  std::string_view name{};
};
constexpr std::array<Module, 10> modules{{{"_initializer", "tf.keras.initializers"},
                                          {"_regularizer", "tf.keras.regularizers"},
                                          {"_constraint", "tf.keras.constraints"},
                                          {"learning_rate", "tf.keras.optimizers.schedules"},
                                          {"inner_optimizer", "tf.keras.optimizers"},
                                          {"layer", "tf.keras.layers"},
                                          {"cell", "tf.keras.layers"},
                                          {"cells", "tf.keras.layers"},
                                          {"activation", "tf.keras.layers"},
                                          {"fn", "tf.keras.losses"}}};

// An argument that one version of Keras doesn't have, or that it names otherwise. Keras writes some keys that its own
// constructors don't take.
struct Argument {
  std::string_view class_name{};  // empty: of every class
  std::string_view key{};
  std::string_view in_keras2{};  // its name there; empty: it is left out
  std::string_view in_keras3{};
};
constexpr std::array<Argument, 17> argument_names{
    {{"LeakyReLU", "alpha", "alpha", "negative_slope"},
     {"LeakyReLU", "negative_slope", "alpha", "negative_slope"},
     {"LossScaleOptimizer", "dynamic", "dynamic", ""},
     {"", "exclude_from_weight_decay", "", ""},  // a method, not an argument
     {"", "exclude_layers", "", "exclude_layers"},
     {"", "batch_input_shape", "", ""},  // the model has an Input
     {"", "batch_shape", "", ""},
     {"", "input_shape", "", ""},
     {"", "input_length", "", ""},
     {"", "build_config", "", ""},
     {"", "shared_object_id", "", ""},
     {"", "time_major", "time_major", ""},
     {"", "implementation", "implementation", ""},
     {"", "autocast", "", "autocast"},
     {"BatchNormalization", "fused", "fused", ""},
     {"", "jit_compile", "jit_compile", ""},
     {"", "is_legacy_optimizer", "", ""}}};

std::string_view name_of(std::string_view class_name, std::string_view key, Semantics semantics) {
  for (const Argument& argument : argument_names)
    if (argument.key == key && (argument.class_name.empty() || argument.class_name == class_name))
      return semantics == Semantics::keras3 ? argument.in_keras3 : argument.in_keras2;
  return key;
}

const json::Value* class_in(const json::Value& value) {
  return value.kind() == json::Kind::object && value.find("config") != nullptr ? value.find("class_name")
                                                                               : nullptr;
}

// {"class_name": "DTypePolicy", "config": {"name": "mixed_float16"}}
bool is_policy(std::string_view class_name) { return class_name == "DTypePolicy" || class_name == "Policy"; }

Expression argument_of(std::string_view key, const json::Value& value, Semantics semantics) {
  if (value.kind() == json::Kind::array) {
    Expression entries = list({});
    for (const json::Value& entry : value.elements()) entries.with(argument_of(key, entry, semantics));
    return entries;
  }
  const json::Value* class_name = class_in(value);
  if (class_name == nullptr) return literal(value);
  const json::Value& config = *value.find("config");
  if (is_policy(class_name->string())) return literal(*config.find("name"));
  const auto module =
      std::ranges::find_if(modules, [&](const Module& each) { return key.ends_with(each.end); });
  return object(module == modules.end() ? "tf.keras" : module->name, value, semantics);
}

// Defaults that not every version of Keras has an argument for.
bool is_default(std::string_view key, const json::Value& value) {
  if (key == "axis") return value.kind() == json::Kind::integer && value.integer() == -1;
  return key == "reduction" && value.kind() == json::Kind::string && value.string() == "auto";
}

}  // namespace

void add_arguments(Expression& call, std::string_view class_name, const json::Value& config,
                   Semantics semantics) {
  for (const json::Member& member : config.members()) {
    const std::string_view name = name_of(class_name, member.key, semantics);
    if (name.empty() || member.value.kind() == json::Kind::null || is_default(member.key, member.value))
      continue;
    call.with(name, argument_of(member.key, member.value, semantics));
  }
}

Expression object(std::string_view module, const json::Value& written, Semantics semantics) {
  const json::Value* class_name = class_in(written);
  if (class_name == nullptr) return literal(written);
  // Keras 2 has this optimizer in another module.
  const bool is_scaling = class_name->string() == "LossScaleOptimizer" && semantics != Semantics::keras3;
  Expression made =
      call(fmt::format("{}.{}", is_scaling ? "tf.keras.mixed_precision" : module, class_name->string()));
  add_arguments(made, class_name->string(), *written.find("config"), semantics);
  return made;
}

}  // namespace wt::tensorflow
