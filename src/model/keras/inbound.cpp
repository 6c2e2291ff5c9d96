#include "model/keras/inbound.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_reader.h"
#include "base/utf8.h"
#include "model/layers/operation.h"

namespace wt::model::keras {

namespace {

using json::Kind;
using json::Value;

std::string_view text_of(const Value& object, std::string_view key) {
  const Value* value = object.find(key);
  return value != nullptr && value->kind() == Kind::string ? std::string_view(value->string()) : "";
}

// A reference is a list [layer, call, output]. In Keras 2 the keyword arguments of the call may follow as an
// object.
bool is_reference(const Value& value) {
  if (value.kind() != Kind::array) return false;
  const Value::Elements& e = value.elements();
  return (e.size() == 3 || (e.size() == 4 && e[3].kind() == Kind::object)) && e[0].kind() == Kind::string &&
         e[1].kind() == Kind::integer && e[2].kind() == Kind::integer;
}

bool starts_with_word(const Value& value, std::string_view word) {
  return value.kind() == Kind::array && !value.elements().empty() &&
         value.elements()[0].kind() == Kind::string && value.elements()[0].string() == word;
}

std::optional<double> number_of(const Value& value) {
  if (value.kind() == Kind::integer) return static_cast<double>(value.integer());
  if (value.kind() == Kind::real) return value.real();
  return std::nullopt;
}

// A number, a list of numbers, or true or false as 1 or 0.
std::optional<std::vector<double>> numbers_in(const Value& value) {
  if (value.kind() == Kind::boolean) return std::vector<double>{value.boolean() ? 1.0 : 0.0};
  if (const auto number = number_of(value)) return std::vector<double>{*number};
  if (value.kind() != Kind::array) return std::nullopt;
  std::vector<double> all;
  for (const Value& element : value.elements()) {
    const auto number = number_of(element);
    if (!number) return std::nullopt;
    all.push_back(*number);
  }
  return all;
}

// Walks through the arguments of a call and collects the references and the call's options.
class Collecting {
 public:
  Collecting(Problems& problems, Callee callee) : problems_(problems), callee_(callee) {}

  void arguments(const Value& value) {
    if (starts_with_word(value, "_CONSTANT_VALUE"))
      constant(value);
    else if (starts_with_word(value, "_COMPOSITE_TYPE"))
      problems_.add(value.place(), "an argument that is not the output of a layer is not offered",
                    "layers may be called on other layers' outputs only");
    else if (is_reference(value))
      reference(value);
    else if (value.kind() == Kind::array)
      for (const Value& element : value.elements()) arguments(element);
    else if (value.kind() == Kind::object)
      object(value);
    else if (const auto number = number_of(value))
      add_number(value, *number);
    else if (value.kind() != Kind::null)
      problems_.add(value.place(), fmt::format("expected a layer's output, found {}", describe(value.kind())),
                    "write [layer, call, output]");
  }

  // Keyword arguments that are tensors become inputs, in this order; a mask comes last.
  void keywords(const Value& value) {
    if (value.kind() != Kind::object) return;
    if (callee_ != Callee::layer) return keywords_of_operation(value);
    for (const std::string_view key : tensor_keywords)
      if (const Value* tensor = value.find(key); tensor != nullptr) arguments(*tensor);
    if (const Value* pairs = value.find("attention_mask"); pairs && pairs->kind() != Kind::null) {
      arguments(*pairs);
      options.attention_mask_is_last = true;
    }
    if (const Value* mask = value.find("mask"); mask != nullptr) masks(*mask);
    for (const json::Member& member : value.members()) keyword(member);
  }

  // Keras 2 writes the keyword arguments behind every input of the call.
  void repeated_keywords() {
    if (repeated_ != nullptr) keywords(*repeated_);
  }

  // Of x[...]: one slice, or a list of them. Keras 3 writes {"class_name": "__slice__", "config": {"start": ...}}, Keras
  // 2 only the inner object.
  void slices(const Value& value) {
    if (value.kind() == Kind::array)
      for (const Value& element : value.elements()) slice(element);
    else
      slice(value);
  }

  std::vector<Reference> found{};
  CallOptions options{};

 private:
  // One mask, or a list with a mask or null for each input.
  void masks(const Value& value) {
    const bool is_list = value.kind() == Kind::array && !is_reference(value);
    const std::span<const Value> all =
        is_list ? std::span<const Value>(value.elements()) : std::span<const Value>(&value, 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].kind() == Kind::null) continue;
      const std::size_t before = found.size();
      arguments(all[i]);
      if (found.size() == before + 1)
        options.masked_inputs.push_back(i);
      else
        problems_.add(all[i].place(), "a mask that is no tensor is not offered",
                      "pass the output of a layer");
    }
  }

  // ["_CONSTANT_VALUE", -1, number, keyword arguments]
  void constant(const Value& value) {
    const Value::Elements& e = value.elements();
    const std::optional<double> number = e.size() >= 3 ? number_of(e[2]) : std::nullopt;
    if (number)
      add_number(value, *number);
    else
      problems_.add(value.place(), "an argument that is a list of numbers is not offered",
                    "operations may be called on other layers' outputs, and on single numbers");
    if (number && e.size() == 4) repeated_ = &e[3];
  }

  void add_number(const Value& value, double number) {
    if (callee_ == Callee::layer)
      return problems_.add(value.place(), "an argument that is not the output of a layer is not offered",
                           "layers may be called on other layers' outputs only");
    options.constants.emplace_back(found.size() + options.constants.size(), number);
  }

  // Keyword arguments that stand for a tensor or a number come next among the arguments; others are options.
  void keywords_of_operation(const Value& value) {
    for (const json::Member& member : value.members()) {
      if (member.key == "name" || member.value.kind() == Kind::null) continue;
      if (member.key == "slice_spec")
        slices(member.value);
      else if (is_reference(member.value) || std::ranges::count(operands, member.key) > 0)
        arguments(member.value);
      else if (const auto numbers = numbers_in(member.value);
               numbers && std::ranges::count(options_of_operations, member.key) > 0 &&
               std::ranges::all_of(*numbers, is_axis_or_extent))
        options.keywords.insert_or_assign(member.key, *numbers);
      else if (!numbers || !json::stands_for_nothing(member.value))
        problems_.add(
            member.key_place(),
            fmt::format("an operation with the argument \"{}\" is not offered", printable(member.key)),
            "its arguments may be outputs of layers, numbers, and lists of numbers");
    }
  }

  void slice(const Value& value) {
    const bool is_object = value.kind() == Kind::object;
    if (value.kind() == Kind::null) return options.slices.push_back({Slice::Kind::new_axis, {}, {}, 1});
    if (value.kind() == Kind::integer)
      return options.slices.push_back({Slice::Kind::index, value.integer(), {}, 1});
    if (is_object && text_of(value, "class_name") == "__ellipsis__")
      return options.slices.push_back({Slice::Kind::ellipsis, {}, {}, 1});
    const Value* config = is_object ? value.find("config") : nullptr;
    const Value& range = config == nullptr ? value : *config;
    const auto end = [&](std::string_view key) -> std::optional<std::int64_t> {
      const Value* given = range.kind() == Kind::object ? range.find(key) : nullptr;
      return given != nullptr && given->kind() == Kind::integer ? std::optional(given->integer())
                                                                : std::nullopt;
    };
    const bool is_range = range.kind() == Kind::object && range.find("start") != nullptr;
    if (!is_range) problems_.add(value.place(), "a slice by a tensor is not offered", "slice by numbers");
    options.slices.push_back({Slice::Kind::range, end("start"), end("stop"), end("step").value_or(1)});
  }

  void reference(const Value& value) {
    const Value::Elements& e = value.elements();
    found.push_back({e[0].string(), e[1].integer(), e[2].integer(), value.place()});
    if (e.size() == 4) repeated_ = &e[3];
  }

  void object(const Value& value) {
    const std::string_view class_name = text_of(value, "class_name");
    if (class_name == "__keras_tensor__") return keras_tensor(value);
    if (!class_name.empty()) {
      problems_.add(value.place(),
                    fmt::format("an argument of class {} is not offered", printable(class_name)),
                    "layers may be called on other layers' outputs only");
      return;
    }
    std::vector<const json::Member*> members;
    for (const json::Member& member : value.members()) members.push_back(&member);
    std::ranges::sort(members, {}, &json::Member::key);
    for (const json::Member* member : members) arguments(member->value);
  }

  void keras_tensor(const Value& value) {
    const Value* config = value.find("config");
    const Value* history =
        config != nullptr && config->kind() == Kind::object ? config->find("keras_history") : nullptr;
    if (history != nullptr && is_reference(*history)) return reference(*history);
    problems_.add(value.place(), "this tensor has no \"keras_history\"", "write [layer, call, output]");
  }

  void keyword(const json::Member& member) {
    const Value& value = member.value;
    const bool is_flag = value.kind() == Kind::boolean;
    const bool is_off = value.kind() == Kind::null || (is_flag && !value.boolean());
    if (member.key == "training") {
      if (is_flag)
        options.training = value.boolean();
      else if (value.kind() != Kind::null)
        problems_.add(value.place(), fmt::format("expected true or false, found {}", describe(value.kind())));
      return;
    }
    if (is_off || member.key == "mask" || member.key == "attention_mask" ||
        std::ranges::count(tensor_keywords, member.key) > 0)
      return;
    const auto* row = std::ranges::find(flags, member.key, &Flag::key);
    if (row != std::end(flags) && is_flag)
      options.*row->member = true;
    else
      problems_.add(member.key_place(),
                    fmt::format("a call with the argument \"{}\" is not offered", printable(member.key)),
                    "known: training, mask, initial_state, and the arguments of an attention");
  }

  static constexpr std::string_view tensor_keywords[] = {"query", "inputs", "value", "key", "initial_state"};
  struct Flag {
    std::string_view key{};
    bool CallOptions::*member = nullptr;
  };
  static constexpr Flag flags[] = {{"use_causal_mask", &CallOptions::use_causal_mask},
                                   {"return_attention_scores", &CallOptions::return_attention_scores}};

  static constexpr std::string_view operands[] = {"x", "y", "x1", "x2", "a", "b"};
  static constexpr std::string_view options_of_operations[] = {"axis", "keepdims",    "shape",
                                                               "perm", "transpose_a", "transpose_b"};

  Problems& problems_;
  Callee callee_;
  const Value* repeated_ = nullptr;
};

}  // namespace

Inbound read_inbound(const json::Value& node, Callee callee, Problems& problems) {
  Collecting collecting(problems, callee);
  if (node.kind() == Kind::object && node.find("args") != nullptr) {
    const Value& args = *node.find("args");
    const bool has_slices =
        callee == Callee::slicing && args.kind() == Kind::array && args.elements().size() == 2;
    collecting.arguments(has_slices ? args.elements()[0] : args);
    if (has_slices) collecting.slices(args.elements()[1]);
    if (const Value* keywords = node.find("kwargs"); keywords != nullptr) collecting.keywords(*keywords);
  } else {
    collecting.arguments(node);
    collecting.repeated_keywords();
  }
  return {std::move(collecting.found), collecting.options, node.place()};
}

std::vector<Reference> read_references(const json::Value& structure, Problems& problems) {
  Collecting collecting(problems, Callee::layer);
  collecting.arguments(structure);
  return std::move(collecting.found);
}

}  // namespace wt::model::keras
