#include "train/callbacks/file_name.h"

#include <fmt/format.h>

#include <regex>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "tensor/print_numpy.h"

namespace wt::train {

namespace {

constexpr std::string_view remedy =
    R"(write a field as {epoch:02d} or {val_loss:.2f}, and a brace as {{ or }})";

std::string print_field(std::string_view name, std::string_view format, const Fields& fields) {
  const auto field = fields.find(name);
  if (field == fields.end()) {
    std::vector<std::string_view> known;
    for (const auto& [each, value] : fields) known.push_back(each);
    throw InputError(fmt::format("there is no field \"{}\"", name), did_you_mean(name, known));
  }
  const auto* number = std::get_if<double>(&field->second);
  if (number != nullptr && format.empty()) return print_as_python(*number);
  try {
    return std::visit(
        [&](const auto value) { return fmt::format(fmt::runtime(fmt::format("{{:{}}}", format)), value); },
        field->second);
  } catch (const fmt::format_error&) {
    throw InputError(fmt::format("\"{}\" is no format for \"{}\", which is {}", format, name,
                                 number != nullptr                                    ? "a float"
                                 : std::holds_alternative<std::string>(field->second) ? "a text"
                                                                                      : "a whole number"),
                     std::string(remedy));
  }
}

}  // namespace

void add_number(Fields& fields, const std::string& name, float value) {
  fields[name] = static_cast<double>(value);
  fields[name + "*100"] = static_cast<double>(value * 100);
  fields[name + "!s"] =
      fmt::format("tf.Tensor({}, shape=(), dtype=float32)", print_numpy(Tensor::of<float>({}, {value})));
}

std::string filled(std::string_view pattern, const Fields& fields) {
  std::string text;
  while (!pattern.empty()) {
    const char first = pattern.front();
    const bool is_doubled = pattern.size() > 1 && pattern[1] == first;
    if ((first != '{' && first != '}') || is_doubled) {
      text += first;
      pattern.remove_prefix(first == '{' || first == '}' ? 2 : 1);
      continue;
    }
    const std::size_t end = pattern.find('}');
    if (first == '}' || end == std::string_view::npos)
      throw InputError(fmt::format("a '{}' stands alone", first), std::string(remedy));
    const std::string_view field = pattern.substr(1, end - 1);
    const std::size_t colon = std::min(field.find(':'), field.size());
    text += print_field(field.substr(0, colon), colon < field.size() ? field.substr(colon + 1) : "", fields);
    pattern.remove_prefix(end + 1);
  }
  return text;
}

std::string example_of_name(std::string_view pattern) {
  static const std::regex field(R"(\{[^{}]*\})");
  return std::regex_replace(std::string(pattern), field, "1");
}

std::string print_as_python(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

}  // namespace wt::train
