#include "base/json_reader.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/narrow.h"
#include "base/plausible.h"
#include "base/power.h"
#include "base/utf8.h"

namespace wt::json {
namespace {

template <class T>
constexpr bool is_quantity = false;
template <class Kind, class Number>
constexpr bool is_quantity<Quantity<Kind, Number>> = true;

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;

template <class T>
std::string_view describe_type() {
  if constexpr (std::is_same_v<T, bool>) return describe(Kind::boolean);
  if constexpr (std::is_same_v<T, double>) return describe(Kind::real);
  if constexpr (std::is_same_v<T, std::string>) return describe(Kind::string);
  if constexpr (is_list<T>) return describe(Kind::array);
  return describe(Kind::integer);
}

std::string show(std::int64_t value) { return fmt::format("{}", value); }
std::string show(int value) { return fmt::format("{}", value); }
std::string show(double value) { return fmt::format("{}", value); }
std::string show(bool value) { return value ? "true" : "false"; }
std::string show(const std::string& value) { return fmt::format("\"{}\"", value); }
template <class Kind, class Number>
std::string show(Quantity<Kind, Number> value) {
  return print(value);
}

// The value as a whole number, if it is one. 1e6 and 2.0 are whole numbers, too, as long as a double holds
// them exactly.
std::optional<std::int64_t> whole(const Value& value) {
  if (value.kind() == Kind::integer) return value.integer();
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (value.kind() != Kind::real || std::trunc(value.real()) != value.real()) return std::nullopt;
  if (std::abs(value.real()) > exact) return std::nullopt;
  return static_cast<std::int64_t>(value.real());
}

template <class T>
std::optional<T> read_plain(const Value& value) {
  const Kind kind = value.kind();
  if constexpr (std::is_same_v<T, bool>) {
    if (kind == Kind::boolean) return value.boolean();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (kind == Kind::string) return value.string();
  } else if constexpr (std::is_same_v<T, double>) {
    if (kind == Kind::real) return value.real();
    if (kind == Kind::integer) return static_cast<double>(value.integer());
  } else {
    return whole(value);
  }
  return std::nullopt;
}

template <class T>
std::optional<T> read_quantity(const Value& value, Problems& problems) {
  if (value.kind() == Kind::string) {
    Parsed<T> parsed = parse_plausible<T>(value.string());
    if (!parsed.value) problems.add(value.place(), parsed.fact, parsed.remedy);
    return parsed.value;
  }
  const bool is_number = value.kind() == Kind::integer || value.kind() == Kind::real;
  problems.add(value.place(),
               is_number ? fmt::format("{} has no unit", value.text())
                         : fmt::format("expected a quantity with a unit, found {}", describe(value.kind())),
               unit_remedy<T>());
  return std::nullopt;
}

template <class T>
std::optional<T> in_range(std::optional<T> read, const Value& value, Problems& problems,
                          const Range<T>& range) {
  if (!read) return read;
  std::string fault;
  if (range.at_least && *read < *range.at_least) fault = "at least " + show(*range.at_least);
  if (range.above && !(*range.above < *read)) fault = "above " + show(*range.above);
  if (range.at_most && *range.at_most < *read) fault = "at most " + show(*range.at_most);
  if (fault.empty()) return read;
  problems.add(value.place(), fmt::format("{} is out of range", show(*read)),
               fmt::format("it must be {}", fault));
  return std::nullopt;
}

template <class T>
std::optional<T> read_scalar(const Value& value, Problems& problems, const Range<T>& range) {
  if constexpr (is_quantity<T>) {
    return in_range(read_quantity<T>(value, problems), value, problems, range);
  } else if constexpr (std::is_same_v<T, int>) {
    const std::optional<std::int64_t> wide = read_scalar<std::int64_t>(value, problems, {});
    if (wide && !std::in_range<int>(*wide)) {
      problems.add(value.place(), fmt::format("{} is out of range", *wide),
                   fmt::format("it must be at most {} in size", std::numeric_limits<int>::max()));
      return std::nullopt;
    }
    return in_range(wide ? std::optional<int>(narrow<int>(*wide)) : std::nullopt, value, problems, range);
  } else {
    const std::optional<T> read = read_plain<T>(value);
    if (!read) {
      const std::string found =
          value.kind() == Kind::real ? std::string(value.text()) : std::string(describe(value.kind()));
      problems.add(value.place(), fmt::format("expected {}, found {}", describe_type<T>(), found));
    }
    return in_range(read, value, problems, range);
  }
}

}  // namespace

template <class T>
std::optional<T> convert(const Value& value, Problems& problems, const RangeOf<T>& range) {
  if constexpr (is_list<T>) {
    if (value.kind() != Kind::array) {
      problems.add(value.place(), fmt::format("expected a list, found {}", describe(value.kind())));
      return std::nullopt;
    }
    T list;
    for (const Value& element : value.elements()) {
      auto read = read_scalar<typename T::value_type>(element, problems, range);
      if (read) list.push_back(*read);
    }
    return list.size() == value.elements().size() ? std::optional<T>(std::move(list)) : std::nullopt;
  } else {
    return read_scalar<T>(value, problems, range);
  }
}

Reader::Reader(const Value& value, Problems& problems) : problems_(&problems) {
  if (value.kind() == Kind::object) {
    object_ = &value;
  } else {
    problems.add(value.place(), fmt::format("expected an object, found {}", describe(value.kind())));
  }
}

Reader Reader::silent(Problems& problems) {
  Reader reader;
  reader.problems_ = &problems;
  return reader;
}

const Value* Reader::look_up(std::string_view key) {
  if (object_ == nullptr) return nullptr;
  // read_ keeps a view of the member's key, which lives as long as the tree, and not of the caller's
  // argument.
  for (const Member& member : object_->members()) {
    if (member.key != key) continue;
    read_.push_back(member.key);
    return &member.value;
  }
  absent_.emplace_back(key);
  return nullptr;
}

const Value* Reader::require(std::string_view key) {
  const Value* value = look_up(key);
  if (value == nullptr && object_ != nullptr) {
    problems_->add(object_->place(), fmt::format("this object has no \"{}\"", key),
                   fmt::format("add \"{}\": it has no default", key));
  }
  return value;
}

Reader Reader::object(std::string_view key) {
  const Value* value = require(key);
  return value == nullptr ? silent(*problems_) : Reader(*value, *problems_);
}

std::optional<Reader> Reader::optional_object(std::string_view key) {
  const Value* value = look_up(key);
  return value == nullptr ? std::nullopt : std::optional<Reader>(Reader(*value, *problems_));
}

const Value::Elements& Reader::array(std::string_view key) {
  static const Value::Elements none;
  const Value* value = require(key);
  if (value == nullptr) return none;
  if (value->kind() == Kind::array) return value->elements();
  problems_->add(value->place(), fmt::format("expected a list, found {}", describe(value->kind())));
  return none;
}

std::vector<Reader> Reader::objects(std::string_view key) {
  std::vector<Reader> readers;
  for (const Value& element : array(key)) readers.push_back(Reader(element, *problems_));
  return readers;
}

Place Reader::place(std::string_view key) const {
  const Value* value = object_ == nullptr ? nullptr : object_->find(key);
  return value == nullptr ? place() : value->place();
}

void Reader::problem(std::string_view key, std::string fact, std::string remedy) {
  if (object_ != nullptr) problems_->add(place(key), std::move(fact), std::move(remedy));
}

std::optional<std::size_t> Reader::choose_index(std::string_view key, const Value& value,
                                                const std::vector<std::string_view>& names) {
  if (value.kind() != Kind::string) {
    problems_->add(value.place(), fmt::format("expected a string, found {}", describe(value.kind())),
                   list_known(names));
    return std::nullopt;
  }
  const auto found = std::find(names.begin(), names.end(), value.string());
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::string noun(key);
  std::replace(noun.begin(), noun.end(), '_', ' ');
  problems_->add(value.place(), fmt::format("unknown {} \"{}\"", noun, printable(value.string())),
                 did_you_mean(value.string(), names));
  return std::nullopt;
}

bool stands_for_nothing(const Value& value) {
  switch (value.kind()) {
    case Kind::null:
      return true;
    case Kind::boolean:
      return !value.boolean();
    case Kind::string:
      return value.string().empty();
    case Kind::array:
      return value.elements().empty();
    case Kind::object:
      return value.members().empty();
    case Kind::integer:
    case Kind::real:
      break;
  }
  return false;
}

void Reader::finish() { finish(nullptr); }

void Reader::finish(PassedOver& passed) { finish(&passed); }

void Reader::finish(PassedOver* passed) {
  if (object_ == nullptr) return;
  std::vector<std::string_view> known(read_.begin(), read_.end());
  known.insert(known.end(), absent_.begin(), absent_.end());
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const Member& member : object_->members()) {
    if (member.key == "$schema" || member.key == "description") continue;
    if (std::binary_search(known.begin(), known.end(), member.key)) continue;
    // "use_bais": false is a misspelt key whose value says something, so it is a problem all the same.
    const bool is_misspelt = member.value.kind() == Kind::boolean && !nearest(member.key, known).empty();
    if (passed != nullptr && stands_for_nothing(member.value) && !is_misspelt) {
      passed->insert(member.key);
      continue;
    }
    problems_->add(member.key_place(), fmt::format("unknown key \"{}\"", printable(member.key)),
                   did_you_mean(member.key, known));
  }
}

#define WT_INSTANTIATE(T)                                                                 \
  template std::optional<T> convert<T>(const Value&, Problems&, const RangeOf<T>&);       \
  template std::optional<std::vector<T>> convert<std::vector<T>>(const Value&, Problems&, \
                                                                 const RangeOf<std::vector<T>>&);
WT_INSTANTIATE(bool)
WT_INSTANTIATE(int)
WT_INSTANTIATE(std::int64_t)
WT_INSTANTIATE(double)
WT_INSTANTIATE(std::string)
WT_INSTANTIATE(Bytes)
WT_INSTANTIATE(Seconds)
WT_INSTANTIATE(Flops)
WT_INSTANTIATE(BytesPerSecond)
WT_INSTANTIATE(FlopsPerSecond)
WT_INSTANTIATE(Watts)
#undef WT_INSTANTIATE

}  // namespace wt::json
