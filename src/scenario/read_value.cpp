#include "scenario/read_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/json_override.h"
#include "base/plausible.h"
#include "base/utf8.h"
#include "scenario/nccl_keys.h"

namespace wt::scenario {

// ---- Words and paths

void read_value(const json::Value& value, const Key& key, std::string& member, Reading& reading) {
  member = json::convert<std::string>(value, reading.problems).value_or(member);
  if (value.kind() == json::Kind::string && member.empty()) {
    reading.problems.add(value.place(), fmt::format("\"{}\" is empty", key.name));
  }
}

void read_value(const json::Value& value, const Key& key, InputPath& member, Reading& reading) {
  std::string written;
  read_value(value, key, written, reading);
  if (!written.empty()) member.path = reading.open_path(value);
}

void read_value(const json::Value& value, const Key& key, OutputPath& member, Reading& reading) {
  read_value(value, key, member.path, reading);
}

void read_value(const json::Value& value, const Key& key, strategy::AlgorithmName& member, Reading& reading) {
  read_value(value, key, member.name, reading);
  const std::vector<std::string_view> known = key.names();
  if (member.name.empty() || std::ranges::find(known, std::string_view(member.name)) != known.end()) return;
  reading.problems.add(value.place(), fmt::format("\"{}\" is not an all-reduce", printable(member.name)),
                       did_you_mean(member.name, known));
}

void read_value(const json::Value& value, const Key& key, NcclSetting& member, Reading& reading) {
  // A version's last zero counts: 2.30 isn't 2.3.
  const bool is_number = value.kind() == json::Kind::real || value.kind() == json::Kind::integer;
  if (is_number && nccl_key(key.name).may_be_number)
    member.text = value.text();
  else
    read_value(value, key, member.text, reading);
  if (member.text.empty()) return;
  try {
    collective::LibrarySettings settings;
    nccl_key(key.name).set(settings, member.text);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems())
      reading.problems.add(value.place(), problem.fact, problem.remedy);
  }
}

void read_value(const json::Value& value, const Key& key, strategy::Word& member, Reading& reading) {
  std::string word;
  read_value(value, key, word, reading);
  if (word.empty()) return;
  const auto found = std::ranges::find(member.names, std::string_view(word));
  const auto later = std::ranges::find(member.later, std::string_view(word), &json::Later::name);
  if (found != member.names.end())
    member.index = static_cast<std::size_t>(found - member.names.begin());
  else if (later != member.later.end())
    reading.problems.add(value.place(), fmt::format("\"{}\" is not offered yet: {}", word, later->meaning),
                         list_known(member.names));
  else
    reading.problems.add(value.place(), fmt::format("\"{}\" is not {}", word, member.noun),
                         did_you_mean(word, member.names));
}

namespace {

// Calls `read` with a value, or with each of a list of them.
template <class Read>
void for_one_or_each(const json::Value& value, std::string_view what, Reading& reading, Read read) {
  if (value.kind() != json::Kind::array) return read(value);
  if (value.elements().empty())
    reading.problems.add(value.place(), fmt::format("the list of {} is empty", what), "name at least one");
  for (const json::Value& entry : value.elements()) read(entry);
}

std::vector<std::string> read_names(const json::Value& value, const Key& key, std::string_view what,
                                    Reading& reading) {
  std::vector<std::string> names;
  for_one_or_each(value, what, reading,
                  [&](const json::Value& name) { read_value(name, key, names.emplace_back(), reading); });
  return names;
}

}  // namespace

void read_value(const json::Value& value, const Key& key, TensorNames& member, Reading& reading) {
  member.names = read_names(value, key, "tensors", reading);
}

void read_value(const json::Value& value, const Key&, train::UpdateFrequency& member, Reading& reading) {
  const bool is_word = value.kind() == json::Kind::string;
  if (is_word && (value.string() == "epoch" || value.string() == "batch")) {
    member.steps = value.string() == "batch" ? std::optional<std::int64_t>(1) : std::nullopt;
  } else if (value.kind() == json::Kind::integer && value.integer() >= 1 && value.integer() <= json::most) {
    member.steps = value.integer();
  } else {
    reading.problems.add(value.place(), "this is neither a word nor a number of steps",
                         R"(write "epoch", "batch", or a number of steps from 1 on)");
  }
}

void read_value(const json::Value& value, const Key& key, InputFiles& member, Reading& reading) {
  for_one_or_each(value, "files", reading, [&](const json::Value& file) {
    std::string written;
    read_value(file, key, written, reading);
    if (!written.empty()) member.patterns.push_back(reading.open_path(file));
  });
}

void read_value(const json::Value& value, const Key& key, LabelKinds& member, Reading& reading) {
  for_one_or_each(value, "kinds", reading, [&](const json::Value& kind) {
    read_value(kind, key, member.kinds.emplace_back(), reading);
  });
}

void read_value(const json::Value& value, const Key& key, ColumnLists& member, Reading& reading) {
  const bool is_list_of_lists =
      value.kind() == json::Kind::array && std::ranges::any_of(value.elements(), [](const auto& entry) {
        return entry.kind() == json::Kind::array;
      });
  const auto read = [&](const json::Value& tensor) {
    member.tensors.push_back(read_names(tensor, key, "columns", reading));
  };
  if (!is_list_of_lists) return read(value);
  for (const json::Value& tensor : value.elements()) read(tensor);
}

void read_value(const json::Value& value, const Key& key, ClassLists& member, Reading& reading) {
  if (!reading.is_object(value)) return;
  for (const json::Member& column : value.members()) {
    if (!reading.is_list(column.value, R"(the classes of a column: ["setosa", "virginica"])")) continue;
    std::vector<std::string>& classes = member[column.key];
    for (const json::Value& word : column.value.elements()) {
      read_value(word, key, classes.emplace_back(), reading);
      if (std::ranges::count(classes, classes.back()) > 1)
        reading.problems.add(word.place(), fmt::format("\"{}\" is listed twice", printable(classes.back())),
                             "list every class once");
    }
  }
}

// ---- As written

void read_value(const json::Value& value, const Key&, Choice& member, Reading&) { member.written = value; }

void read_value(const json::Value& value, const Key&, OutputChoice& member, Reading&) {
  member.written = value;
}

namespace {

// A metric alone is a list of one.
std::vector<Choice> metrics_of(const json::Value& value) {
  if (value.kind() != json::Kind::array) return {{value}};
  std::vector<Choice> metrics;
  for (const json::Value& entry : value.elements()) metrics.push_back({entry});
  return metrics;
}

}  // namespace

void read_value(const json::Value& value, const Key&, OutputMetrics& member, Reading& reading) {
  if (value.kind() == json::Kind::object) {
    member.is_by_output = true;
    for (const json::Member& output : value.members()) {
      member.names.push_back(output.key);
      member.lists.push_back(metrics_of(output.value));
    }
    return;
  }
  if (!reading.is_list(value)) return;
  member.is_by_output = std::ranges::any_of(
      value.elements(), [](const json::Value& entry) { return entry.kind() == json::Kind::array; });
  if (!member.is_by_output) member.lists = {metrics_of(value)};
  if (member.is_by_output)
    for (const json::Value& entry : value.elements()) member.lists.push_back(metrics_of(entry));
}

void read_value(const json::Value& value, const Key&, PlatformChoice& member, Reading& reading) {
  if (value.kind() == json::Kind::string || value.kind() == json::Kind::object)
    member = {value, value.place().file == json::command_line ? "" : reading.folder.string()};
  else
    reading.problems.add(value.place(),
                         fmt::format("expected a name or an object, found {}", describe(value.kind())));
}

void read_value(const json::Value& value, const Key&, ClusterChoice& member, Reading& reading) {
  member.written = value;
  try {
    member.config = cluster::read_cluster(value, reading.problems);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems())
      reading.problems.add(problem.place.file.empty() ? value.place() : problem.place, problem.fact,
                           problem.remedy);
  }
}

// ---- Quantities

void read_value(const json::Value& value, const Key&, Seconds& member, Reading& reading) {
  member = json::convert<Seconds>(value, reading.problems, {.above = Seconds(0)}).value_or(member);
}

void read_value(const json::Value& value, const Key&, Bytes& member, Reading& reading) {
  member = json::convert<Bytes>(value, reading.problems, {.at_least = Bytes(0)}).value_or(member);
}

void read_value(const json::Value& value, const Key&, BytesPerSecond& member, Reading& reading) {
  member =
      json::convert<BytesPerSecond>(value, reading.problems, {.above = BytesPerSecond(0)}).value_or(member);
}

namespace {

// The rate in "1500 samples/s"; none if the text has another form.
std::optional<double> samples_per_second(std::string_view text) {
  constexpr std::string_view unit = "samples/s";
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(unit.size());
  while (text.ends_with(' ')) text.remove_suffix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr double least = 1e-6, most = 1e15;
  const bool is_good =
      error == std::errc{} && end == text.data() + text.size() && number >= least && number <= most;
  return is_good ? std::optional(number) : std::nullopt;
}

}  // namespace

void read_value(const json::Value& value, const Key&, DecodeRate& member, Reading& reading) {
  if (value.kind() == json::Kind::string) {
    if (const std::optional<double> samples = samples_per_second(value.string())) {
      member.rate = *samples;
      return;
    }
    if (const auto bytes = parse_plausible<BytesPerSecond>(value.string()).value;
        bytes && *bytes > BytesPerSecond(0)) {
      member.rate = *bytes;
      return;
    }
  }
  reading.problems.add(
      value.place(), "this is no rate of decoding",
      R"(write rows or bytes in a second: "1500 samples/s", "300 MB/s"; at most 1e15 samples/s)");
}

void read_value(const json::Value& value, const Key&, MemoryLimit& member, Reading& reading) {
  constexpr Bytes mebibyte(1 << 20);
  if (value.kind() == json::Kind::integer) {
    const auto count =
        json::convert<std::int64_t>(value, reading.problems, {.at_least = 1, .at_most = most_mebibytes});
    member.bytes = mebibyte * count.value_or(1);
  } else {
    member.bytes = json::convert<Bytes>(value, reading.problems, {.at_least = Bytes(1)}).value_or(mebibyte);
  }
}

// ---- Money

void read_value(const json::Value& value, const Key&, Watts& member, Reading& reading) {
  member = json::convert<Watts>(value, reading.problems, {.above = Watts(0)}).value_or(member);
}

namespace {

// Text that `parse` turns into the member.
template <class T>
void read_text(const json::Value& value, Parsed<T> (*parse)(std::string_view), T& member, Reading& reading) {
  if (value.kind() != json::Kind::string) {
    reading.problems.add(value.place(), fmt::format("expected a string, found {}", describe(value.kind())));
    return;
  }
  Parsed<T> parsed = parse(value.string());
  if (parsed.value)
    member = std::move(*parsed.value);
  else
    reading.problems.add(value.place(), printable(parsed.fact), parsed.remedy);
}

}  // namespace

void read_value(const json::Value& value, const Key&, Money& member, Reading& reading) {
  read_text(value, try_parse_money, member, reading);
}

void read_value(const json::Value& value, const Key&, cost::HourlyRate& member, Reading& reading) {
  read_text(value, cost::parse_rate, member, reading);
}

void read_value(const json::Value& value, const Key&, cost::EnergyPrice& member, Reading& reading) {
  read_text(value, cost::parse_energy_price, member, reading);
}

// ---- Several

void read_value(const json::Value& value, const Key&, std::vector<std::string>& member, Reading& reading) {
  member = json::convert<std::vector<std::string>>(value, reading.problems).value_or(member);
}

void read_value(const json::Value& value, const Key& key, std::vector<std::int64_t>& member,
                Reading& reading) {
  const json::Range<std::int64_t> range{.at_least = key.at_least, .at_most = key.at_most};
  member = json::convert<std::vector<std::int64_t>>(value, reading.problems, range).value_or(member);
}

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 19 && (text.front() != '0' || text.size() == 1) &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

void read_value(const json::Value& value, const Key&, std::map<std::int64_t, double>& member,
                Reading& reading) {
  if (!reading.is_object(value)) return;
  for (const json::Member& row : value.members()) {
    if (row.key == "description") continue;
    const auto number = json::convert<double>(row.value, reading.problems, {.above = 0.0});
    if (!is_number(row.key) || row.key == "0") {
      reading.problems.add(row.key_place(), fmt::format("\"{}\" is no batch size", row.key),
                           R"(write whole numbers as keys: {"64": 0.01, "128": 0.02})");
    } else if (number) {
      member[std::stoll(row.key)] = *number;
    }
  }
}

void read_value(const json::Value& value, const Key&, ClassWeights& member, Reading& reading) {
  constexpr std::int64_t most_classes = 1'000'000;
  if (!reading.is_object(value)) return;
  for (const json::Member& row : value.members()) {
    if (row.key == "description") continue;
    const auto weight = json::convert<double>(row.value, reading.problems, {.at_least = 0.0});
    const bool is_class = is_number(row.key) && std::stoll(row.key) < most_classes;
    if (!is_class)
      reading.problems.add(row.key_place(), fmt::format("\"{}\" is no class", printable(row.key)),
                           R"(write the numbers of classes as keys, from 0 on: {"0": 1, "1": 5})");
    else if (weight)
      member.of[std::stoll(row.key)] = *weight;
  }
}

namespace {

// The first entry of each level determines the length of the others.
std::vector<std::int64_t> shape_of(const json::Value& value) {
  std::vector<std::int64_t> shape;
  for (const json::Value* at = &value; at->kind() == json::Kind::array; at = &at->elements().front()) {
    shape.push_back(std::ssize(at->elements()));
    if (at->elements().empty()) break;
  }
  return shape;
}

// Row by row; `depth` lists are open.
void read_numbers(const json::Value& value, std::size_t depth, Numbers& numbers, Problems& problems) {
  const bool is_list = value.kind() == json::Kind::array;
  const bool fits = is_list ? depth < numbers.shape.size() && !value.elements().empty() &&
                                  numbers.shape[depth] == std::ssize(value.elements())
                            : depth == numbers.shape.size();
  if (!fits) {
    problems.add(value.place(), "this entry has another shape than the ones before it",
                 "numbers, or lists of equal length and depth: [[1, 2], [3, 4]]");
    return;
  }
  if (!is_list) {
    numbers.values.push_back(json::convert<double>(value, problems).value_or(0));
    return;
  }
  for (const json::Value& entry : value.elements()) read_numbers(entry, depth + 1, numbers, problems);
}

}  // namespace

void read_value(const json::Value& value, const Key&, Numbers& member, Reading& reading) {
  member = {.shape = shape_of(value)};
  read_numbers(value, 0, member, reading.problems);
}

void read_value(const json::Value& value, const Key& key, std::vector<double>& member, Reading& reading) {
  if (!reading.is_list(value)) return;
  if (value.elements().empty())
    reading.problems.add(value.place(), fmt::format("\"{}\" is empty", key.name), "give at least one number");
  for (const json::Value& entry : value.elements())
    if (const auto number = json::convert<double>(entry, reading.problems)) member.push_back(*number);
}

void read_value(const json::Value& value, const Key& key, OutputNumbers& member, Reading& reading) {
  const auto add = [&](const json::Value& entry) {
    if (const auto number = json::convert<double>(entry, reading.problems)) member.values.push_back(*number);
  };
  if (value.kind() == json::Kind::object) {
    for (const json::Member& output : value.members()) {
      member.names.push_back(output.key);
      add(output.value);
    }
    return;
  }
  if (!reading.is_list(value)) return;
  if (value.elements().empty())
    reading.problems.add(value.place(), fmt::format("\"{}\" is empty", key.name), "give at least one number");
  for (const json::Value& entry : value.elements()) add(entry);
}

}  // namespace wt::scenario
