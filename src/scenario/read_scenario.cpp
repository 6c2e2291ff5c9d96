#include "scenario/read_scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/utf8.h"
#include "scenario/read_value.h"
#include "strategy/table.h"

namespace wt::scenario {
namespace {

// Reads one object of the file, as a visitor of its list of keys.
class Parser {
 public:
  Parser(const json::Value& object, std::string path, Reading& reading)
      : reader_(object, reading.problems), path_(std::move(path)), reading_(reading) {}

  template <class T>
  void operator()(const Key& key, T& member) {
    if (is_required(key) && !reader_.has(key.name)) {
      reader_.problem({}, fmt::format("this object has no \"{}\"", key.name),
                      fmt::format("add \"{}\": {}", key.name, key.meaning));
    }
    const json::Value* value = reader_.value(key.name);
    if (value == nullptr) return;
    reading_.note(below(key.name), value->place(), key.meaning);
    read(*value, key, member);
  }

  void later(std::string_view name, std::string_view meaning) {
    if (!reader_.has(name)) return;
    reader_.value(name);
    reader_.problem(name, fmt::format("\"{}\" is not offered yet: {}", name, meaning), "leave it out");
  }

  void exactly_one(Together keys) {
    at_most_one(keys);
    if (!given(keys).empty()) return;
    reader_.problem({}, fmt::format("this object has neither {}", quoted(keys, " nor ")), "add one of them");
  }

  void at_most_one(Together keys) {
    const std::vector<std::string_view> found = given(keys);
    if (found.size() < 2) return;
    reader_.problem(found.back(), fmt::format("{} exclude each other", quoted(found, " and ")),
                    "keep one of them");
  }

  static void read_callback(const json::Value& value, const std::string& path, train::Callback& member,
                            Reading& reading);

  json::Reader& reader() { return reader_; }
  void finish() { reader_.finish(); }

 private:
  bool is_required(const Key& key) {
    if (!key.required_unless) return key.required;
    const json::Value* word = reader_.value(key.required_unless->key);
    return word == nullptr || word->kind() != json::Kind::string ||
           word->string() != key.required_unless->word;
  }

  std::vector<std::string_view> given(Together keys) const {
    std::vector<std::string_view> found;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(found),
                 [&](auto key) { return reader_.has(key); });
    return found;
  }

  template <class Keys>
  static std::string quoted(const Keys& keys, std::string_view between) {
    std::string text;
    for (std::string_view key : keys) text += fmt::format("{}\"{}\"", text.empty() ? "" : between, key);
    return text;
  }

  std::string below(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }

  // ---- By what the member is

  template <class T>
  void read(const json::Value& value, const Key& key, T& member) {
    read_value(value, key, member, reading_);
  }

  template <class T>
  requires requires(Parser& visit, T& content) { keys_of(visit, content); }
  void read(const json::Value& value, const Key& key, T& member) { read_at(below(key.name), value, member); }

  void read(const json::Value& value, const Key& key, std::optional<Money>& member) {
    Money content(0, "USD");
    read(value, key, content);
    member = std::move(content);
  }

  template <class T>
  void read(const json::Value& value, const Key& key, std::optional<T>& member) {
    T content{};
    read(value, key, content);
    member = std::move(content);
  }

  template <class T>
  void read_at(std::string path, const json::Value& value, T& member) {
    Parser inside(value, std::move(path), reading_);
    keys_of(inside, member);
    inside.finish();
  }

  // ---- A word, or an object

  void read(const json::Value& value, const Key& key, strategy::Object& member) {
    member.give();
    Parser inside(value, below(key.name), reading_);
    strategy::KeysFor<Parser> keys(inside);
    member.keys(keys);
    inside.finish();
  }

  void read(const json::Value& value, const Key& key, strategy::WordOrObject& member) {
    if (value.kind() == json::Kind::object)
      read(value, key, member.object);
    else
      read(value, key, member.word);
  }

  void read(const json::Value& value, const Key& key, ComputeChoice& member) {
    if (value.kind() != json::Kind::object) return read(value, key, member.form.emplace<Compute>());
    read(value, key, member.form.emplace<ProfileChoice>());
  }

  // ---- Objects in lists, and by names of the user's

  void read(const json::Value& value, const Key& key, std::vector<Fault>& member) {
    if (!reading_.is_list(value)) return;
    for (const json::Value& entry : value.elements()) {
      const std::string path = fmt::format("{}.{}", below(key.name), member.size());
      reading_.note(path, entry.place(), key.meaning);
      read_at(path, entry, member.emplace_back());
    }
  }

  void read(const json::Value& value, const Key& key, std::map<std::string, std::int64_t>& member) {
    if (!reading_.is_object(value)) return;
    for (const json::Member& row : value.members()) {
      reading_.note(fmt::format("{}.{}", below(key.name), row.key), row.key_place(), key.meaning);
      if (row.value.kind() == json::Kind::integer)
        read(row.value, key, member[row.key]);
      else
        reading_.problems.add(row.value.place(),
                              fmt::format("expected a whole number, found {}", describe(row.value.kind())),
                              std::string(key.meaning));
    }
  }

  template <class T>
  requires requires(Parser& visit, T& content) { keys_of(visit, content); }
  void read(const json::Value& value, const Key& key, std::map<std::string, T>& member) {
    if (!reading_.is_object(value)) return;
    for (const json::Member& row : value.members()) {
      const std::string path = fmt::format("{}.{}", below(key.name), row.key);
      reading_.note(path, row.key_place(), key.meaning);
      read_at(path, row.value, member[row.key]);
    }
  }

  void read(const json::Value& value, const Key& key, std::map<std::string, cost::Price>& member) {
    if (!reading_.is_object(value)) return;
    for (const json::Member& row : value.members()) {
      const std::string path = fmt::format("{}.{}", below(key.name), row.key);
      reading_.note(path, row.key_place(), key.meaning);
      if (row.value.kind() == json::Kind::string)
        read_price(row.value, member[row.key]);
      else
        read_at(path, row.value, member[row.key]);
    }
  }

  void read_price(const json::Value& value, cost::Price& member) {
    Parsed<cost::Price> parsed = cost::parse_price(value.string());
    if (parsed.value)
      member = std::move(*parsed.value);
    else
      reading_.problems.add(value.place(), printable(parsed.fact), parsed.remedy);
  }

  void read(const json::Value& value, const Key& key, std::map<std::string, LogicalDevices>& member) {
    if (!reading_.is_object(value)) return;
    for (const json::Member& device : value.members()) {
      const std::string path = fmt::format("{}.{}", below(key.name), device.key);
      reading_.note(path, device.key_place(), key.meaning);
      read_pieces(device.value, path, member[device.key]);
    }
  }

  void read(const json::Value& value, const Key& key, LogicalDevices& member) {
    read_pieces(value, below(key.name), member);
  }

  void read_pieces(const json::Value& value, const std::string& path, LogicalDevices& member) {
    if (!reading_.is_list(value, R"(an entry for each logical device: [{"memory_limit": 1024}])")) return;
    for (const json::Value& cut : value.elements()) read_at(path, cut, member.cut.emplace_back());
  }

  // ---- Objects whose keys depend on one of them

  void read(const json::Value& value, const Key& key, strategy::AnyStrategy& member);
  void read(const json::Value& value, const Key& key, Dataset& member);
  void read(const json::Value& value, const Key& key, Model& member);
  void read(const json::Value& value, const Key& key, std::vector<train::Callback>& member);
  void refuse_options_of_others(const json::Value& value, const strategy::Row& row);
  std::string chosen_by() const {
    return reading_.strategy_rule.empty() ? "" : fmt::format(", which {} chose", reading_.strategy_rule);
  }
  const model::ZooModel* zoo_row(const json::Value& value, std::string_view name);
  void read_keras_or_layers(const json::Value& value, Model& member);

  json::Reader reader_;
  std::string path_;
  Reading& reading_;
};

// Gives the variant its alternative of that number, empty.
template <std::size_t index = 0, class... Types>
void choose(std::size_t wanted, std::variant<Types...>& chosen) {
  if constexpr (index < sizeof...(Types)) {
    if (index == wanted) chosen.template emplace<index>();
    choose<index + 1>(wanted, chosen);
  }
}

// ---- Strategies

void Parser::read(const json::Value& value, const Key& key, strategy::AnyStrategy& member) {
  Parser inside(value, below(key.name), reading_);
  if (value.kind() != json::Kind::object) return;
  const std::size_t before = reading_.problems.found().size();
  strategy::Word type = strategy::type_word(0);
  inside(strategy_type, type);
  if (reading_.problems.found().size() > before) return;  // the other keys depend on the type
  WT_EXPECT(*type.index < strategy::rows().size(), "the rule was to choose a strategy before");
  const strategy::Row& row = strategy::rows()[*type.index];
  member = strategy::AnyStrategy(row.make());
  inside.refuse_options_of_others(value, row);
  strategy::KeysFor<Parser> keys(inside);
  member->keys(keys);
  inside.finish();
}

void Parser::refuse_options_of_others(const json::Value& value, const strategy::Row& row) {
  const std::vector<std::string_view> own = strategy::option_names(row);
  for (const json::Member& member : value.members()) {
    if (std::ranges::find(own, std::string_view(member.key)) != own.end()) continue;
    const std::vector<std::string_view> others = strategy::strategies_with(member.key);
    if (others.empty()) continue;
    reader_.value(member.key);
    reader_.problem(member.key,
                    fmt::format("\"{}\" is an option of {}, and the strategy is {}{}", member.key,
                                fmt::join(others, " and "), row.name, chosen_by()),
                    "leave it out, or change the \"type\"");
  }
}

// ---- Datasets

void Parser::read(const json::Value& value, const Key& key, Dataset& member) {
  Parser inside(value, below(key.name), reading_);
  if (value.kind() != json::Kind::object) return;
  std::string type;
  inside(required("type", "where the rows come from"), type);
  const auto found = std::find(source_names.begin(), source_names.end(), type);
  if (found == source_names.end()) {
    // The other keys depend on the type.
    if (!type.empty()) {
      inside.reader_.problem("type", fmt::format("\"{}\" is not a kind of dataset", type),
                             did_you_mean(type, source_names));
    }
    return;
  }
  choose(static_cast<std::size_t>(found - source_names.begin()), member.source);
  std::visit([&](auto& source) { keys_of(inside, source); }, member.source);
  keys_of(inside, member);
  inside.finish();
}

// ---- Callbacks

void Parser::read(const json::Value& value, const Key& key, std::vector<train::Callback>& member) {
  if (!reading_.is_list(value, R"(a list: [{"type": "EarlyStopping", "monitor": "loss"}])")) return;
  for (const json::Value& entry : value.elements()) {
    const std::string path = fmt::format("{}.{}", below(key.name), member.size());
    reading_.note(path, entry.place(), key.meaning);
    read_callback(entry, path, member.emplace_back(), reading_);
  }
}

void Parser::read_callback(const json::Value& value, const std::string& path, train::Callback& member,
                           Reading& reading) {
  Parser inside(value, path, reading);
  if (value.kind() != json::Kind::object) return;
  std::string type;
  inside(callback_type, type);
  const auto found = std::ranges::find(train::callback_classes, type, &train::CallbackClass::name);
  if (found == train::callback_classes.end()) {
    std::vector<std::string_view> known;
    for (const train::CallbackClass& row : train::callback_classes) known.push_back(row.name);
    if (!type.empty())
      inside.reader_.problem("type", fmt::format("\"{}\" is not a callback", type),
                             did_you_mean(type, known));
    return;
  }
  choose(static_cast<std::size_t>(found - train::callback_classes.begin()), member);
  std::visit([&](auto& callback) { keys_of(inside, callback); }, member);
  inside.finish();
}

// ---- Models

const model::ZooModel* Parser::zoo_row(const json::Value& value, std::string_view name) {
  for (const model::ZooModel& row : model::zoo()) {
    if (row.name == name) return &row;
  }
  if (!name.empty()) {
    reading_.problems.add(value.place(), fmt::format("\"{}\" is not a model of the zoo", printable(name)),
                          did_you_mean(name, zoo_names()));
  }
  return nullptr;
}

void Parser::read(const json::Value& value, const Key& key, Model& member) {
  if (value.kind() == json::Kind::string) {
    const model::ZooModel* row = zoo_row(value, value.string());
    if (row != nullptr) member.form = model::zoo_model(row->name);
    return;
  }
  Parser inside(value, below(key.name), reading_);
  if (value.kind() != json::Kind::object) return;
  inside.later("layers_csv", "times and sizes of any framework's layers, for timing only");
  if (value.find("layers_csv") != nullptr) return;
  inside(initial_weights, member.weights);
  if (const json::Value* zoo = value.find("zoo")) {
    std::string name;
    inside(required("zoo", "the model's name"), name);
    model::ZooChoice choice{zoo_row(*zoo, name), {}};
    if (choice.model == nullptr) return;
    keys_of(inside, choice);
    member.form = std::move(choice);
  } else {
    inside.exactly_one({"zoo", "keras", "keras_json", "layers"});
    for (const char* form : {"zoo", "keras", "keras_json", "layers"}) inside.reader_.value(form);
    inside.read_keras_or_layers(value, member);
  }
  inside.finish();
}

void Parser::read_keras_or_layers(const json::Value& value, Model& member) {
  if (const json::Value* keras = value.find("keras_json")) {
    auto& model = member.form.emplace<KerasModel>();
    reader_.value("keras_json");
    if (keras->kind() == json::Kind::object) {
      model.keras_json = *keras;
    } else {
      (*this)(required("keras_json", "a model that Keras wrote"), model.keras_json.emplace<InputPath>());
    }
  } else if (value.find("keras") != nullptr) {
    (*this)(saved_model, member.form.emplace<SavedKerasModel>().keras);
  } else if (const json::Value* layers = value.find("layers")) {
    auto& model = member.form.emplace<InlineModel>();
    (*this)(optional("name", "the model's name"), model.name);
    reader_.array("layers");
    model.layers = *layers;
  }
}

}  // namespace

train::Callback read_callback(const json::Value& tree, Reading& reading) {
  train::Callback callback;
  Parser::read_callback(tree, "", callback, reading);
  return callback;
}

void read_scenario(const json::Value& tree, Scenario& scenario, Reading& reading) {
  reading.note("", tree.place(),
               R"(an object, { "name": ..., "model": ..., "dataset": ..., "training": ... })");
  Parser parser(tree, "", reading);
  if (const json::Value* description = parser.reader().value("description")) {
    scenario.description = json::convert<std::string>(*description, reading.problems).value_or("");
  }
  keys_of(parser, scenario);
  parser.finish();
  scenario.places = reading.places;
}

}  // namespace wt::scenario
