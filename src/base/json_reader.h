#pragma once
// Reads a JSON object key by key and reports everything that is wrong with it at once. When a value is
// missing or has the wrong type, the reader adds a Problem, returns a default value and continues. The caller
// must therefore check `problems` before it uses the values.
//
//   json::Reader reader(value, problems);
//   auto memory = reader.required<Bytes>("memory");
//   auto steps = reader.optional<std::int64_t>("steps", 1, {.at_least = 1});
//   auto strategy = reader.one_of("strategy", strategies);
//   reader.finish();            // reports keys that were not read, such as a misspelt "memroy"
//   problems.throw_if_any();    // throws one InputError with all problems

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json.h"
#include "base/quantity.h"
#include "base/suggest.h"

namespace wt::json {

// The legal values of a number or a quantity. The range of a list applies to each of its entries.
template <class T>
struct Range {
  std::optional<T> at_least{};
  std::optional<T> above{};
  std::optional<T> at_most{};
};
inline constexpr Range<double> not_negative{.at_least = 0.0};
inline constexpr Range<double> positive{.above = 0.0};

// Entry<T>::type is T, and the type of the entries if T is a list.
template <class T>
struct Entry {
  using type = T;
};
template <class T>
struct Entry<std::vector<T>> {
  using type = T;
};
template <class T>
using RangeOf = Range<typename Entry<T>::type>;

// A row of a table for Reader::one_of, which maps names to values: {"float32", Type::float32}.
template <class T>
struct Named {
  std::string_view name{};
  T value{};
};

// Converts a JSON value to T, which is bool, int, std::int64_t, double, std::string, one of the five
// quantities, or a vector of one of these. Returns nothing and adds a problem if the value has another type
// or is out of range. Whole numbers may be written as 1e6.
template <class T>
std::optional<T> convert(const Value& value, Problems& problems, const RangeOf<T>& range = {});

// Keys that a reader doesn't know and that were passed over, because their values stand for nothing.
using PassedOver = std::set<std::string>;

// Whether a value is null, false, or an empty string, list or object.
bool stands_for_nothing(const Value& value);

class Reader {
 public:
  // Adds a problem if the value is not an object. The reader keeps references: `value` and `problems` must
  // outlive it.
  Reader(const Value& value, Problems& problems);

  // The value of a key that has no default. Adds a problem if the key is missing.
  template <class T>
  T required(std::string_view key, const RangeOf<T>& range = {}) {
    const Value* value = require(key);
    return value == nullptr ? T{} : convert<T>(*value, *problems_, range).value_or(T{});
  }
  // The value of a key, or `otherwise` if the key is missing or its value is wrong.
  template <class T>
  T optional(std::string_view key, T otherwise, const RangeOf<T>& range = {}) {
    const Value* value = look_up(key);
    return value == nullptr ? otherwise : convert<T>(*value, *problems_, range).value_or(otherwise);
  }
  // The value of a key, or nothing if the key is missing or its value is wrong.
  template <class T>
  std::optional<T> maybe(std::string_view key, const RangeOf<T>& range = {}) {
    const Value* value = look_up(key);
    return value == nullptr ? std::nullopt : convert<T>(*value, *problems_, range);
  }

  // Looks the string at `key` up in a table of rows with the members `name` and `value` (Named<T>), and
  // returns `value`. The key is required in the first form, and optional with the default `otherwise` in the
  // second one.
  template <class Table>
  auto one_of(std::string_view key, const Table& table) {
    using Result = std::remove_cvref_t<decltype(std::begin(table)->value)>;
    const Value* value = require(key);
    return value == nullptr ? Result{} : choose(key, *value, table, Result{});
  }
  template <class Table, class Result>
  Result one_of(std::string_view key, const Table& table, Result otherwise) {
    const Value* value = look_up(key);
    return value == nullptr ? otherwise : choose(key, *value, table, otherwise);
  }

  // Readers of nested objects. If a required object is missing, that is one problem, and the returned reader
  // is silent: it returns default values and adds no further problems.
  Reader object(std::string_view key);
  std::optional<Reader> optional_object(std::string_view key);
  std::vector<Reader> objects(std::string_view key);  // a list of objects
  const Value::Elements& array(std::string_view key);
  // The value itself, for values that may have several forms. nullptr if the key is missing.
  const Value* value(std::string_view key) { return look_up(key); }

  bool was_read(std::string_view key) const { return std::ranges::find(read_, key) != read_.end(); }
  bool has(std::string_view key) const { return object_ != nullptr && object_->find(key) != nullptr; }
  Place place() const { return object_ == nullptr ? Place{} : object_->place(); }
  Place place(std::string_view key) const;  // the place of the value, or of the object if the key is missing
  // Adds a problem at the value of `key`, for checks that the reader can't make.
  void problem(std::string_view key, std::string fact, std::string remedy = {});

  // Adds a problem for every key of the object that was not read. Call it after all keys have been read.
  // `$schema` and `description` are legal in every object.
  void finish();
  // The same for files of another program, whose next version may write further keys: unknown keys whose
  // values stand for nothing are added to `passed` instead.
  void finish(PassedOver& passed);

 private:
  Reader() = default;
  static Reader silent(Problems& problems);
  const Value* look_up(std::string_view key);
  const Value* require(std::string_view key);
  void finish(PassedOver* passed);
  std::optional<std::size_t> choose_index(std::string_view key, const Value& value,
                                          const std::vector<std::string_view>& names);

  template <class Table, class Result>
  Result choose(std::string_view key, const Value& value, const Table& table, Result otherwise) {
    std::vector<std::string_view> names;
    for (const auto& row : table) names.push_back(row.name);
    const std::optional<std::size_t> index = choose_index(key, value, names);
    return index ? std::next(std::begin(table), static_cast<std::ptrdiff_t>(*index))->value : otherwise;
  }

  const Value* object_ = nullptr;
  Problems* problems_ = nullptr;
  std::vector<std::string_view> read_{};  // keys that were read and exist, as views into the tree
  std::vector<std::string> absent_{};     // keys that were read and don't exist, which finish() may suggest
};

}  // namespace wt::json
