#include "scenario/schema.h"

#include <array>
#include <type_traits>
#include <utility>

#include "base/json_writer.h"
#include "scenario/keys.h"
#include "scenario/names.h"
#include "scenario/nccl_keys.h"
#include "strategy/automatic.h"

namespace wt::scenario {
namespace {

// Writes the properties of an object as a visitor of its list of keys, then the conditions among them.
class SchemaWriter {
 public:
  explicit SchemaWriter(json::Writer& out) : out_(out) {}

  // An object whose keys `list` lists.
  template <class List>
  static void object(json::Writer& out, List list) {
    out.member("type", "object").key("properties").begin_object();
    SchemaWriter inside(out);
    inside.plain("$schema");
    inside.plain("description");
    list(inside);
    out.end_object();
    out.member("additionalProperties", false);
    inside.finish();
  }

  template <class Words>
  static void words(json::Writer& out, std::string_view key, const Words& words) {
    out.key(key).begin_array(json::Layout::one_line);
    for (const std::string_view word : words) out.value(word);
    out.end_array();
  }

  template <class T>
  void operator()(const Key& key, const T& member) {
    if (key.required) required_.push_back(key.name);
    if (key.required_unless) conditional_.emplace_back(key.name, *key.required_unless);
    out_.key(key.name).begin_object().member("description", key.meaning);
    describe(key, member, !key.required && !key.required_unless);
    out_.end_object();
  }

  void constant(std::string_view key, std::string_view value, bool is_required = true) {
    if (is_required) required_.push_back(key);
    out_.key(key).begin_object(json::Layout::one_line).member("const", value).end_object();
  }
  void either(std::string_view key, Together values) {
    required_.push_back(key);
    out_.key(key).begin_object(json::Layout::one_line);
    words(out_, "enum", values);
    out_.end_object();
  }

  void typed(const Key& key, Together types) {
    required_.push_back(key.name);
    out_.key(key.name).begin_object().member("description", key.meaning);
    words(out_, "type", types);
    out_.end_object();
  }

  void later(std::string_view, std::string_view) {}
  void exactly_one(Together keys) { exactly_one_.assign(keys); }
  void at_most_one(Together keys) { at_most_one_.emplace_back(keys); }

 private:
  void plain(std::string_view key) {
    out_.key(key).begin_object(json::Layout::one_line).member("type", "string").end_object();
  }

  void finish() {
    if (!required_.empty()) words(out_, "required", required_);
    if (!exactly_one_.empty()) {
      out_.key("oneOf").begin_array();
      for (const std::string_view key : exactly_one_) require({key});
      out_.end_array();
    }
    if (at_most_one_.empty() && conditional_.empty()) return;
    out_.key("allOf").begin_array();
    for (const auto& [key, unless] : conditional_) require_unless(key, unless);
    for (const auto& keys : at_most_one_) {
      out_.begin_object(json::Layout::one_line).key("not");
      require(keys);
      out_.end_object();
    }
    out_.end_array();
  }

  void require_unless(std::string_view key, const json::Unless& unless) {
    out_.begin_object().key("anyOf").begin_array();
    require({key});
    out_.begin_object(json::Layout::one_line).key("properties").begin_object();
    out_.key(unless.key).begin_object().member("const", unless.word).end_object().end_object();
    words(out_, "required", std::array<std::string_view, 1>{unless.key});
    out_.end_object().end_array().end_object();
  }

  void require(const std::vector<std::string_view>& keys) {
    out_.begin_object(json::Layout::one_line);
    words(out_, "required", keys);
    out_.end_object();
  }

  template <class T>
  requires std::is_arithmetic_v<T>
  void describe(const Key& key, T value, bool has_default) {
    out_.member("type", std::is_same_v<T, bool> ? "boolean" : std::is_integral_v<T> ? "integer" : "number");
    if (key.at_least) out_.member("minimum", *key.at_least);
    if (key.at_most) out_.member("maximum", *key.at_most);
    if (key.except) {
      out_.key("not").begin_object(json::Layout::one_line).member("const", *key.except).end_object();
    }
    if (has_default) out_.member("default", value);
  }

  void describe(const Key&, const std::string& value, bool has_default) {
    out_.member("type", "string").member("minLength", 1);
    if (has_default) out_.member("default", value);
  }

  template <class T>
  requires requires { Names<T>::rows; }
  void describe(const Key&, T value, bool has_default) {
    std::vector<std::string_view> names;
    for (const auto& row : Names<T>::rows) names.push_back(row.name);
    words(out_, "enum", names);
    if (has_default) out_.member("default", name_of(value));
  }

  void describe(const Key&, const strategy::Word& word, bool has_default) {
    words(out_, "enum", word.names);
    if (has_default && word.index) out_.member("default", word.names[*word.index]);
  }

  void describe(const Key&, const strategy::Object& member, bool) {
    member.give();
    object(out_, [&](SchemaWriter& inside) {
      strategy::KeysFor<SchemaWriter> keys(inside);
      member.keys(keys);
    });
  }

  void describe(const Key& key, const strategy::WordOrObject& member, bool) {
    out_.key("anyOf").begin_array().begin_object();
    describe(key, member.word, false);
    out_.end_object().begin_object();
    describe(key, member.object, false);
    out_.end_object().end_array();
  }

  template <class T>
  void describe(const Key& key, const std::optional<T>&, bool) {
    describe(key, T{}, false);
  }

  void describe(const Key& key, const InputPath& value, bool) { describe(key, value.path, false); }
  void describe(const Key& key, const OutputPath& value, bool has_default) {
    describe(key, value.path, has_default);
  }

  void describe(const Key& key, const NcclSetting&, bool) {
    const NcclKey& setting = nccl_key(key.name);
    if (setting.may_be_number)
      words(out_, "type", Together{"string", "number"});
    else
      out_.member("type", "string");
    words(out_, "examples", Together{setting.example});
  }
  void describe(const Key& key, const strategy::AlgorithmName&, bool) { words(out_, "enum", key.names()); }

  void describe(const Key& key, const ComputeChoice&, bool) {
    out_.key("anyOf").begin_array().begin_object();
    describe(key, Compute{}, false);
    out_.end_object().begin_object();
    describe(key, ProfileChoice{}, false);
    out_.end_object().end_array().member("default", name_of(Compute{}));
  }

  // The jobs of a cluster, or a whole TF_CONFIG (cluster/tf_config.h).
  void describe(const Key&, const ClusterChoice&, bool) { out_.member("type", "object"); }
  void describe(const Key&, const strategy::AnyStrategy&, bool) {
    out_.member("$ref", "#/definitions/strategy");
  }

  void describe(const Key& key, const Choice&, bool) {
    out_.key("anyOf").begin_array();
    describe_forms(key);
    out_.end_array();
  }

  void describe(const Key&, const TensorNames& tensors, bool has_default) {
    text_or_lists(1);
    if (has_default && !tensors.names.empty()) out_.member("default", tensors.names.front());
  }

  void describe(const Key&, const train::UpdateFrequency&, bool has_default) {
    out_.key("anyOf").begin_array().begin_object();
    words(out_, "enum", std::vector<std::string_view>{"epoch", "batch"});
    out_.end_object().begin_object(json::Layout::one_line);
    out_.member("type", "integer").member("minimum", 1).member("maximum", json::most);
    out_.end_object().end_array();
    if (has_default) out_.member("default", "epoch");
  }

  void describe(const Key& key, const LabelKinds&, bool) {
    out_.key("anyOf").begin_array().begin_object();
    describe(key, LabelKind{}, false);
    out_.end_object().begin_object().member("type", "array").key("items").begin_object();
    describe(key, LabelKind{}, false);
    out_.end_object().member("minItems", 1).end_object().end_array();
  }

  void describe(const Key&, const InputFiles&, bool) { text_or_lists(1); }
  void describe(const Key&, const ColumnLists&, bool) { text_or_lists(2); }

  // A text, or a list of such values, `depth` lists at most.
  void text_or_lists(int depth) {
    if (depth == 0) {
      out_.member("type", "string").member("minLength", 1);
      return;
    }
    out_.key("anyOf").begin_array().begin_object();
    text_or_lists(0);
    out_.end_object().begin_object().member("type", "array").key("items").begin_object();
    text_or_lists(depth - 1);
    out_.end_object().member("minItems", 1).end_object().end_array();
  }

  void describe(const Key& key, const ClassLists&, bool) {
    out_.member("type", "object").key("additionalProperties").begin_object();
    describe(key, std::vector<std::string>{}, false);
    out_.end_object();
  }

  void describe(const Key& key, const OutputChoice&, bool) {
    out_.key("anyOf").begin_array();
    describe_forms(key);
    out_.begin_object().member("type", "array").key("items").begin_object();
    describe(key, Choice{}, false);
    out_.end_object().member("minItems", 1).end_object().begin_object();
    by_output([&] { describe(key, Choice{}, false); });
    out_.end_object().end_array();
  }

  // An object whose keys are the names of a model's outputs. A choice with a class is no such object.
  template <class Describe>
  void by_output(Describe describe_value) {
    out_.member("type", "object").key("not").begin_object(json::Layout::one_line);
    words(out_, "required", std::array<std::string_view, 1>{"class_name"});
    out_.end_object().key("additionalProperties").begin_object();
    describe_value();
    out_.end_object();
  }

  // The forms of one choice: its name, or an object with its class.
  void describe_forms(const Key& key) {
    out_.begin_object();
    words(out_, "enum", key.names());
    out_.end_object().begin_object().member("type", "object").key("properties").begin_object();
    out_.key("class_name").begin_object();
    words(out_, "enum", key.names());
    out_.end_object();
    out_.key("config")
        .begin_object(json::Layout::one_line)
        .member("type", "object")
        .end_object()
        .end_object();
    words(out_, "required", std::array<std::string_view, 1>{"class_name"});
    out_.end_object();
  }

  void metric_list(const Key& key) {
    out_.member("type", "array").key("items").begin_object();
    describe(key, Choice{}, false);
    out_.end_object();
  }

  void describe(const Key& key, const OutputMetrics&, bool) {
    const auto one_or_list = [&] {
      out_.key("anyOf").begin_array().begin_object();
      describe(key, Choice{}, false);
      out_.end_object().begin_object();
      metric_list(key);
      out_.end_object().end_array();
    };
    out_.key("anyOf").begin_array().begin_object().member("type", "array").key("items").begin_object();
    one_or_list();
    out_.end_object().end_object().begin_object();
    by_output(one_or_list);
    out_.end_object().end_array();
    out_.key("default").begin_array(json::Layout::one_line).end_array();
  }

  void describe(const Key&, const std::map<std::int64_t, double>&, bool) {
    out_.member("type", "object").key("patternProperties").begin_object();
    out_.key("^[1-9][0-9]*$").begin_object(json::Layout::one_line);
    out_.member("type", "number").member("exclusiveMinimum", 0).end_object().end_object();
    out_.member("additionalProperties", false);
  }

  void describe(const Key&, const std::vector<train::Callback>&, bool) {
    out_.member("type", "array").key("items").begin_object().key("anyOf").begin_array();
    describe_callbacks(std::make_index_sequence<train::callback_classes.size()>{});
    out_.end_array().end_object();
  }
  template <std::size_t... index>
  void describe_callbacks(std::index_sequence<index...>) {
    (describe_callback<std::variant_alternative_t<index, train::Callback>>(
         train::callback_classes[index].name),
     ...);
  }
  template <class Kind>
  void describe_callback(std::string_view name) {
    out_.begin_object();
    object(out_, [&](SchemaWriter& inside) {
      inside.constant(callback_type.name, name);
      Kind callback{};
      keys_of(inside, callback);
    });
    out_.end_object();
  }

  void describe(const Key&, const ClassWeights&, bool) {
    out_.member("type", "object").key("patternProperties").begin_object();
    out_.key("^(0|[1-9][0-9]*)$").begin_object(json::Layout::one_line);
    out_.member("type", "number").member("minimum", 0).end_object().end_object();
    out_.member("additionalProperties", false);
  }

  void describe(const Key&, const std::vector<double>&, bool) {
    out_.member("type", "array").key("items").begin_object(json::Layout::one_line);
    out_.member("type", "number").end_object().member("minItems", 1);
  }

  void describe(const Key&, const OutputNumbers&, bool) {
    out_.key("anyOf")
        .begin_array()
        .begin_object()
        .member("type", "array")
        .key("items")
        .begin_object(json::Layout::one_line);
    out_.member("type", "number").end_object().member("minItems", 1).end_object().begin_object();
    by_output([&] { out_.member("type", "number"); });
    out_.end_object().end_array();
  }
  void describe(const Key&, const Numbers&, bool) { words(out_, "type", Together{"number", "array"}); }

  // platform/schema.h describes the objects that are legal here.
  void describe(const Key&, const PlatformChoice&, bool) {
    words(out_, "type", Together{"string", "object"});
  }
  void describe(const Key&, const MemoryLimit&, bool) {
    words(out_, "type", Together{"integer", "string"});
    out_.member("minimum", 1).member("maximum", most_mebibytes);
    out_.key("examples").begin_array(json::Layout::one_line).value(1024).value("1 GiB").end_array();
  }
  void describe(const Key&, Bytes value, bool has_default) {
    out_.member("type", "string");
    words(out_, "examples", Together{"25 MiB"});
    if (has_default) out_.member("default", print(value));
  }
  void describe(const Key&, BytesPerSecond, bool) {
    out_.member("type", "string");
    words(out_, "examples", Together{"2 GB/s"});
  }
  void describe(const Key&, const DecodeRate&, bool) {
    out_.member("type", "string");
    words(out_, "examples", Together{"1500 samples/s", "300 MB/s"});
  }
  void describe(const Key&, const std::vector<Fault>&, bool) {
    out_.member("type", "array").key("items").begin_object();
    Fault content{};
    object(out_, [&](SchemaWriter& inside) { keys_of(inside, content); });
    out_.end_object();
  }
  void describe(const Key&, const Seconds&, bool) {
    out_.member("type", "string");
    words(out_, "examples", Together{"170 ms"});
  }

  void describe(const Key& key, const std::vector<std::string>&, bool) {
    out_.member("type", "array").key("items").begin_object(json::Layout::one_line);
    describe(key, std::string{}, false);
    out_.end_object();
  }

  void describe(const Key& key, const std::vector<std::int64_t>&, bool) {
    out_.member("type", "array").key("items").begin_object(json::Layout::one_line);
    describe(key, std::int64_t{}, false);
    out_.end_object();
  }

  void describe(const Key& key, const std::map<std::string, std::int64_t>&, bool) {
    out_.member("type", "object").key("additionalProperties").begin_object(json::Layout::one_line);
    describe(key, std::int64_t{}, false);
    out_.end_object();
  }

  void describe(const Key&, const Watts&, bool) { text_like("10.2 kW"); }
  void describe(const Key&, const Money&, bool) { text_like("250000 USD"); }
  void describe(const Key&, const std::optional<Money>&, bool) { text_like("250000 USD"); }
  void describe(const Key&, const cost::HourlyRate&, bool) { text_like("98.32 USD/h"); }
  void describe(const Key&, const cost::EnergyPrice&, bool) { text_like("0.12 USD/kWh"); }
  void text_like(std::string_view example) {
    out_.member("type", "string");
    words(out_, "examples", std::array<std::string_view, 1>{example});
  }

  void describe(const Key&, const std::map<std::string, cost::Price>&, bool) {
    out_.member("type", "object").key("additionalProperties").begin_object();
    out_.key("anyOf").begin_array().begin_object();
    text_like("98.32 USD/h, spot, 2026-11-23, where it is from");
    out_.end_object().begin_object();
    cost::Price content{};
    object(out_, [&](SchemaWriter& inside) { keys_of(inside, content); });
    out_.end_object().end_array().end_object();
  }

  void describe(const Key& key, const std::map<std::string, LogicalDevices>&, bool) {
    out_.member("type", "object").key("additionalProperties").begin_object();
    describe(key, LogicalDevices{}, false);
    out_.end_object();
  }

  void describe(const Key& key, const LogicalDevices&, bool) {
    out_.member("type", "array").key("items").begin_object();
    describe(key, LogicalDevice{}, false);
    out_.end_object();
  }

  template <class T>
  requires requires(SchemaWriter& visit, T& content) { keys_of(visit, content); }
  void describe(const Key& key, const std::map<std::string, T>&, bool) {
    out_.member("type", "object").key("additionalProperties").begin_object();
    describe(key, T{}, false);
    out_.end_object();
  }

  void describe(const Key&, const Dataset&, bool) { out_.member("$ref", "#/definitions/dataset"); }
  void describe(const Key&, const Model&, bool) { out_.member("$ref", "#/definitions/model"); }

  template <class T>
  requires requires(SchemaWriter& visit, T& content) { keys_of(visit, content); }
  void describe(const Key&, const T&, bool) {
    T content{};
    object(out_, [&](SchemaWriter& inside) { keys_of(inside, content); });
  }

  json::Writer& out_;
  std::vector<std::string_view> required_{};
  std::vector<std::pair<std::string_view, json::Unless>> conditional_{};
  std::vector<std::string_view> exactly_one_{};
  std::vector<std::vector<std::string_view>> at_most_one_{};
};

template <class Source>
void write_source(json::Writer& out, std::string_view type) {
  out.begin_object();
  SchemaWriter::object(out, [&](SchemaWriter& inside) {
    inside.constant("type", type);
    Source source{};
    Dataset dataset{};
    keys_of(inside, source);
    keys_of(inside, dataset);
  });
  out.end_object();
}

template <std::size_t... index>
void write_sources(json::Writer& out, std::index_sequence<index...>) {
  using Sources = decltype(Dataset::source);
  (write_source<std::variant_alternative_t<index, Sources>>(out, source_names[index]), ...);
}

void write_dataset(json::Writer& out) {
  out.key("dataset").begin_object().key("anyOf").begin_array();
  write_sources(out, std::make_index_sequence<source_names.size()>{});
  out.end_array().end_object();
}

// A word that names a strategy or the rule, or an object with the strategy's options. A strategy that the
// rule chooses has its options under the rule's name, too.
void write_strategy(json::Writer& out) {
  out.key("strategy").begin_object().key("anyOf").begin_array().begin_object();
  SchemaWriter::words(out, "enum", strategy::type_word({}).names);
  out.end_object();
  for (const strategy::Row& row : strategy::rows()) {
    const std::unique_ptr<strategy::Strategy> options = row.make();
    out.begin_object();
    SchemaWriter::object(out, [&](SchemaWriter& inside) {
      if (strategy::is_chosen_by_rule(row))
        inside.either(strategy_type.name, {row.name, strategy::automatic.name});
      else
        inside.constant(strategy_type.name, row.name, &row != &strategy::rows().front());
      strategy::KeysFor<SchemaWriter> keys(inside);
      options->keys(keys);
    });
    out.end_object();
  }
  out.end_array().end_object();
}

void write_zoo_model(json::Writer& out, const model::ZooModel& row) {
  out.begin_object();
  out.member("title", row.summary);
  SchemaWriter::object(out, [&](SchemaWriter& inside) {
    inside.constant("zoo", row.name);
    model::ZooChoice choice{&row, {}};
    keys_of(inside, choice);
    inside(initial_weights, InputPath{});
  });
  out.end_object();
}

// The name of a model of the zoo, or one of the objects that Model::form holds.
void write_model(json::Writer& out) {
  out.key("model").begin_object().key("anyOf").begin_array().begin_object();
  SchemaWriter::words(out, "enum", zoo_names());
  out.end_object();
  for (const model::ZooModel& row : model::zoo()) write_zoo_model(out, row);
  out.begin_object();
  SchemaWriter::object(out, [&](SchemaWriter& inside) {
    inside.typed(required("keras_json", "a model that Keras wrote: a file, or its content"),
                 {"string", "object"});
    inside(initial_weights, InputPath{});
  });
  out.end_object().begin_object();
  SchemaWriter::object(out, [&](SchemaWriter& inside) {
    inside(saved_model, InputPath{});
    inside(initial_weights, InputPath{});
  });
  out.end_object().begin_object();
  SchemaWriter::object(out, [&](SchemaWriter& inside) {
    inside(optional("name", "the model's name"), InlineModel{}.name);
    inside.typed(required("layers", "one after another, as Keras writes them"), {"array"});
    inside(initial_weights, InputPath{});
  });
  out.end_object().end_array().end_object();
}

}  // namespace

std::string schema() {
  json::Writer out;
  out.begin_object();
  out.member("$schema", "http://json-schema.org/draft-07/schema#");
  out.member("title", "A scenario of Windtunnel");
  SchemaWriter::object(out, [](SchemaWriter& inside) {
    Scenario scenario;
    keys_of(inside, scenario);
  });
  out.key("definitions").begin_object();
  write_dataset(out);
  write_model(out);
  write_strategy(out);
  out.end_object().end_object();
  return out.text();
}

}  // namespace wt::scenario
