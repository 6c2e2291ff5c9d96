#include "model/serialized.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace wt::model {

std::optional<Serialized> read_serialized(const json::Value& value, Problems& problems,
                                          json::PassedOver* passed) {
  if (value.kind() == json::Kind::string) return Serialized{value.string(), value.place(), nullptr};
  if (value.kind() != json::Kind::object) {
    problems.add(value.place(), fmt::format("expected a name or an object, found {}", describe(value.kind())),
                 R"(write "name" or {"class_name": "Name", "config": {...}})");
    return std::nullopt;
  }
  json::Reader reader(value, problems);
  const json::Value* class_name = value.find("class_name");
  const bool is_named = class_name != nullptr && class_name->kind() == json::Kind::string;
  Serialized read{reader.required<std::string>("class_name"), reader.place("class_name"), nullptr};
  read.config = reader.value("config");
  for (const auto* ignored : {"module", "registered_name", "build_config", "shared_object_id"})
    reader.value(ignored);
  passed == nullptr ? reader.finish() : reader.finish(*passed);
  if (read.config != nullptr && read.config->kind() == json::Kind::null) read.config = nullptr;
  return is_named ? std::optional(std::move(read)) : std::nullopt;
}

Problem unknown_name(Place place, std::string_view name, std::string_view what,
                     const std::vector<std::string_view>& names,
                     const std::vector<std::string_view>& aliases) {
  std::vector<std::string_view> all = names;
  all.insert(all.end(), aliases.begin(), aliases.end());
  const std::string_view near = nearest(name, all);
  const std::string suggestion = near.empty() ? "" : fmt::format("did you mean \"{}\"? ", near);
  return {std::move(place), fmt::format("unknown {} \"{}\"", what, printable(name)),
          suggestion + list_known(names)};
}

void require_known(const Alias& written, std::string_view name, std::string_view what, Semantics semantics) {
  const bool is_three = semantics == Semantics::keras3;
  if (written.known_to == KnownTo::both || is_three == (written.known_to == KnownTo::keras3)) return;
  throw InputError(fmt::format("[{}] Keras {} has no {} of this name", written.name, is_three ? 3 : 2, what),
                   fmt::format("write \"{}\", or choose semantics {}", name, is_three ? "keras2" : "keras3"));
}

ConfigReader::ConfigReader(const json::Value* config, Problems& problems)
    : config_(config), problems_(&problems) {
  if (config != nullptr) reader_.emplace(*config, problems);
}

const json::Value* ConfigReader::value(std::string_view key) {
  const json::Value* found = reader_ ? reader_->value(key) : nullptr;
  return found != nullptr && found->kind() == json::Kind::null ? nullptr : found;
}

bool ConfigReader::is_null(std::string_view key) const {
  if (config_ == nullptr || config_->kind() != json::Kind::object) return false;
  const json::Value* found = config_->find(key);
  return found != nullptr && found->kind() == json::Kind::null;
}

double ConfigReader::number(std::string_view key, double otherwise, const json::Range<double>& range) {
  const json::Value* found = value(key);
  return found == nullptr ? otherwise : json::convert<double>(*found, *problems_, range).value_or(otherwise);
}

bool ConfigReader::flag(std::string_view key, bool otherwise) {
  const json::Value* found = value(key);
  return found == nullptr ? otherwise : json::convert<bool>(*found, *problems_).value_or(otherwise);
}

std::string ConfigReader::text(std::string_view key, std::string otherwise) {
  const json::Value* found = value(key);
  if (found == nullptr) return otherwise;
  return json::convert<std::string>(*found, *problems_).value_or(std::move(otherwise));
}

void ConfigReader::ignore(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) value(key);
}

void ConfigReader::not_offered(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const json::Value* found = value(key);
    if (found == nullptr) continue;
    const bool is_off = (found->kind() == json::Kind::boolean && !found->boolean()) ||
                        (found->kind() == json::Kind::integer && found->integer() == 0) ||
                        (found->kind() == json::Kind::real && found->real() == 0);
    if (!is_off) problem(key, fmt::format("\"{}\" is not offered yet", key), "leave it out");
  }
}

void ConfigReader::problem(std::string_view key, std::string fact, std::string remedy) {
  if (reader_) reader_->problem(key, std::move(fact), std::move(remedy));
}

void ConfigReader::finish(json::PassedOver* passed) {
  if (reader_) passed == nullptr ? reader_->finish() : reader_->finish(*passed);
}

}  // namespace wt::model
