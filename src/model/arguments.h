#pragma once
// The arguments of a loss or a metric by name, to read them from JSON and to write them there.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/json_reader.h"
#include "base/json_writer.h"
#include "model/serialized.h"

namespace wt::model {

// A function that names the arguments of a class is written once, and both directions call it:
//
//   arguments.integer("k", options.k, {.at_least = 1});
class Arguments {
 public:
  using Integers = json::Range<std::int64_t>;
  using Numbers = json::Range<double>;

  // Without a config all arguments have their defaults.
  Arguments(const json::Value* config, Place place, Problems& problems);
  explicit Arguments(json::Writer& out) : out_(&out) {}

  void number(std::string_view key, double& value, const Numbers& range = {});
  void number(std::string_view key, std::optional<double>& value, const Numbers& range = {});
  void required(std::string_view key, double& value, const Numbers& range = {});
  void required(std::string_view key, std::int64_t& value, const Integers& range = {});
  void integer(std::string_view key, std::int64_t& value, const Integers& range = {});
  void integer(std::string_view key, std::optional<std::int64_t>& value, const Integers& range = {});
  void integers(std::string_view key, std::vector<std::int64_t>& values, const Integers& range = {});
  // One axis or a list of them; null or none are all axes.
  void axes(std::string_view key, std::vector<std::int64_t>& values);
  void flag(std::string_view key, bool& value);
  // One number, a list of numbers, or a list of such lists, whose numbers follow each other.
  void numbers(std::string_view key, std::vector<double>& values, const Numbers& range = {});
  // `chosen` is the position of a name; an empty name is Python's None.
  void choice(std::string_view key, std::size_t& chosen, std::span<const std::string_view> names);

  // A problem at a key of the config, or at the object.
  void refuse(std::string_view key, std::string fact, std::string remedy = {});
  bool reads() const { return out_ == nullptr; }
  bool has_null(std::string_view key) const;  // the config has null at this key
  ConfigReader& reader() { return *reader_; }

 private:
  template <class T>
  void convert(std::string_view key, T& value, const json::RangeOf<T>& range);
  template <class T>
  void require(std::string_view key, T& value, const json::RangeOf<T>& range);
  void append(const json::Value& found, std::vector<double>& values, const Numbers& range);

  json::Writer* out_ = nullptr;
  std::optional<ConfigReader> reader_{};
  const json::Value* config_ = nullptr;
  Place place_{};
  Problems* problems_ = nullptr;
};

}  // namespace wt::model
