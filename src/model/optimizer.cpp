#include "model/optimizer.h"

#include <fmt/format.h>

#include <regex>

namespace wt::model {

namespace {

// Keras 2 begins RMSprop with this argument set, which counts only with use_ema.
std::optional<std::int64_t> default_overwriting(const OptimizerClass& type, Semantics semantics) {
  if (type.name == "RMSprop" && is_on(Switch::rmsprop_overwrites_by_averages, semantics)) return 100;
  return std::nullopt;
}

double default_rate(const OptimizerClass& type, Semantics semantics) {
  return type.name == "Lion" && is_on(Switch::lion_begins_slowly, semantics) ? 1e-4 : type.learning_rate;
}

Optimizer with_defaults(const OptimizerClass& type, Semantics semantics) {
  Optimizer optimizer{.type = &type,
                      .name = std::string(type.name),
                      .learning_rate = default_rate(type, semantics),
                      .weight_decay = type.weight_decay};
  for (const Argument& argument : type.arguments)
    optimizer.arguments.emplace(argument.key, argument.otherwise);
  return optimizer;
}

// ---- Reading

std::optional<std::int64_t> read_count(ConfigReader& reader, Problems& problems, std::string_view key,
                                       std::int64_t at_least) {
  const json::Value* value = reader.value(key);
  if (value == nullptr) return std::nullopt;
  return json::convert<std::int64_t>(*value, problems, {.at_least = at_least});
}

std::optional<double> read_maybe(ConfigReader& reader, std::string_view key) {
  if (reader.value(key) == nullptr) return std::nullopt;
  return reader.number(key, 0, json::not_negative);
}

// Regular expressions, as Python's re.search takes them.
std::vector<std::string> read_patterns(ConfigReader& reader, Problems& problems, std::string_view key) {
  const json::Value* value = reader.value(key);
  if (value == nullptr) return {};
  auto patterns =
      json::convert<std::vector<std::string>>(*value, problems).value_or(std::vector<std::string>{});
  std::erase_if(patterns, [&](const std::string& pattern) {
    try {
      return std::regex(pattern), false;
    } catch (const std::regex_error&) {
      problems.add(value->place(), fmt::format("\"{}\" is not a regular expression", pattern),
                   "write a part of the names of the variables, such as \"bias\"");
      return true;
    }
  });
  return patterns;
}

void read_arguments(ConfigReader& reader, Problems& problems, Optimizer& optimizer) {
  for (const Argument& argument : optimizer.type->arguments) {
    double& value = optimizer.arguments.at(std::string(argument.key));
    if (argument.kind == Argument::Kind::flag)
      value = reader.flag(argument.key, value != 0) ? 1 : 0;
    else if (argument.kind == Argument::Kind::count)
      value = static_cast<double>(
          read_count(reader, problems, argument.key, 0).value_or(static_cast<std::int64_t>(value)));
    else
      value = reader.number(argument.key, value, argument.range);
    // Muon's rms_rate and adam_weight_decay may be None, which is none at all and not the default.
    if (reader.is_null(argument.key)) value = 0;
  }
  if (optimizer.type->name == "Muon")
    optimizer.exclude_layers = read_patterns(reader, problems, "exclude_layers");
}

// Keras writes a learning-rate schedule as an object in place of the number.
void read_learning_rate(ConfigReader& reader, Problems& problems, Optimizer& optimizer) {
  const json::Value* value = reader.value("learning_rate");
  if (value == nullptr || value->kind() != json::Kind::object)
    optimizer.learning_rate = reader.number("learning_rate", optimizer.learning_rate, json::not_negative);
  else
    optimizer.schedule = read_schedule(*value, problems);
}

void read_decay(ConfigReader& reader, Problems& problems, Optimizer& optimizer) {
  if (const auto decay = read_maybe(reader, "weight_decay")) {
    optimizer.weight_decay = decay;
  } else if (reader.is_null("weight_decay")) {
    optimizer.weight_decay.reset();
    if (optimizer.type->name == "AdamW")
      reader.problem("weight_decay", "AdamW needs a weight decay", "write a number, or choose Adam");
  }
  optimizer.undecayed_names = read_patterns(reader, problems, "exclude_from_weight_decay");
}

void read_clipping(ConfigReader& reader, Semantics semantics, Optimizer& optimizer) {
  optimizer.clipnorm = read_maybe(reader, "clipnorm");
  optimizer.global_clipnorm = read_maybe(reader, "global_clipnorm");
  optimizer.clipvalue = read_maybe(reader, "clipvalue");
  const int given = static_cast<int>(optimizer.clipnorm.has_value()) + optimizer.global_clipnorm.has_value() +
                    optimizer.clipvalue.has_value();
  if (is_on(Switch::clipvalue_may_stand_beside_clipnorm, semantics)) {
    if (optimizer.clipnorm && optimizer.global_clipnorm)
      reader.problem("clipnorm", R"(at most one of "clipnorm" and "global_clipnorm" can be set)", "keep one");
  } else if (given > 1) {
    reader.problem(optimizer.clipnorm ? "clipnorm" : "global_clipnorm",
                   R"(only one of "clipnorm", "clipvalue" and "global_clipnorm" can be set)", "keep one");
  }
}

void read_averages(ConfigReader& reader, Problems& problems, Semantics semantics, Optimizer& optimizer) {
  const bool is_used = reader.flag("use_ema", false);
  if (!is_used) return reader.ignore({"ema_momentum", "ema_overwrite_frequency"});
  WeightAverages averages{.overwrite_every = default_overwriting(*optimizer.type, semantics)};
  averages.momentum = reader.number("ema_momentum", averages.momentum, {.at_least = 0.0, .at_most = 1.0});
  if (reader.is_null("ema_overwrite_frequency")) averages.overwrite_every.reset();
  if (const auto every = read_count(reader, problems, "ema_overwrite_frequency", 1))
    averages.overwrite_every = every;
  optimizer.averages = averages;
}

// Keras 3 alone has these arguments, and ignores the old one.
void read_of_version(ConfigReader& reader, Problems& problems, Semantics semantics, Optimizer& optimizer) {
  if (semantics == Semantics::keras3) {
    if (reader.value("loss_scale_factor") != nullptr)
      optimizer.loss_scale_factor = reader.number("loss_scale_factor", 1, json::positive);
    if (const auto steps = read_count(reader, problems, "gradient_accumulation_steps", 2))
      optimizer.accumulation = *steps;
    return reader.ignore({"decay"});
  }
  reader.not_offered({"decay"});
  for (const auto* key : {"loss_scale_factor", "gradient_accumulation_steps"})
    if (reader.value(key) != nullptr)
      reader.problem(key, fmt::format("Keras 2 has no \"{}\"", key),
                     R"(leave it out, or choose "semantics": "keras3")");
}

// Reads the arguments that all optimizers have.
void read_common(ConfigReader& reader, Problems& problems, Semantics semantics, Optimizer& optimizer) {
  optimizer.name = reader.text("name", optimizer.name);
  read_learning_rate(reader, problems, optimizer);
  read_decay(reader, problems, optimizer);
  read_clipping(reader, semantics, optimizer);
  read_averages(reader, problems, semantics, optimizer);
  read_of_version(reader, problems, semantics, optimizer);
  reader.ignore({"jit_compile", "is_legacy_optimizer"});
}

// {"inner_optimizer": {...}, "dynamic": true, "initial_scale": 32768, "dynamic_growth_steps": 2000}
std::optional<Optimizer> read_scaled(const Serialized& read, Problems& problems, Semantics semantics) {
  ConfigReader reader(read.config, problems);
  const json::Value* inner = reader.value("inner_optimizer");
  if (inner == nullptr) {
    problems.add(read.place, "LossScaleOptimizer wraps another optimizer", R"(add "inner_optimizer")");
    return std::nullopt;
  }
  std::optional<Optimizer> optimizer = read_optimizer(*inner, problems, semantics);
  ScaledLoss scaled;
  scaled.is_dynamic = reader.flag("dynamic", true);
  if (!scaled.is_dynamic && !is_on(Switch::loss_scale_may_be_fixed, semantics))
    reader.problem("dynamic", "LossScaleOptimizer no longer has a fixed scale in Keras 3",
                   R"(set "loss_scale_factor" of the inner optimizer)");
  scaled.initial_scale = reader.number("initial_scale", scaled.initial_scale, json::positive);
  scaled.growth_steps = read_count(reader, problems, "dynamic_growth_steps", 1).value_or(scaled.growth_steps);
  reader.ignore({"name"});
  reader.not_offered({"weight_decay", "clipnorm", "global_clipnorm", "clipvalue", "use_ema",
                      "ema_overwrite_frequency", "loss_scale_factor", "gradient_accumulation_steps"});
  reader.ignore({"ema_momentum"});
  reader.finish();
  if (!optimizer) return std::nullopt;
  optimizer->loss_scale_factor.reset();
  optimizer->scaled_loss = scaled;
  return optimizer;
}

const OptimizerClass* row_of(std::string_view name) { return find_row(optimizers(), name); }

}  // namespace

double Optimizer::operator[](std::string_view key) const {
  const auto found = arguments.find(key);
  WT_EXPECT(found != arguments.end(), "{} has no argument {}", name, key);
  return found->second;
}

Optimizer optimizer_named(std::string_view name, Semantics semantics) {
  const OptimizerClass* row = row_of(name);
  if (row == nullptr) throw InputError(unknown_row(optimizers(), {}, name, "optimizer"));
  return with_defaults(*row, semantics);
}

std::optional<Optimizer> read_optimizer(const json::Value& value, Problems& problems, Semantics semantics) {
  const std::optional<Serialized> read = read_serialized(value, problems);
  if (!read) return std::nullopt;
  if (read->name == "LossScaleOptimizer" || read->name == "LossScaleOptimizerV3")
    return read_scaled(*read, problems, semantics);
  const OptimizerClass* row = row_of(read->name);
  if (row == nullptr) {
    problems.add(unknown_row(optimizers(), read->place, read->name, "optimizer", {"LossScaleOptimizer"}));
    return std::nullopt;
  }
  if (row->is_only_in_keras3 && semantics != Semantics::keras3) {
    problems.add(read->place, fmt::format("Keras 2 has no {}", row->name),
                 R"(choose "semantics": "keras3", or another optimizer)");
    return std::nullopt;
  }
  Optimizer optimizer = with_defaults(*row, semantics);
  ConfigReader reader(read->config, problems);
  read_common(reader, problems, semantics, optimizer);
  read_arguments(reader, problems, optimizer);
  reader.finish();
  return optimizer;
}

Optimizer scaled_by_policy(Optimizer optimizer, const Layer& model) {
  if (!optimizer.scaled_loss && computes_in(model, Type::float16)) optimizer.scaled_loss = ScaledLoss{};
  return optimizer;
}

std::string iteration_name(const Optimizer& optimizer) { return optimizer.name + "/iteration"; }

std::string learning_rate_name(const Optimizer& optimizer) {
  return optimizer.name + (optimizer.schedule ? "/current_learning_rate" : "/learning_rate");
}

std::string loss_scale_name(const Optimizer& optimizer) { return optimizer.name + "/loss_scale"; }

std::string finite_steps_name(const Optimizer& optimizer) { return optimizer.name + "/good_steps"; }

std::string slot_name(const Optimizer& optimizer, std::string_view slot, std::string_view variable) {
  return fmt::format("{}/{}/{}", optimizer.name, slot, variable);
}

std::string keras_slot_name(Semantics semantics, std::string_view model, std::string_view slot,
                            std::string_view variable) {
  if (semantics != Semantics::keras3) return fmt::format("{}/{}", slot, variable);
  // Adafactor's means of rows and columns have the bare name of the variable.
  if (slot == "r" || slot == "c") return std::string(variable.substr(variable.rfind('/') + 1));
  constexpr std::pair<std::string_view, std::string_view> renamed[] = {
      {"m", "momentum"}, {"v", "velocity"}, {"vhat", "velocity_hat"}, {"u", "norm"}};
  for (const auto& [keras2, keras3] : renamed)
    if (slot == keras2) slot = keras3;
  std::string path = fmt::format("{}/{}/{}", model, variable, slot);
  std::ranges::replace(path, '/', '_');
  return path;
}

}  // namespace wt::model
