#pragma once
// Reads objects that Keras serialized: optimizers, losses, metrics, initializers, regularizers. Keras writes
// such an object as a name, "adam", or as {"class_name": "Adam", "config": {"learning_rate": 0.01}}; Keras 3
// adds the keys module and registered_name. The class is then looked up in a table whose rows have a name and
// aliases. The format is that of keras.utils.serialize_keras_object.

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/json_reader.h"
#include "model/semantics.h"

namespace wt::model {

// The versions of Keras that know a name.
enum class KnownTo : std::uint8_t { both, keras2, keras3 };

// A second name of a row.
struct Alias {
  constexpr Alias() = default;
  constexpr Alias(const char* own, KnownTo known = KnownTo::both) : name(own), known_to(known) {}
  constexpr operator std::string_view() const { return name; }
  constexpr bool empty() const { return name.empty(); }
  friend constexpr bool operator==(const Alias& alias, std::string_view text) { return alias.name == text; }

  std::string_view name{};
  KnownTo known_to = KnownTo::both;
};
constexpr Alias only_keras2(const char* name) { return {name, KnownTo::keras2}; }
constexpr Alias only_keras3(const char* name) { return {name, KnownTo::keras3}; }
using Aliases = std::array<Alias, 4>;  // unused entries are empty

struct Serialized {
  std::string name{};
  Place place{};                        // the place of the name in the file
  const json::Value* config = nullptr;  // null if all arguments have their defaults
};

// Reads either form. Adds a problem and returns none if the value has neither form.
// Unknown keys whose values stand for nothing are added to `passed` if there is one, and are problems
// otherwise.
std::optional<Serialized> read_serialized(const json::Value& value, Problems& problems,
                                          json::PassedOver* passed = nullptr);

// The problem `unknown optimizer "adamm"` with the remedy `did you mean "adam"? known: SGD, Adam, ...`. The
// remedy may suggest an alias, and lists names only. `what` is the kind of object: "optimizer".
Problem unknown_name(Place place, std::string_view name, std::string_view what,
                     const std::vector<std::string_view>& names,
                     const std::vector<std::string_view>& aliases);

// Returns the row with this name or alias; null if there is none.
template <class Table>
auto* find_row(const Table& table, std::string_view name) {
  const auto is_meant = [&](const auto& row) {
    return row.name == name ||
           (!name.empty() && std::find(row.aliases.begin(), row.aliases.end(), name) != row.aliases.end());
  };
  const auto found = std::find_if(std::begin(table), std::end(table), is_meant);
  return found == std::end(table) ? nullptr : &*found;
}

// The alias of a row that is this name; an empty one if it is none.
template <class Row>
Alias alias_of(const Row& row, std::string_view name) {
  const auto found = std::find(row.aliases.begin(), row.aliases.end(), name);
  return name.empty() || found == row.aliases.end() ? Alias{} : *found;
}

// Throws InputError unless the version of Keras knows the alias by which a row, a `what`, was written.
void require_known(const Alias& written, std::string_view name, std::string_view what, Semantics semantics);

// unknown_name for a table. `names` are accepted in addition to the names in the table.
template <class Table>
Problem unknown_row(const Table& table, Place place, std::string_view name, std::string_view what,
                    std::vector<std::string_view> names = {}) {
  std::vector<std::string_view> aliases;
  for (const auto& row : table) {
    names.push_back(row.name);
    for (const std::string_view alias : row.aliases)
      if (!alias.empty()) aliases.push_back(alias);
  }
  return unknown_name(std::move(place), name, what, names, aliases);
}

// Reads the "config" of one object. A key whose value is null has its default, as None in Python.
class ConfigReader {
 public:
  // `config` may be null; then every key is missing.
  ConfigReader(const json::Value* config, Problems& problems);

  double number(std::string_view key, double otherwise, const json::Range<double>& range = {});
  bool flag(std::string_view key, bool otherwise);
  std::string text(std::string_view key, std::string otherwise);
  const json::Value* value(std::string_view key);  // a null pointer if the key is missing or has JSON's null

  bool is_null(std::string_view key) const;  // whether the key is there with JSON's null, Python's None

  // Accepts these keys with any value; they have no effect on the result.
  void ignore(std::initializer_list<std::string_view> keys);
  // Adds the problem `"clipnorm" is not offered yet` for each of these keys that is not missing, null, false
  // or 0.
  void not_offered(std::initializer_list<std::string_view> keys);
  void problem(std::string_view key, std::string fact, std::string remedy = {});
  // Reports every key that was not read as an unknown key.
  void finish(json::PassedOver* passed = nullptr);

 private:
  const json::Value* config_;
  std::optional<json::Reader> reader_{};
  Problems* problems_;
};

}  // namespace wt::model
