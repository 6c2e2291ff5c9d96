#include "fuzz/mutation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/json.h"
#include "base/json_writer.h"
#include "fuzz/value.h"

namespace wt::fuzz {

namespace {

// ---- JSON as a tree that can be changed

struct Node {
  json::Kind kind{};
  std::string text{};                                  // of a value that contains no others, as JSON
  std::vector<std::pair<std::string, Node>> inside{};  // with keys; those of a list are empty
};

Node node_of(const json::Value& value) {
  Node node{.kind = value.kind()};
  if (value.kind() == json::Kind::array) {
    for (const json::Value& element : value.elements()) node.inside.emplace_back("", node_of(element));
  } else if (value.kind() == json::Kind::object) {
    for (const json::Member& member : value.members())
      node.inside.emplace_back(member.key, node_of(member.value));
  } else {
    node.text = value.kind() == json::Kind::string ? json::quote(value.string()) : std::string(value.text());
  }
  return node;
}

void print(const Node& node, std::string& text) {
  const bool is_object = node.kind == json::Kind::object;
  if (!is_object && node.kind != json::Kind::array) {
    text += node.text;
    return;
  }
  text += is_object ? '{' : '[';
  for (const auto& [key, value] : node.inside) {
    if (&value != &node.inside.front().second) text += ", ";
    if (is_object) text += json::quote(key) + ": ";
    print(value, text);
  }
  text += is_object ? '}' : ']';
}

std::optional<Node> parsed(const std::string& text) {
  try {
    return node_of(json::parse(text, "mutant"));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// ---- What a schema allows

using Schemas = std::vector<const json::Value*>;

class Schema {
 public:
  explicit Schema(std::string_view file)
      : tree_(json::parse_file(std::string(WT_SOURCE_DIR) + "/" + std::string(file))) {}

  // The forms that a value may have.
  Schemas forms() const { return forms_of(tree_); }

  // The forms of a member, whose key is empty in a list.
  Schemas inside(const Schemas& around, const std::string& key) const {
    Schemas found;
    for (const json::Value* form : around) {
      const json::Value* properties = form->find("properties");
      const json::Value* one = properties != nullptr ? properties->find(key) : nullptr;
      if (key.empty()) one = form->find("items");
      if (one == nullptr) one = form->find("additionalProperties");
      if (one == nullptr || one->kind() != json::Kind::object) continue;
      const Schemas forms = forms_of(*one);
      found.insert(found.end(), forms.begin(), forms.end());
    }
    return found;
  }

  // A value of this form, or nearly so.
  Node example(const json::Value& form, Random& random, int depth = 0) const {
    if (const json::Value* words = form.find("enum")) return node_of(any_of(words->elements(), random));
    if (const json::Value* word = form.find("const")) return node_of(*word);
    if (const json::Value* inside = form.find("properties"); inside != nullptr && depth < 4)
      return object(form, *inside, random, depth);
    if (const json::Value* items = form.find("items"); items != nullptr && depth < 4) {
      Node list{.kind = json::Kind::array};
      for (std::size_t left = random() % 4; left > 0; --left)
        list.inside.emplace_back("", example(any_form(*items, random), random, depth + 1));
      return list;
    }
    if (const json::Value* type = form.find("type"); type != nullptr && type->kind() == json::Kind::string)
      return scalar(type->string(), random);
    return {.kind = json::Kind::string, .text = any_value(random)};
  }

 private:
  // Follows references and alternatives.
  Schemas forms_of(const json::Value& schema, int depth = 0) const {
    if (depth > 8) return {};
    if (const json::Value* reference = schema.find("$ref")) {
      const std::string& path = reference->string();  // "#/definitions/model"
      const json::Value* found = tree_.find("definitions")->find(path.substr(path.rfind('/') + 1));
      return found == nullptr ? Schemas{} : forms_of(*found, depth + 1);
    }
    Schemas forms;
    for (const char* word : {"anyOf", "oneOf"})
      if (const json::Value* alternatives = schema.find(word))
        for (const json::Value& alternative : alternatives->elements())
          for (const json::Value* form : forms_of(alternative, depth + 1)) forms.push_back(form);
    if (forms.empty() || schema.find("properties") != nullptr) forms.push_back(&schema);
    return forms;
  }

  const json::Value& any_form(const json::Value& schema, Random& random) const {
    const Schemas forms = forms_of(schema);
    return forms.empty() ? schema : *any_of(forms, random);
  }

  static bool is_required(const json::Value& form, const std::string& key) {
    const json::Value* required = form.find("required");
    return required != nullptr && std::ranges::any_of(required->elements(), [&](const json::Value& name) {
             return name.string() == key;
           });
  }

  Node object(const json::Value& form, const json::Value& inside, Random& random, int depth) const {
    Node node{.kind = json::Kind::object};
    for (const json::Member& member : inside.members())
      if (is_required(form, member.key) || member.value.find("const") != nullptr || random() % 8 == 0)
        node.inside.emplace_back(member.key, example(any_form(member.value, random), random, depth + 1));
    return node;
  }

  static Node scalar(const std::string& type, Random& random) {
    if (random() % 4 == 0) return {.kind = json::Kind::string, .text = any_value(random)};
    if (type == "integer" || type == "number")
      return {.kind = json::Kind::integer, .text = any_number(random)};
    if (type == "boolean") return {.kind = json::Kind::boolean, .text = random() % 2 == 0 ? "true" : "false"};
    return {.kind = json::Kind::string, .text = quoted(any_text(random))};
  }

  json::Value tree_;
};

const Schema& schema_of(std::string_view file) {
  static std::map<std::string_view, Schema> read;
  const auto found = read.find(file);
  return found != read.end() ? found->second : read.emplace(file, Schema(file)).first->second;
}

// ---- Changes of a tree

struct Spot {
  Node* node = nullptr;
  Schemas forms{};
};

void collect(Node& node, const Schemas& forms, const Schema* schema, std::vector<Spot>& spots) {
  spots.push_back({&node, forms});
  for (auto& [key, value] : node.inside)
    collect(value, schema == nullptr ? Schemas{} : schema->inside(forms, key), schema, spots);
}

Node any_scalar(Random& random) { return {.kind = json::Kind::string, .text = any_value(random)}; }

// Adds a member where the schema has one of this name, and otherwise an element or a key of any name.
void insert(const Spot& spot, const Schema* schema, Random& random) {
  Node& node = *spot.node;
  Schemas objects;
  for (const json::Value* form : spot.forms)
    if (form->find("properties") != nullptr) objects.push_back(form);
  if (node.kind == json::Kind::object && !objects.empty()) {
    const json::Member& member = any_of(any_of(objects, random)->find("properties")->members(), random);
    std::erase_if(node.inside, [&](const auto& old) { return old.first == member.key; });
    const Schemas forms = schema->inside(objects, member.key);
    node.inside.emplace_back(
        member.key, forms.empty() ? any_scalar(random) : schema->example(*any_of(forms, random), random));
  } else if (!node.inside.empty()) {
    node.inside.push_back(any_of(node.inside, random));
  } else if (node.kind == json::Kind::array) {
    node.inside.emplace_back("", any_scalar(random));
  }
}

void change(std::vector<Spot>& spots, const Schema* schema, Random& random) {
  const Spot& spot = any_of(spots, random);
  Node& node = *spot.node;
  const bool is_scalar = node.kind != json::Kind::object && node.kind != json::Kind::array;
  switch (random() % 8) {
    case 0:
    case 1:
      if (is_scalar) node = any_scalar(random);
      break;
    case 2:
      if (!spot.forms.empty()) node = schema->example(*any_of(spot.forms, random), random);
      break;
    case 3:
    case 4:
      insert(spot, schema, random);
      break;
    case 5:
      if (!node.inside.empty())
        node.inside.erase(node.inside.begin() + static_cast<std::ptrdiff_t>(random() % node.inside.size()));
      break;
    case 6:
      if (node.kind == json::Kind::integer || node.kind == json::Kind::real)
        node.text = near(node.text, random);
      break;
    default:
      node = Node(*any_of(spots, random).node);
  }
}

std::string changed_tree(Node tree, const Schema* schema, Random& random) {
  for (std::size_t left = 1 + random() % 4; left > 0; --left) {
    std::vector<Spot> spots;  // a change moves nodes
    collect(tree, schema == nullptr ? Schemas{} : schema->forms(), schema, spots);
    change(spots, schema, random);
  }
  std::string text;
  print(tree, text);
  return text;
}

// ---- Changes of words and bytes

constexpr std::string_view separators = " \t\n\"'<>=,;:[](){}";

// The words and what is between them, in turns.
std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at) pieces.push_back(text.substr(at, end - at));
    if (end < text.size()) pieces.emplace_back(1, text[end]);
    at = end + 1;
  }
  return pieces;
}

std::string changed_words(const std::string& text, Random& random) {
  std::vector<std::string> pieces = pieces_of(text);
  for (std::size_t left = 1 + random() % 4; left > 0 && !pieces.empty(); --left) {
    const auto at = pieces.begin() + static_cast<std::ptrdiff_t>(random() % pieces.size());
    const auto length =
        std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(1 + random() % 12), pieces.end() - at);
    switch (random() % 5) {
      case 0:
        *at = any_number(random);
        break;
      case 1:
        *at = any_of(pieces, random);
        break;
      case 2:
        *at = any_text(random);
        break;
      case 3:
        pieces.erase(at, at + length);
        break;
      default: {
        const std::vector<std::string> copy(at, at + length);
        pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(random() % pieces.size()), copy.begin(),
                      copy.end());
      }
    }
  }
  std::string changed;
  for (const std::string& piece : pieces) changed += piece;
  return changed;
}

std::string changed_bytes(std::string bytes, Random& random) {
  for (std::size_t left = 1 + random() % 4; left > 0; --left) {
    if (bytes.empty()) bytes = "0";
    const std::size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 1:
        bytes[at] = any_of(std::array<char, 6>{'\0', '\1', '\x7f', '\x80', '\xff', ' '}, random);
        break;
      case 2:
        bytes.erase(at, 1 + random() % 8);
        break;
      default:
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 16));
    }
  }
  return bytes;
}

const Schema* schema_for(const Target& target) {
  return target.schema.empty() ? nullptr : &schema_of(target.schema);
}

}  // namespace

bool has_structure(const Target& target, const std::string& bytes) {
  return target.form == Form::words || (target.form == Form::json && parsed(bytes));
}

std::string mutant(const Target& target, const std::string& bytes, Random& random) {
  if (target.form == Form::words && random() % 8 != 0) return changed_words(bytes, random);
  if (target.form == Form::json && random() % 16 != 0)
    if (std::optional<Node> tree = parsed(bytes))
      return changed_tree(std::move(*tree), schema_for(target), random);
  return changed_bytes(bytes, random);
}

}  // namespace wt::fuzz
