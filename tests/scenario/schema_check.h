#pragma once
// As much of JSON Schema (draft 7) as the schemas in scenarios/schema/ use; another word in a schema is a
// failure.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/json.h"
#include "base/json_writer.h"

namespace wt {

inline std::string print(const json::Value& value) {
  if (value.kind() == json::Kind::array) {
    std::string text;
    for (const auto& element : value.elements()) text += (text.empty() ? "" : ",") + print(element);
    return "[" + text + "]";
  }
  if (value.kind() == json::Kind::object) {
    std::string text;
    for (const auto& member : value.members()) {
      text += (text.empty() ? "" : ",") + json::quote(member.key) + ":" + print(member.value);
    }
    return "{" + text + "}";
  }
  if (value.kind() == json::Kind::string) return json::quote(value.string());
  return std::string(value.text());
}

class SchemaCheck {
 public:
  explicit SchemaCheck(const json::Value& root) : root_(root) {}

  const json::Value& resolve(const json::Value& schema) const {
    const json::Value* reference = schema.find("$ref");
    if (reference == nullptr) return schema;
    const std::string prefix = "#/definitions/";
    return *root_.find("definitions")->find(reference->string().substr(prefix.size()));
  }

  bool accepts(const json::Value& value) const { return accepts(root_, value); }

  bool accepts(const json::Value& given, const json::Value& value) const {
    const json::Value& schema = resolve(given);
    return std::all_of(schema.members().begin(), schema.members().end(),
                       [&](const json::Member& rule) { return obeys(schema, rule, value); });
  }

 private:
  using Rule = json::Member;

  bool obeys(const json::Value& schema, const Rule& rule, const json::Value& value) const {
    const std::string& word = rule.key;
    const auto count = [&] {
      return std::count_if(rule.value.elements().begin(), rule.value.elements().end(),
                           [&](const json::Value& alternative) { return accepts(alternative, value); });
    };
    if (word == "type") return has_type(rule.value, value);
    if (word == "const") return print(rule.value) == print(value);
    if (word == "enum") return is_among(rule.value, value);
    if (word == "anyOf") return count() > 0;
    if (word == "oneOf") return count() == 1;
    if (word == "allOf") return count() == static_cast<std::ptrdiff_t>(rule.value.elements().size());
    if (word == "not") return !accepts(rule.value, value);
    if (word == "minItems")
      return value.kind() != json::Kind::array || std::ssize(value.elements()) >= rule.value.integer();
    if (word == "minLength") return value.kind() != json::Kind::string || !value.string().empty();
    if (word == "minimum") return !is_number(value) || number(value) >= number(rule.value);
    if (word == "maximum") return !is_number(value) || number(value) <= number(rule.value);
    if (word == "exclusiveMinimum") return !is_number(value) || number(value) > number(rule.value);
    if (word == "propertyNames") return names_obey(rule.value, value);
    if (word == "items") return obeys_items(rule.value, value);
    if (word == "required") return has_all(rule.value, value);
    if (word == "properties" || word == "patternProperties" || word == "additionalProperties") {
      const bool is_first = word == "properties" || schema.find("properties") == nullptr;
      return !is_first || obeys_properties(schema, value);
    }
    constexpr std::array<std::string_view, 7> comments{"$schema", "$ref",     "title",      "description",
                                                       "default", "examples", "definitions"};
    const bool is_comment = std::find(comments.begin(), comments.end(), word) != comments.end();
    EXPECT_TRUE(is_comment) << word;
    return is_comment;
  }

  static bool is_number(const json::Value& value) {
    return value.kind() == json::Kind::integer || value.kind() == json::Kind::real;
  }
  static double number(const json::Value& value) {
    return value.kind() == json::Kind::integer ? static_cast<double>(value.integer()) : value.real();
  }

  static bool has_type(const json::Value& types, const json::Value& value) {
    if (types.kind() == json::Kind::array) {
      return std::any_of(types.elements().begin(), types.elements().end(),
                         [&](const json::Value& type) { return has_type(type, value); });
    }
    const std::string& type = types.string();
    const json::Kind kind = value.kind();
    return (type == "object" && kind == json::Kind::object) ||
           (type == "array" && kind == json::Kind::array) ||
           (type == "string" && kind == json::Kind::string) ||
           (type == "boolean" && kind == json::Kind::boolean) ||
           (type == "null" && kind == json::Kind::null) ||
           (type == "integer" && kind == json::Kind::integer) || (type == "number" && is_number(value));
  }

  static bool is_among(const json::Value& known, const json::Value& value) {
    return std::any_of(known.elements().begin(), known.elements().end(),
                       [&](const json::Value& one) { return print(one) == print(value); });
  }

  static bool has_all(const json::Value& keys, const json::Value& value) {
    if (value.kind() != json::Kind::object) return true;
    return std::all_of(keys.elements().begin(), keys.elements().end(),
                       [&](const json::Value& key) { return value.find(key.string()) != nullptr; });
  }

  bool names_obey(const json::Value& schema, const json::Value& value) const {
    if (value.kind() != json::Kind::object) return true;
    return std::all_of(value.members().begin(), value.members().end(), [&](const json::Member& member) {
      return accepts(schema, json::parse(json::quote(member.key), "a key"));
    });
  }

  bool obeys_items(const json::Value& schema, const json::Value& value) const {
    if (value.kind() != json::Kind::array) return true;
    return std::all_of(value.elements().begin(), value.elements().end(),
                       [&](const json::Value& item) { return accepts(schema, item); });
  }

  // The one pattern that our schemas have.
  static bool is_count(const std::string& key) {
    return !key.empty() && key[0] != '0' && key.find_first_not_of("0123456789") == std::string::npos;
  }

  bool obeys_properties(const json::Value& schema, const json::Value& value) const {
    if (value.kind() != json::Kind::object) return true;
    const json::Value* others = schema.find("additionalProperties");
    return std::all_of(value.members().begin(), value.members().end(), [&](const json::Member& member) {
      const json::Value* properties = schema.find("properties");
      const json::Value* known = properties == nullptr ? nullptr : properties->find(member.key);
      if (known != nullptr) return accepts(*known, member.value);
      if (const json::Value* pattern = schema.find("patternProperties");
          pattern != nullptr && is_count(member.key))
        return accepts(*pattern->find("^[1-9][0-9]*$"), member.value);
      if (others == nullptr) return true;
      return others->kind() == json::Kind::boolean ? others->boolean() : accepts(*others, member.value);
    });
  }

  const json::Value& root_;
};

}  // namespace wt
