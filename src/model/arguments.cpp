#include "model/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace wt::model {

namespace {

// Keras takes "pr" and "PR".
bool are_alike(std::string_view a, std::string_view b) {
  const auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
  return std::ranges::equal(a, b, [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

Arguments::Arguments(const json::Value* config, Place place, Problems& problems)
    : config_(config), place_(std::move(place)), problems_(&problems) {
  reader_.emplace(config, problems);
}

template <class T>
void Arguments::convert(std::string_view key, T& value, const json::RangeOf<T>& range) {
  if (const json::Value* found = reader_->value(key))
    value = json::convert<T>(*found, *problems_, range).value_or(value);
}

template <class T>
void Arguments::require(std::string_view key, T& value, const json::RangeOf<T>& range) {
  if (!reads()) {
    out_->member(key, value);
    return;
  }
  if (reader_->value(key) == nullptr)
    return problems_->add(place_, fmt::format("the metric has no \"{}\"", key),
                          fmt::format(R"(write {{"class_name": ..., "config": {{"{}": ...}}}})", key));
  convert(key, value, range);
}

void Arguments::required(std::string_view key, double& value, const Numbers& range) {
  require(key, value, range);
}

void Arguments::required(std::string_view key, std::int64_t& value, const Integers& range) {
  require(key, value, range);
}

void Arguments::number(std::string_view key, double& value, const Numbers& range) {
  reads() ? convert(key, value, range) : static_cast<void>(out_->member(key, value));
}

void Arguments::number(std::string_view key, std::optional<double>& value, const Numbers& range) {
  if (!reads()) {
    if (value) out_->member(key, *value);
  } else if (const json::Value* found = reader_->value(key)) {
    value = json::convert<double>(*found, *problems_, range);
  }
}

void Arguments::integer(std::string_view key, std::int64_t& value, const Integers& range) {
  reads() ? convert(key, value, range) : static_cast<void>(out_->member(key, value));
}

void Arguments::integer(std::string_view key, std::optional<std::int64_t>& value, const Integers& range) {
  if (!reads()) {
    if (value) out_->member(key, *value);
  } else if (const json::Value* found = reader_->value(key)) {
    value = json::convert<std::int64_t>(*found, *problems_, range);
  }
}

void Arguments::integers(std::string_view key, std::vector<std::int64_t>& values, const Integers& range) {
  if (reads()) return convert(key, values, range);
  out_->key(key).begin_array(json::Layout::one_line);
  for (const std::int64_t value : values) out_->value(value);
  out_->end_array();
}

void Arguments::axes(std::string_view key, std::vector<std::int64_t>& values) {
  if (!reads()) {
    if (!values.empty()) integers(key, values);
    return;
  }
  const json::Value* found = reader_->value(key);
  if (found == nullptr) return;
  if (found->kind() == json::Kind::array) return convert(key, values, {});
  if (const auto one = json::convert<std::int64_t>(*found, *problems_)) values = {*one};
}

void Arguments::flag(std::string_view key, bool& value) {
  reads() ? convert(key, value, {}) : static_cast<void>(out_->member(key, value));
}

void Arguments::append(const json::Value& found, std::vector<double>& values, const Numbers& range) {
  if (found.kind() == json::Kind::array) {
    for (const json::Value& element : found.elements()) append(element, values, range);
  } else if (const auto number = json::convert<double>(found, *problems_, range)) {
    values.push_back(*number);
  }
}

void Arguments::numbers(std::string_view key, std::vector<double>& values, const Numbers& range) {
  if (reads()) {
    const json::Value* found = reader_->value(key);
    if (found == nullptr) return;
    values.clear();
    return append(*found, values, range);
  }
  if (values.empty()) return;
  out_->key(key).begin_array(json::Layout::one_line);
  for (const double value : values) out_->value(value);
  out_->end_array();
}

void Arguments::choice(std::string_view key, std::size_t& chosen, std::span<const std::string_view> names) {
  if (!reads()) {
    names[chosen].empty() ? out_->key(key).null() : out_->member(key, names[chosen]);
    return;
  }
  const json::Value* found = reader_->value(key);
  if (found == nullptr) return;
  const auto text = json::convert<std::string>(*found, *problems_);
  if (!text) return;
  const auto name =
      std::ranges::find_if(names, [&](std::string_view each) { return are_alike(each, *text); });
  if (!text->empty() && name != names.end()) {
    chosen = static_cast<std::size_t>(name - names.begin());
    return;
  }
  std::vector<std::string_view> known;
  std::ranges::copy_if(names, std::back_inserter(known), [](std::string_view each) { return !each.empty(); });
  problems_->add(found->place(), fmt::format("\"{}\" is \"{}\"", key, *text), did_you_mean(*text, known));
}

bool Arguments::has_null(std::string_view key) const {
  const json::Value* found =
      config_ != nullptr && config_->kind() == json::Kind::object ? config_->find(key) : nullptr;
  return found != nullptr && found->kind() == json::Kind::null;
}

void Arguments::refuse(std::string_view key, std::string fact, std::string remedy) {
  config_ != nullptr ? reader_->problem(key, std::move(fact), std::move(remedy))
                     : problems_->add(place_, std::move(fact), std::move(remedy));
}

}  // namespace wt::model
