#include "platform/schema.h"

#include <functional>
#include <type_traits>

#include "base/json_writer.h"
#include "platform/keys.h"

namespace wt::platform {

namespace {

template <class T>
concept has_words = requires {
  Words<T>::rows;
};

template <class T>
constexpr bool is_quantity =
    std::is_same_v<T, Bytes> || std::is_same_v<T, Seconds> || std::is_same_v<T, BytesPerSecond>;

// Writes the schema of an object as a visitor of its list of keys (keys.h): for each key, operator() writes a
// property whose type, bounds and default follow from the member and its initial value.
class SchemaWriter {
 public:
  // If the object is not complete (it has only differences from another machine), no key is required.
  explicit SchemaWriter(json::Writer& out, bool is_complete) : out_(out), is_complete_(is_complete) {}

  template <class List>
  static void object(json::Writer& out, List list, bool is_complete = true) {
    out.member("type", "object").key("properties").begin_object();
    SchemaWriter inside(out, is_complete);
    for (const std::string_view key : {"$schema", "description", "source"})
      out.key(key).begin_object(json::Layout::one_line).member("type", "string").end_object();
    list(inside);
    out.end_object();
    out.member("additionalProperties", false);
    if (!inside.required_.empty()) {
      out.key("required").begin_array(json::Layout::one_line);
      for (const std::string_view key : inside.required_) out.value(key);
      out.end_array();
    }
  }

  template <class T>
  void operator()(const Key& key, const T& member) {
    begin(key);
    describe(key, member, !key.required);
    out_.end_object();
  }

  void network(const Key& key, const std::optional<Network>&, bool joins_devices) {
    begin(key);
    Network content;
    object(out_, [&](SchemaWriter& inside) { keys_of(inside, content, joins_devices); });
    out_.end_object();
  }

  // A key whose value is the name of a file, or an object of one of these definitions.
  void named_or(const Key& key, std::initializer_list<std::string_view> names) {
    begin(key);
    out_.key("anyOf").begin_array();
    out_.begin_object(json::Layout::one_line).member("type", "string").end_object();
    for (const std::string_view name : names) {
      out_.begin_object(json::Layout::one_line);
      out_.member("$ref", "#/definitions/" + std::string(name)).end_object();
    }
    out_.end_array().end_object();
  }

  // A number, or a list of groups.
  void machines(const Key& key, const std::vector<MachineGroup>&) {
    begin(key);
    out_.key("anyOf").begin_array().begin_object();
    constant([&] { scalar(key, 0); });
    out_.end_object().begin_object().member("type", "array").member("minItems", 1).key("items");
    out_.begin_object(json::Layout::one_line).member("$ref", "#/definitions/group").end_object();
    out_.end_object().end_array().end_object();
  }

  void always_required(const Key& key) {
    (*this)(key, std::string());
    required_.push_back(key.name);
  }

 private:
  void begin(const Key& key) {
    if (key.required && is_complete_) required_.push_back(key.name);
    out_.key(key.name).begin_object().member("description", key.meaning);
  }

  // A constant, or an object {"value": constant, "source": text}. `rule` writes the schema of the constant.
  void constant(const std::function<void()>& rule) {
    out_.key("anyOf").begin_array().begin_object(json::Layout::one_line);
    rule();
    out_.end_object().begin_object(json::Layout::one_line);
    out_.member("type", "object").key("properties").begin_object().key("value").begin_object();
    rule();
    out_.end_object().key("source").begin_object().member("type", "string").end_object();
    out_.key("description").begin_object().member("type", "string").end_object().end_object();
    out_.key("required").begin_array().value("value").end_array();
    out_.member("additionalProperties", false).end_object().end_array();
  }

  void list_of(const std::function<void()>& rule) {
    out_.member("type", "array").key("items").begin_object(json::Layout::one_line);
    rule();
    out_.end_object();
  }

  template <class T>
  void scalar(const Key& key, const T&) {
    if constexpr (is_quantity<T>) {
      out_.member("type", "string");
    } else if constexpr (std::is_same_v<T, bool>) {
      out_.member("type", "boolean");
    } else if constexpr (std::is_same_v<T, int>) {
      out_.member("type", "integer");
      if (key.at_least) out_.member("minimum", *key.at_least);
      if (key.at_most) out_.member("maximum", *key.at_most);
    } else if constexpr (std::is_same_v<T, double>) {
      out_.member("type", "number");
      const double largest = key.at_most ? static_cast<double>(*key.at_most) : largest_ratio;
      const double least = key.at_least ? static_cast<double>(*key.at_least) : smallest_ratio;
      out_.member("minimum", least).member("maximum", largest);
    } else {
      out_.member("type", "string");
    }
  }

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_same_v<T, std::string> || is_quantity<T> ||
           std::is_same_v<T, Shape>) void describe(const Key& key, const T& value, bool has_default) {
    constant([&] { scalar(key, value); });
    if (!has_default) return;
    if constexpr (std::is_arithmetic_v<T>) out_.member("default", value);
    if constexpr (is_quantity<T>) out_.member("default", print(value));
  }

  template <has_words T>
  void describe(const Key&, T value, bool has_default) {
    constant([&] {
      out_.key("enum").begin_array();
      for (const auto& row : Words<T>::rows) out_.value(row.name);
      out_.end_array();
    });
    for (const auto& row : Words<T>::rows)
      if (has_default && row.value == value) out_.member("default", row.name);
  }

  template <class T>
  requires(std::is_arithmetic_v<T> ||
           std::is_same_v<T, std::string>) void describe(const Key& key, const std::vector<T>&, bool) {
    constant([&] { list_of([&] { scalar(key, T{}); }); });
  }

  void describe(const Key& key, const std::vector<Shape>&, bool) {
    list_of([&] { scalar(key, Shape{}); });
  }

  template <class T>
  void describe(const Key& key, const std::optional<T>&, bool) {
    describe(key, T{}, false);
  }
  template <class T>
  void describe(const Key& key, const Placed<T>& member, bool has_default) {
    describe(key, member.value, has_default && key.name == "twisted");
  }

  // An id of devices.json or an object, whose keys are not checked here.
  void describe(const Key&, const device::DeviceType&, bool) {
    out_.key("type").begin_array(json::Layout::one_line).value("string").value("object").end_array();
  }

  void describe(const Key&, const std::vector<Switch>&, bool) {
    list_of([&] { out_.member("$ref", "#/definitions/switch"); });
  }

  void describe(const Key&, const Switches&, bool) {
    out_.key("anyOf").begin_array().begin_object();
    constant([&] { scalar(count_key("", "", 0, most_parts), 0); });
    out_.end_object().begin_object();
    constant([&] { list_of([&] { scalar(count_key("", "", 1, most_parts), 0); }); });
    out_.end_object().begin_object();
    constant([&] { list_of([&] { out_.member("$ref", "#/definitions/switch"); }); });
    out_.end_object().end_array().member("default", 0);
  }

  void describe(const Key&, const std::vector<Pair>&, bool) {
    list_of([&] { list_of([&] { scalar(count_key("", "", 0), 0); }); });
  }

  template <class T>
  requires requires(SchemaWriter& visit, T& content) { keys_of(visit, content); }
  void describe(const Key&, const T&, bool) {
    T content{};
    object(
        out_, [&](SchemaWriter& inside) { keys_of(inside, content); }, is_complete_);
  }

  json::Writer& out_;
  bool is_complete_;
  std::vector<std::string_view> required_{};
};

template <class T>
void definition(json::Writer& out, std::string_view name) {
  out.key(name).begin_object();
  T content{};
  SchemaWriter::object(out, [&](SchemaWriter& inside) { keys_of(inside, content); });
  out.end_object();
}

// The definition of a machine with "like", in which no other key is required.
void machine_like(json::Writer& out) {
  out.key("machine_like").begin_object();
  MachineDescription differences{};
  const auto list = [&](SchemaWriter& inside) {
    inside.always_required(like_key);
    keys_of(inside, differences);
  };
  SchemaWriter::object(out, list, false);
  out.end_object();
}

// A platform has a "machine", or a list of "machines" that name theirs.
void require_machines(json::Writer& out) {
  out.key("oneOf").begin_array();
  out.begin_object(json::Layout::one_line).key("required").begin_array().value("machine").end_array();
  out.end_object().begin_object(json::Layout::one_line).key("required").begin_array().value("machines");
  out.end_array().key("properties").begin_object().key("machines").begin_object().member("type", "array");
  out.end_object().end_object().end_object().end_array();
}

}  // namespace

std::string schema() {
  json::Writer out;
  out.begin_object();
  out.member("$schema", "http://json-schema.org/draft-07/schema#");
  out.member("title", "A platform of Windtunnel: machines and the networks between them");
  SchemaWriter::object(out, [](SchemaWriter& inside) {
    Description platform;
    inside.named_or(machine_key, {"machine", "machine_like"});
    keys_of(inside, platform);
  });
  require_machines(out);
  out.key("definitions").begin_object();
  definition<MachineDescription>(out, "machine");
  machine_like(out);
  definition<MachineGroup>(out, "group");
  definition<Switch>(out, "switch");
  out.end_object().end_object();
  return out.text();
}

}  // namespace wt::platform
