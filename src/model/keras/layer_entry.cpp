#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.h"
#include "model/keras/importing.h"
#include "model/keras/inbound.h"
#include "model/layers/catalog.h"

namespace wt::model::keras {

namespace {

using json::Kind;
using json::Value;

// Keys of any layer that do not change the result, or that other functions read. Some are what Keras computes
// itself when it builds a layer.
constexpr std::string_view ignored_keys[] = {
    "batch_input_shape", "batch_shape",    "input_shape",      "input_dtype", "input_length",
    "build_config",      "compile_config", "shared_object_id", "lora_alpha",  "optional",
    "autocast",          "fused",          "query_shape",      "key_shape",   "flash_attention"};

// Keys that can change the result and are not implemented. Null and one other value stand for the usual
// behaviour and are accepted.
struct OnlyValue {
  std::string_view key{};
  std::string_view offered{};  // as JSON; empty if only null is accepted
};
constexpr OnlyValue only_values[] = {
    {"moving_mean_constraint", ""},
    {"adjustment", ""},
    {"virtual_batch_size", ""},
    {"lora_rank", ""},
    {"quantization_config", ""},
    {"data_format", "\"channels_last\""},
    {"ragged", "false"},
    {"sparse", "false"},
    {"synchronized", "false"},
    {"use_gate", "false"},
};

bool is_offered(const Value& value, const OnlyValue& only) {
  if (value.kind() == Kind::null) return true;
  return value.text() == only.offered;
}

// A key that the layer itself has read is not checked.
void check_only_values(LayerReader& config) {
  for (const OnlyValue& only : only_values) {
    if (config.was_read(only.key)) continue;
    const Value* value = config.value(only.key);
    if (value == nullptr || is_offered(*value, only)) continue;
    const bool is_plain = value->kind() != Kind::object && value->kind() != Kind::array;
    config.problem(only.key,
                   is_plain ? fmt::format("\"{}\" {} is not offered", only.key, printable(value->text()))
                            : fmt::format("\"{}\" is not offered", only.key),
                   only.offered.empty() ? "set it to null" : fmt::format("set it to {}", only.offered));
  }
}

// In which types a layer computes, by the name of its policy.
constexpr std::pair<std::string_view, Type> policies[] = {
    {"float32", Type::float32}, {"mixed_float16", Type::float16}, {"mixed_bfloat16", Type::bfloat16}};

std::optional<Type> read_policy(LayerReader& config) {
  const std::optional<std::string> name = config.dtype();
  if (!name) return std::nullopt;
  for (const auto& [known, type] : policies)
    if (*name == known) return type;
  config.problem("dtype", fmt::format("\"{}\" is not offered", printable(*name)),
                 "variables are float32: write \"float32\", \"mixed_float16\" or \"mixed_bfloat16\"");
  return std::nullopt;
}

// Layers whose "dtype" may be another one: that of an input, or that of categories.
bool computes_integers(std::string_view class_name) {
  constexpr std::string_view names[] = {"CategoryEncoding", "Discretization", "Hashing",
                                        "InputLayer",       "IntegerLookup",  "ZerosLike"};
  return std::ranges::count(names, class_name) > 0;
}

const Value* text_member(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  return value != nullptr && value->kind() == Kind::string ? value : nullptr;
}

// Keras registers a user's own class as "package>Class".
bool is_custom(const Value& entry) {
  const Value* registered = text_member(entry, "registered_name");
  return registered != nullptr && registered->string().find('>') != std::string::npos;
}

// Layers of strings, which no tensor here holds, and what does the same with numbers.
struct OfStrings {
  std::string_view class_name{};
  std::string_view remedy{};
};
constexpr OfStrings layers_of_strings[] = {
    {"StringLookup", "number the strings in the dataset, and write an IntegerLookup of the numbers"},
    {"TextVectorization", "split and number the texts in the dataset, and begin with the numbers"},
};

// Functions and classes of a user are Python code, which is not in the file.
void refuse_class(const Value& entry, const Value& class_name, std::string_view layer, Importing& importing) {
  const std::string& given = class_name.string();
  const std::string is_a = fmt::format("layer \"{}\" is a {}, ", printable(layer), printable(given));
  const std::string_view remedy = "replace it by layers of Keras that compute the same";
  if (is_custom(entry)) {
    const std::string registered = printable(entry.find("registered_name")->string());
    importing.problems.add(class_name.place(),
                           fmt::format("{}a class of the user's own (\"{}\")", is_a, registered),
                           std::string(remedy));
  } else if (const auto* of_strings = std::ranges::find(layers_of_strings, given, &OfStrings::class_name);
             of_strings != std::end(layers_of_strings)) {
    importing.problems.add(class_name.place(), is_a + "which reads strings", std::string(of_strings->remedy));
  } else if (given == "Lambda" || given == "__lambda__") {
    importing.problems.add(class_name.place(), is_a + "which holds Python code", std::string(remedy));
  } else {
    std::vector<std::string_view> known;
    const bool is_layer = callee_of(entry) == Callee::layer;
    for (const LayerClass& row : is_layer ? layer_classes() : operation_rows())
      known.push_back(row.class_name);
    known.insert(known.end(), {"Functional", "Sequential"});
    importing.problems.add(class_name.place(), is_a + "which is not offered", did_you_mean(given, known));
  }
}

// Of a layer that has not read the format itself. The channels of a ConvLSTM are the third axis.
bool has_channels_first(LayerReader& reader) {
  if (reader.class_name().starts_with("ConvLSTM")) return false;
  if (reader.was_read("data_format")) return false;
  const Value* format = reader.value("data_format");
  const bool is_first =
      format != nullptr && format->kind() == Kind::string && format->string() == "channels_first";
  if (format != nullptr && !is_first && format->kind() != Kind::null && format->text() != "\"channels_last\"")
    reader.problem("data_format", fmt::format("\"data_format\" {} is unknown", printable(format->text())),
                   "write \"channels_last\" or \"channels_first\"");
  return is_first;
}

LayerPtr read_plain(const LayerClass& row, const Value& config, const std::string& name,
                    Importing& importing) {
  Problems own;
  LayerReader reader(config, own, &importing.passed);
  LayerPtr layer;
  reader.set_class_name(row.class_name);
  reader.read_inner_by([&](const Value& entry) { return read_layer(entry, importing); });
  for (const std::string_view key : ignored_keys) reader.value(key);
  const std::optional<Type> policy = computes_integers(row.class_name) ? std::nullopt : read_policy(reader);
  reader.trainable();
  reader.name();
  const std::optional<Regularizer> activity = reader.regularizer("activity_regularizer");
  try {
    layer = row.from_json(reader);
    if (layer != nullptr && policy && importing.has_mixed_policies) layer->compute_in(*policy);
    if (layer != nullptr && activity) layer->penalise_activity(*activity);
    if (layer != nullptr && has_channels_first(reader)) layer->put_channels_first();
  } catch (const InputError& error) {
    // After a problem of its configuration, the layer may throw because of a substituted value. Such an error
    // is not reported.
    if (!own.any()) add_problems(error, config.place(), importing);
  }
  check_only_values(reader);
  reader.finish(importing.passed);
  for (const Problem& problem : own.found())
    importing.problems.add(
        problem.place, fmt::format("layer \"{}\" ({}): {}", printable(name), row.class_name, problem.fact),
        problem.remedy);
  return own.any() ? nullptr : layer;  // null also if the layer's constructor threw
}

// The name in the configuration, or else the key "name" of the entry, which functional models add.
std::string name_of(const Value& entry, const Value& config) {
  const Value* name = config.kind() == Kind::object ? text_member(config, "name") : nullptr;
  if (name == nullptr) name = text_member(entry, "name");
  return name == nullptr ? "" : printable(name->string());
}

}  // namespace

bool is_model(std::string_view class_name) {
  return class_name == "Sequential" || class_name == "Functional" || class_name == "Model";
}

Callee callee_of(const Value& entry) {
  if (entry.kind() != Kind::object) return Callee::layer;
  const Value* module = text_member(entry, "module");
  const Value* class_name = text_member(entry, "class_name");
  const std::string_view name = class_name == nullptr ? "" : std::string_view(class_name->string());
  const bool is_of_keras3 = module != nullptr && module->string().find(".ops.") != std::string::npos;
  if (name == "SlicingOpLambda" || (is_of_keras3 && name == "GetItem")) return Callee::slicing;
  return is_of_keras3 || name == "TFOpLambda" ? Callee::operation : Callee::layer;
}

LayerPtr read_layer(const Value& entry, Importing& importing) {
  json::Reader reader(entry, importing.problems);
  if (entry.kind() != Kind::object) return nullptr;
  reader.required<std::string>("class_name");
  const Value* config = entry.find("config");
  if (config == nullptr) reader.object("config");
  const Value* class_name = text_member(entry, "class_name");
  if (class_name == nullptr || config == nullptr) return nullptr;

  const std::string name = name_of(entry, *config);
  const LayerClass* row = callee_of(entry) == Callee::layer ? find_layer_class(class_name->string())
                                                            : find_operation_row(class_name->string());
  LayerPtr layer;
  if (is_custom(entry) || (row == nullptr && !is_model(class_name->string())))
    refuse_class(entry, *class_name, name, importing);
  else if (row == nullptr)
    layer = read_model(class_name->string(), *config, importing);
  else
    layer = read_plain(*row, *config, name, importing);
  if (layer == nullptr) return nullptr;
  if (layer->name().empty() && !name.empty()) layer->give_name(name);
  importing.places.emplace(layer.get(), entry.place());
  return layer;
}

}  // namespace wt::model::keras
