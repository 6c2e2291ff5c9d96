#include "scenario/parse.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>
#include <type_traits>

#include "base/file.h"
#include "base/json_reader.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "scenario/check.h"
#include "scenario/keys.h"
#include "scenario/names.h"

namespace wt::scenario {
namespace {

// "1500 samples/s"; none where it says something else.
std::optional<double> samples_per_second(std::string_view text) {
  constexpr std::string_view unit = "samples/s";
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(unit.size());
  while (text.ends_with(' ')) text.remove_suffix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_good =
      error == std::errc{} && end == text.data() + text.size() && number > 0 && std::isfinite(number);
  return is_good ? std::optional(number) : std::nullopt;
}

constexpr std::string_view command_line = "--set";

// What all readers of one file share.
struct Reading {
  Problems problems{};
  std::filesystem::path folder{};
  std::map<std::string, Place, std::less<>> places{};
  std::map<std::string, std::string_view> meanings{};

  void note(const std::string& path, const Place& place, std::string_view meaning) {
    places.insert_or_assign(path, place);
    meanings.insert_or_assign(path, meaning);
  }
  std::string open_path(const json::Value& written) const {
    const std::filesystem::path path = written.string();
    const bool is_from_shell = written.place().file == command_line;
    return (is_from_shell ? path : folder / path).lexically_normal().string();
  }
};

template <class T>
concept has_names = requires {
  Names<T>::rows;
};

// Reads one object of the file by its description in keys.h.
class Parser {
 public:
  Parser(const json::Value& object, std::string path, Reading& reading)
      : reader_(object, reading.problems), path_(std::move(path)), reading_(reading) {}

  template <class T>
  void operator()(const Key& key, T& member) {
    if (key.required && !reader_.has(key.name)) {
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

  json::Reader& reader() { return reader_; }
  void finish() { reader_.finish(); }

 private:
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

  template <class T>
  requires std::is_arithmetic_v<T>
  void read(const json::Value& value, const Key& key, T& member) {
    json::Range<T> range;
    if constexpr (!std::is_same_v<T, bool>) {
      if (key.at_least) range.at_least = static_cast<T>(*key.at_least);
      if (key.at_most) range.at_most = static_cast<T>(*key.at_most);
    }
    member = json::convert<T>(value, reading_.problems, range).value_or(member);
    if constexpr (!std::is_same_v<T, bool>) {
      if (!key.except || member != static_cast<T>(*key.except)) return;
      reading_.problems.add(value.place(), fmt::format("{} is out of range", member),
                            std::string(key.meaning));
    }
  }

  void read(const json::Value& value, const Key& key, std::string& member) {
    member = json::convert<std::string>(value, reading_.problems).value_or(member);
    if (value.kind() == json::Kind::string && member.empty()) {
      reading_.problems.add(value.place(), fmt::format("\"{}\" is empty", key.name));
    }
  }

  template <has_names T>
  void read(const json::Value& value, const Key& key, T& member) {
    std::string word;
    read(value, key, word);
    if (word.empty()) return;
    std::vector<std::string_view> known;
    for (const auto& row : Names<T>::rows) {
      if (row.name == word) {
        member = row.value;
        return;
      }
      known.push_back(row.name);
    }
    for (const Later& row : Names<T>::later) {
      if (row.name != word) continue;
      reading_.problems.add(value.place(), fmt::format("\"{}\" is not offered yet: {}", word, row.meaning),
                            list_known(known));
      return;
    }
    reading_.problems.add(value.place(), fmt::format("\"{}\" is not {}", word, Names<T>::noun),
                          did_you_mean(word, known));
  }

  template <class T>
  void read(const json::Value& value, const Key& key, std::optional<T>& member) {
    T content{};
    read(value, key, content);
    member = std::move(content);
  }

  void read(const json::Value& value, const Key& key, InputPath& member) {
    std::string written;
    read(value, key, written);
    if (!written.empty()) member.path = reading_.open_path(value);
  }

  void read(const json::Value& value, const Key& key, OutputPath& member) { read(value, key, member.path); }

  void read(const json::Value& value, const Key& key, AlgorithmName& member) {
    read(value, key, member.name);
    const std::vector<std::string_view> known = key.names();
    if (member.name.empty() || std::ranges::find(known, std::string_view(member.name)) != known.end()) return;
    reading_.problems.add(value.place(), fmt::format("\"{}\" is not an all-reduce", printable(member.name)),
                          did_you_mean(member.name, known));
  }

  void read(const json::Value& value, const Key& key, CrossDeviceOpsChoice& member) {
    if (value.kind() != json::Kind::object) return read(value, key, member.form.emplace<0>());
    Parser inside(value, below(key.name), reading_);
    inside(schedule_file, member.form.emplace<InputPath>());
    inside.finish();
  }

  void read(const json::Value& value, const Key& key, ComputeChoice& member) {
    if (value.kind() != json::Kind::object) return read(value, key, member.form.emplace<Compute>());
    read_object(value, key, member.form.emplace<ProfileChoice>());
  }

  void read(const json::Value& value, const Key&, ClusterChoice& member) {
    member.written = value;
    try {
      member.config = cluster::read_cluster(value, reading_.problems);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        reading_.problems.add(problem.place.file.empty() ? value.place() : problem.place, problem.fact,
                              problem.remedy);
    }
  }

  void read(const json::Value& value, const Key&, Choice& member) { member.written = value; }
  void read(const json::Value& value, const Key&, PlatformChoice& member) {
    if (value.kind() == json::Kind::string || value.kind() == json::Kind::object)
      member = {value, value.place().file == command_line ? "" : reading_.folder.string()};
    else
      reading_.problems.add(value.place(),
                            fmt::format("wanted a name or an object, found {}", describe(value.kind())));
  }

  void read(const json::Value& value, const Key&, Seconds& member) {
    member = json::convert<Seconds>(value, reading_.problems, {.above = Seconds(0)}).value_or(member);
  }

  void read(const json::Value& value, const Key&, Bytes& member) {
    member = json::convert<Bytes>(value, reading_.problems, {.at_least = Bytes(0)}).value_or(member);
  }

  void read(const json::Value& value, const Key&, BytesPerSecond& member) {
    member = json::convert<BytesPerSecond>(value, reading_.problems, {.above = BytesPerSecond(0)})
                 .value_or(member);
  }

  void read(const json::Value& value, const Key&, DecodeRate& member) {
    if (value.kind() == json::Kind::string) {
      if (const std::optional<double> samples = samples_per_second(value.string())) {
        member.rate = *samples;
        return;
      }
      if (const auto bytes = try_parse<BytesPerSecond>(value.string()).value;
          bytes && *bytes > BytesPerSecond(0)) {
        member.rate = *bytes;
        return;
      }
    }
    reading_.problems.add(value.place(), "this is no rate of decoding",
                          R"(write rows or bytes in a second: "1500 samples/s", "300 MB/s")");
  }

  void read(const json::Value& value, const Key& key, std::vector<Fault>& member) {
    if (value.kind() != json::Kind::array) {
      reading_.problems.add(value.place(), fmt::format("wanted a list, found {}", describe(value.kind())));
      return;
    }
    for (const json::Value& entry : value.elements()) {
      Parser inside(entry, fmt::format("{}.{}", below(key.name), member.size()), reading_);
      reading_.note(inside.path_, entry.place(), key.meaning);
      keys_of(inside, member.emplace_back());
      inside.finish();
    }
  }

  void read(const json::Value& value, const Key&, MemoryLimit& member) {
    constexpr Bytes mebibyte(1 << 20);
    if (value.kind() == json::Kind::integer) {
      const auto count =
          json::convert<std::int64_t>(value, reading_.problems, {.at_least = 1, .at_most = 1 << 30});
      member.bytes = mebibyte * count.value_or(1);
    } else {
      member.bytes =
          json::convert<Bytes>(value, reading_.problems, {.at_least = Bytes(1)}).value_or(mebibyte);
    }
  }

  void read(const json::Value& value, const Key& key, std::vector<std::int64_t>& member) {
    const json::Range<std::int64_t> range{.at_least = key.at_least, .at_most = key.at_most};
    member = json::convert<std::vector<std::int64_t>>(value, reading_.problems, range).value_or(member);
  }

  void read(const json::Value& value, const Key& key, std::map<std::string, std::int64_t>& member) {
    json::Reader rows(value, reading_.problems);
    if (value.kind() != json::Kind::object) return;
    for (const json::Member& row : value.members()) {
      reading_.note(fmt::format("{}.{}", below(key.name), row.key), row.key_place(), key.meaning);
      if (row.value.kind() == json::Kind::integer)
        read(row.value, key, member[row.key]);
      else
        reading_.problems.add(row.value.place(),
                              fmt::format("wanted a whole number, found {}", describe(row.value.kind())),
                              std::string(key.meaning));
    }
  }

  void read(const json::Value& value, const Key&, std::vector<std::string>& member) {
    member = json::convert<std::vector<std::string>>(value, reading_.problems).value_or(member);
  }

  void read(const json::Value& value, const Key& key, std::map<std::string, LogicalDevices>& member) {
    json::Reader devices(value, reading_.problems);
    if (value.kind() != json::Kind::object) return;
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
    if (value.kind() != json::Kind::array) {
      reading_.problems.add(value.place(), fmt::format("wanted a list, found {}", describe(value.kind())),
                            R"(an entry for each logical device: [{"memory_limit": 1024}])");
      return;
    }
    for (const json::Value& cut : value.elements()) {
      Parser inside(cut, path, reading_);
      keys_of(inside, member.cut.emplace_back());
      inside.finish();
    }
  }

  void read(const json::Value& value, const Key&, std::vector<Choice>& member) {
    if (value.kind() != json::Kind::array) {
      reading_.problems.add(value.place(), fmt::format("wanted a list, found {}", describe(value.kind())));
      return;
    }
    for (const json::Value& entry : value.elements()) member.push_back({entry});
  }

  void read(const json::Value& value, const Key&, std::map<std::int64_t, double>& member) {
    json::Reader rows(value, reading_.problems);
    if (value.kind() != json::Kind::object) return;
    for (const json::Member& row : value.members()) {
      if (row.key == "description") continue;
      const auto number = json::convert<double>(row.value, reading_.problems, {.above = 0.0});
      const bool is_count =
          !row.key.empty() && row.key.size() < 19 && row.key.front() != '0' &&
          std::all_of(row.key.begin(), row.key.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (!is_count) {
        reading_.problems.add(row.key_place(), fmt::format("\"{}\" is no batch size", row.key),
                              R"(write whole numbers as keys: {"64": 0.01, "128": 0.02})");
      } else if (number) {
        member[std::stoll(row.key)] = *number;
      }
    }
  }

  void read(const json::Value& value, const Key&, Numbers& member) {
    member = {};
    read_numbers(value, 0, member);
  }

  // Row by row; `depth` lists are open. The first entry on each level says how long the others must be.
  void read_numbers(const json::Value& value, std::size_t depth, Numbers& numbers) {
    const bool is_list = value.kind() == json::Kind::array;
    const bool is_first = numbers.values.empty();
    if (is_list && is_first && depth == numbers.shape.size()) {
      numbers.shape.push_back(static_cast<std::int64_t>(value.elements().size()));
    }
    const bool fits = is_list ? depth < numbers.shape.size() &&
                                    static_cast<std::size_t>(numbers.shape[depth]) == value.elements().size()
                              : depth == numbers.shape.size();
    if (!fits || (is_list && value.elements().empty())) {
      reading_.problems.add(value.place(), "this entry has another shape than the ones before it",
                            "numbers, or lists of equal length and depth: [[1, 2], [3, 4]]");
      return;
    }
    if (!is_list) {
      numbers.values.push_back(json::convert<double>(value, reading_.problems).value_or(0));
      return;
    }
    for (const json::Value& entry : value.elements()) read_numbers(entry, depth + 1, numbers);
  }

  template <class T>
  void read_object(const json::Value& value, const Key& key, T& member) {
    Parser inside(value, below(key.name), reading_);
    keys_of(inside, member);
    inside.finish();
  }
  void read(const json::Value& value, const Key& key, CommunicationOptions& member) {
    read_object(value, key, member);
  }
  void read(const json::Value& value, const Key& key, Strategy& member);
  template <class Options>
  void refuse_options_of_others(const json::Value& value, StrategyType type, const Options& own);
  void read(const json::Value& value, const Key& key, Training& member) { read_object(value, key, member); }
  void read(const json::Value& value, const Key& key, Host& member) { read_object(value, key, member); }
  void read(const json::Value& value, const Key& key, Input& member) { read_object(value, key, member); }
  void read(const json::Value& value, const Key& key, Devices& member) { read_object(value, key, member); }
  void read(const json::Value& value, const Key& key, Time& member) { read_object(value, key, member); }
  void read(const json::Value& value, const Key& key, Shuffle& member) { read_object(value, key, member); }
  void read(const json::Value& value, const Key& key, Evaluation& member) { read_object(value, key, member); }
  void read(const json::Value& value, const Key& key, Checkpointing& member) {
    read_object(value, key, member);
  }
  void read(const json::Value& value, const Key& key, Dataset& member);
  void read(const json::Value& value, const Key& key, Model& member);
  const model::ZooModel* zoo_row(const json::Value& value, std::string_view name);
  void read_keras_or_layers(const json::Value& value, Model& member);

  json::Reader reader_;
  std::string path_;
  Reading& reading_;
};

// The alternative of that number, empty.
template <std::size_t index = 0>
void choose_options(StrategyType wanted, Strategy& strategy) {
  if constexpr (index < std::variant_size_v<decltype(Strategy::options)>) {
    if (index == static_cast<std::size_t>(wanted)) strategy.options.emplace<index>();
    choose_options<index + 1>(wanted, strategy);
  }
}

// Lists the keys of an object.
struct KeyNames {
  std::vector<std::string_view> names{};

  template <class T>
  void operator()(const Key& key, T&) {
    names.push_back(key.name);
  }
  void later(std::string_view name, std::string_view) { names.push_back(name); }
  void exactly_one(Together) {}
  void at_most_one(Together) {}
};

template <class Options>
std::vector<std::string_view> keys_of_options() {
  KeyNames keys;
  Options options{};
  keys_of(keys, options);
  return keys.names;
}

// Which strategies have this option.
template <std::size_t... index>
std::vector<std::string_view> strategies_with(std::string_view key, std::index_sequence<index...>) {
  using All = decltype(Strategy::options);
  std::vector<std::string_view> found;
  const auto look = [&](StrategyType type, const std::vector<std::string_view>& keys) {
    if (std::ranges::find(keys, key) != keys.end()) found.push_back(name_of(type));
  };
  (look(static_cast<StrategyType>(index), keys_of_options<std::variant_alternative_t<index, All>>()), ...);
  return found;
}

// The source that `type` names, empty.
template <std::size_t index = 0>
void choose_source(std::size_t wanted, Dataset& dataset) {
  if constexpr (index < source_names.size()) {
    if (index == wanted) dataset.source.emplace<index>();
    choose_source<index + 1>(wanted, dataset);
  }
}

template <class Options>
void Parser::refuse_options_of_others(const json::Value& value, StrategyType type, const Options&) {
  constexpr std::size_t all = std::variant_size_v<decltype(Strategy::options)>;
  const std::vector<std::string_view> own = keys_of_options<Options>();
  for (const json::Member& member : value.members()) {
    if (std::ranges::find(own, std::string_view(member.key)) != own.end()) continue;
    const auto others = strategies_with(member.key, std::make_index_sequence<all>{});
    if (others.empty()) continue;
    reader_.value(member.key);
    reader_.problem(member.key,
                    fmt::format("\"{}\" is an option of {}, and the strategy is {}", member.key,
                                fmt::join(others, " and "), name_of(type)),
                    "leave it out, or change the \"type\"");
  }
}

void Parser::read(const json::Value& value, const Key& key, Strategy& member) {
  Parser inside(value, below(key.name), reading_);
  if (value.kind() != json::Kind::object) return;
  const std::size_t before = reading_.problems.found().size();
  StrategyType type{};
  inside(strategy_type, type);
  if (reading_.problems.found().size() > before) return;  // without it nothing can be said about other keys
  choose_options(type, member);
  std::visit(
      [&](auto& options) {
        inside.refuse_options_of_others(value, type, options);
        keys_of(inside, options);
      },
      member.options);
  inside.finish();
}

void Parser::read(const json::Value& value, const Key& key, Dataset& member) {
  Parser inside(value, below(key.name), reading_);
  if (value.kind() != json::Kind::object) return;
  std::string type;
  inside(required("type", "where the rows come from"), type);
  const auto found = std::find(source_names.begin(), source_names.end(), type);
  if (found == source_names.end()) {
    // Without its type nothing can be said about the other keys.
    if (!type.empty()) {
      inside.reader_.problem("type", fmt::format("\"{}\" is not a kind of dataset", type),
                             did_you_mean(type, source_names));
    }
    return;
  }
  choose_source(static_cast<std::size_t>(found - source_names.begin()), member);
  std::visit([&](auto& source) { keys_of(inside, source); }, member.source);
  keys_of(inside, member);
  inside.finish();
}

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
    inside.exactly_one({"zoo", "keras_json", "layers"});
    for (const char* form : {"zoo", "keras_json", "layers"}) inside.reader_.value(form);
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
  } else if (const json::Value* layers = value.find("layers")) {
    auto& model = member.form.emplace<InlineModel>();
    (*this)(optional("name", "the model's name"), model.name);
    reader_.array("layers");
    model.layers = *layers;
  }
}

// What cannot be JSON is text, so that a shell's quotes are enough: --set training.optimizer=adam.
json::Value override_value(const std::string& text, std::size_t begin) {
  constexpr std::string_view json_begins_with = "{[\"";
  const bool must_be_json =
      begin < text.size() && json_begins_with.find(text[begin]) != std::string_view::npos;
  try {
    return json::parse(text, std::string(command_line), begin);
  } catch (const InputError&) {
    if (must_be_json) throw;
  }
  const std::string quoted = text.substr(0, begin) + json::quote(text.substr(begin));
  return json::parse(quoted, std::string(command_line), begin);
}

std::vector<std::string> dotted(std::string_view path) {
  std::vector<std::string> steps;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    steps.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return steps;
}

json::Value with_override(const json::Value& tree, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::vector<std::string> path = dotted(std::string_view(text).substr(0, equals));
  const bool is_empty = std::any_of(path.begin(), path.end(), [](const auto& step) { return step.empty(); });
  if (equals == std::string::npos || is_empty) {
    throw InputError(fmt::format("{} {}: wanted key=value", command_line, text),
                     "keys are those of a scenario, with dots: --set training.epochs=3");
  }
  return json::replaced(tree, path, override_value(text, equals + 1));
}

json::Value with_overrides(json::Value tree, const std::vector<std::string>& overrides) {
  Problems problems;
  for (const std::string& text : overrides) {
    try {
      tree = with_override(tree, text);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    }
  }
  problems.throw_if_any();
  return tree;
}

void fill_in(Scenario& scenario) {
  Training& training = scenario.training;
  if (!training.epochs && !training.steps) training.epochs = 1;
  if (!training.loss_scale) {
    training.loss_scale = training.loop == Loop::fit ? LossScale::keras : LossScale::global_batch;
  }
  if (auto* workers = std::get_if<MultiWorkerMirrored>(&scenario.strategy.options)) {
    if (workers->communication) workers->communication_options.implementation = *workers->communication;
    workers->communication.reset();
  }
  const auto fill_seeds = [&](Dataset& dataset) {
    if (auto* synthetic = std::get_if<SyntheticData>(&dataset.source)) {
      if (!synthetic->seed) synthetic->seed = scenario.seed;
    }
    if (dataset.shuffle && !dataset.shuffle->seed) dataset.shuffle->seed = scenario.seed;
  };
  fill_seeds(scenario.dataset);
  if (training.evaluation && training.evaluation->dataset) fill_seeds(*training.evaluation->dataset);
}

// A value of another type than its key wants: the remedy is what the key means.
std::vector<Problem> with_remedies(const Reading& reading) {
  std::vector<Problem> problems = reading.problems.found();
  for (Problem& problem : problems) {
    if (!problem.remedy.empty()) continue;
    for (const auto& [path, place] : reading.places) {
      const bool is_it = std::tie(place.file, place.line, place.column) ==
                         std::tie(problem.place.file, problem.place.line, problem.place.column);
      if (is_it)
        problem.remedy = fmt::format("{}: {}", path.empty() ? "a scenario" : path, reading.meanings.at(path));
    }
  }
  return problems;
}

Scenario parse_tree(const json::Value& tree, const std::filesystem::path& file) {
  Reading reading;
  reading.folder = file.parent_path();
  reading.note("", tree.place(),
               R"(an object, { "name": ..., "model": ..., "dataset": ..., "training": ... })");
  Scenario scenario;
  Parser parser(tree, "", reading);
  if (const json::Value* description = parser.reader().value("description")) {
    scenario.description = json::convert<std::string>(*description, reading.problems).value_or("");
  }
  keys_of(parser, scenario);
  parser.finish();
  scenario.places = reading.places;
  check(scenario, reading.problems);
  // Whoever mends a file wants to hear of the platform now, and it is read only when the scenario is built.
  if (reading.problems.any()) check_platform(scenario, reading.problems);
  if (reading.problems.any()) throw InputError(with_remedies(reading));
  fill_in(scenario);
  return scenario;
}

}  // namespace

Scenario parse(std::string text, const std::filesystem::path& file,
               const std::vector<std::string>& overrides) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw InputError(
        Problem{Place{.file = file.string()}, "the file is empty", "scenarios/ has some to begin with"});
  }
  return parse_tree(with_overrides(json::parse(std::move(text), file.string()), overrides), file);
}

Scenario parse_file(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  return parse(read_text(path), path, overrides);
}

bool is_per_row(const Training& training) {
  return training.loop == Loop::custom && training.loss.written &&
         training.loss.written->kind() == json::Kind::string;
}

Place Scenario::place(std::string_view path) const {
  for (;;) {
    const auto found = places.find(path);
    if (found != places.end()) return found->second;
    if (path.empty()) return {};
    const std::size_t dot = path.rfind('.');
    path = dot == std::string_view::npos ? "" : path.substr(0, dot);
  }
}

std::int64_t Scenario::global_batch(std::int64_t replicas) const {
  return training.global_batch ? *training.global_batch : training.per_replica_batch.value_or(0) * replicas;
}

std::string slug(std::string_view name) {
  std::string text;
  for (char letter : name) {
    const bool is_upper = letter >= 'A' && letter <= 'Z';
    const bool is_plain = is_upper || (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
    if (is_plain) text += is_upper ? static_cast<char>(letter - 'A' + 'a') : letter;
    if (!is_plain && !text.empty() && text.back() != '_') text += '_';
  }
  while (!text.empty() && text.back() == '_') text.pop_back();
  return text.empty() ? "scenario" : text;
}

}  // namespace wt::scenario
