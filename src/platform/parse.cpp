#include "platform/parse.h"

#include <fmt/format.h>

#include <type_traits>

#include "base/json_reader.h"
#include "platform/device_types.h"
#include "platform/keys.h"

namespace wt::platform {

namespace {

template <class T>
concept has_words = requires {
  Words<T>::rows;
};

template <class T>
concept has_place = requires(T& content) {
  content.place;
};

template <class T>
concept is_scalar = std::is_arithmetic_v<T> || std::is_same_v<T, std::string> || std::is_same_v<T, Bytes> ||
    std::is_same_v<T, Seconds> || std::is_same_v<T, BytesPerSecond>;

// Whether an object must have all required keys, or has only the differences from existing content ("like").
enum class Coverage : std::uint8_t { full, differences };

// Reads one object as a visitor of its list of keys (keys.h): for each key, operator() looks the key up and
// converts its value to the type of the member. Absent keys leave the member as it is. Every object may have
// "source", and every constant may be written as {"value": ..., "source": "..."}.
class Parser {
 public:
  Parser(const json::Value& object, Problems& problems, Coverage coverage = Coverage::full)
      : reader_(object, problems), problems_(problems), coverage_(coverage) {
    if (object.kind() == json::Kind::object) read_source();
  }

  template <class T>
  static void object(const json::Value& value, T& content, Problems& problems,
                     Coverage coverage = Coverage::full) {
    Parser parser(value, problems, coverage);
    parser.read_all(value, content);
  }

  template <class T>
  void read_all(const json::Value& value, T& content) {
    remember_place(value, content);
    keys_of(*this, content);
    finish();
  }

  template <class T>
  void operator()(const Key& key, T& member) {
    if (const json::Value* value = look_up(key)) read(*value, key, member);
  }

  // The objects "network" and "fabric", which need to know which of the two they are.
  void network(const Key& key, std::optional<Network>& member, bool joins_devices) {
    const json::Value* value = look_up(key);
    if (value == nullptr) return;
    Parser parser(*value, problems_);
    parser.remember_place(*value, member.emplace());
    keys_of(parser, *member, joins_devices);
    parser.finish();
  }

  // The number of machines, or one group for each entry of a list.
  void machines(const Key& key, std::vector<MachineGroup>& groups) {
    const json::Value* value = look_up(key);
    if (value == nullptr) return;
    if (value->kind() != json::Kind::array) {
      read(*value, key, groups.front().count);
      return;
    }
    groups.clear();
    for (const json::Value& element : value->elements()) object(element, groups.emplace_back(), problems_);
    if (!groups.empty()) return;
    problems_.add(value->place(), "\"machines\" is an empty list",
                  R"(write {"file": "cpu_server"}, or a number)");
    groups.emplace_back();
  }

  // The value of a key; null if it is absent, which is a problem for a required key.
  const json::Value* look_up(const Key& key) {
    const json::Value* value = reader_.value(key.name);
    if (value == nullptr && key.required && coverage_ == Coverage::full) {
      reader_.problem(key.name, fmt::format("this object has no \"{}\"", key.name),
                      fmt::format("add \"{}\": {}", key.name, key.meaning));
    }
    return value;
  }

  void finish() { reader_.finish(); }

 private:
  void read_source() {
    if (const json::Value* source = reader_.value("source"))
      source_ = json::convert<std::string>(*source, problems_).value_or("");
  }

  template <class T>
  void remember_place(const json::Value& value, T& content) {
    if constexpr (requires { content.source; }) content.source = source_;
    if constexpr (requires { content.wire.place; }) content.wire.place = value.place();
    if constexpr (has_place<T>) content.place = value.place();
  }

  // The constant in {"value": "26 GB/s", "source": "..."}, or the value itself.
  const json::Value* constant(const json::Value& value) {
    if (value.kind() != json::Kind::object) return &value;
    Parser sourced(value, problems_);
    const json::Value* found = sourced.look_up(required_key("value", "the constant itself"));
    sourced.finish();
    return found;
  }

  template <is_scalar T>
  static json::Range<T> range_of(const Key& key) {
    if constexpr (std::is_same_v<T, int>) return {.at_least = key.at_least, .at_most = key.at_most};
    if constexpr (std::is_same_v<T, BytesPerSecond>) return {.above = BytesPerSecond(0)};
    if constexpr (std::is_same_v<T, Seconds>) return {.at_least = Seconds(0)};
    if constexpr (std::is_same_v<T, Bytes>) return {.above = Bytes(0)};
    if constexpr (std::is_same_v<T, double>) {
      const double largest = key.at_most ? static_cast<double>(*key.at_most) : largest_ratio;
      const double least = key.at_least ? static_cast<double>(*key.at_least) : smallest_ratio;
      return {.at_least = least, .at_most = largest};
    }
    return {};
  }

  template <is_scalar T>
  void read(const json::Value& value, const Key& key, T& member) {
    const json::Value* written = constant(value);
    if (written == nullptr) return;
    member = json::convert<T>(*written, problems_, range_of<T>(key)).value_or(member);
  }

  template <is_scalar T>
  void read(const json::Value& value, const Key& key, std::vector<T>& member) {
    const json::Value* written = constant(value);
    if (written == nullptr) return;
    member = json::convert<std::vector<T>>(*written, problems_, range_of<T>(key)).value_or(member);
  }

  template <has_words T>
  void read(const json::Value& value, const Key& key, T& member) {
    const json::Value* written = constant(value);
    if (written == nullptr) return;
    std::vector<std::string_view> known;
    for (const auto& row : Words<T>::rows) {
      if (written->kind() == json::Kind::string && row.name == written->string()) {
        member = row.value;
        return;
      }
      known.push_back(row.name);
    }
    const bool is_text = written->kind() == json::Kind::string;
    problems_.add(written->place(),
                  is_text ? fmt::format("unknown {} {}", key.name, written->text())
                          : fmt::format("expected a string, found {}", describe(written->kind())),
                  is_text ? did_you_mean(written->string(), known) : list_known(known));
  }

  void read(const json::Value& value, const Key&, Shape& member) {
    std::optional<std::string> text;
    if (const json::Value* written = constant(value)) text = json::convert<std::string>(*written, problems_);
    if (!text) return;
    if (const std::optional<Shape> shape = parse_shape(*text)) {
      member = *shape;
    } else {
      problems_.add(value.place(), fmt::format("{} is not a shape", value.text()),
                    fmt::format("write 1 to {} extents, as in \"4x4x8\"", most_axes));
    }
  }

  void read(const json::Value& value, const Key& key, std::vector<Shape>& member) {
    if (value.kind() != json::Kind::array) {
      problems_.add(value.place(), fmt::format("expected a list, found {}", describe(value.kind())),
                    "write [\"4x4\", \"4x8\"]");
      return;
    }
    for (const json::Value& element : value.elements()) read(element, key, member.emplace_back());
  }

  void read(const json::Value& value, const Key&, device::DeviceType& member) {
    if (std::optional<device::DeviceType> type = read_device_type(value, problems_)) member = *type;
  }

  template <class T>
  void read(const json::Value& value, const Key& key, std::optional<T>& member) {
    T content{};
    if constexpr (has_keys<T>) {
      // A part that the other machine does not have must be complete.
      object(value, content = member.value_or(T{}), problems_, member ? coverage_ : Coverage::full);
    } else {
      read(value, key, content);
    }
    member = std::move(content);
  }

  template <class T>
  void read(const json::Value& value, const Key& key, Placed<T>& member) {
    member.place = value.place();
    read(value, key, member.value);
  }

  // One number, a list of numbers (levels), or a list of objects (a tree).
  void read(const json::Value& given, const Key& key, Switches& member) {
    const json::Value* written = constant(given);
    if (written == nullptr) return;
    const json::Value& value = *written;
    member = {};
    const bool is_list = value.kind() == json::Kind::array;
    const bool is_tree =
        is_list && !value.elements().empty() && value.elements()[0].kind() == json::Kind::object;
    if (is_tree) {
      read(value, key, member.emplace<std::vector<Switch>>());
    } else if (is_list) {
      read(value, count_key(key.name, key.meaning, 1, most_parts), std::get<std::vector<int>>(member));
    } else {
      int count = 0;
      read(value, count_key(key.name, key.meaning, 0, most_parts), count);
      if (count > 0) std::get<std::vector<int>>(member) = {count};
    }
  }

  void read(const json::Value& value, const Key&, std::vector<Switch>& member) {
    if (value.kind() != json::Kind::array) {
      problems_.add(value.place(), fmt::format("expected a list, found {}", describe(value.kind())));
      return;
    }
    for (const json::Value& element : value.elements()) object(element, member.emplace_back(), problems_);
  }

  void read(const json::Value& value, const Key&, std::vector<Pair>& member) {
    if (value.kind() != json::Kind::array) {
      problems_.add(value.place(), fmt::format("expected a list, found {}", describe(value.kind())),
                    "write [[0, 1, 2], [0, 2]]");
      return;
    }
    for (const json::Value& element : value.elements()) {
      const auto numbers = json::convert<std::vector<int>>(element, problems_, {.at_least = 0});
      if (!numbers) continue;
      if (numbers->size() < 2 || numbers->size() > 3 || numbers->back() < (numbers->size() == 3 ? 1 : 0)) {
        problems_.add(element.place(), "this is not a pair of devices",
                      "write two devices, and the number of links if it is not 1: [0, 1, 2]");
        continue;
      }
      const int links = numbers->size() == 3 ? (*numbers)[2] : 1;
      member.push_back({(*numbers)[0], (*numbers)[1], links, element.place()});
    }
  }

  template <class T>
  static constexpr bool has_keys = requires(Parser& visit, T& content) {
    keys_of(visit, content);
  };

  template <class T>
  requires has_keys<T>
  void read(const json::Value& value, const Key&, T& member) { object(value, member, problems_, coverage_); }

  json::Reader reader_;
  Problems& problems_;
  Coverage coverage_;
  std::string source_{};
};

// The description in another file, whose machine is needed. Unset if there was no such file.
std::optional<Description> borrowed(const json::Value& name, const NamedFile& named_file,
                                    Problems& problems) {
  if (!json::convert<std::string>(name, problems)) return std::nullopt;
  const json::Value* file = named_file(name, problems);
  if (file == nullptr) return std::nullopt;
  Description other = parse(*file, named_file, problems);
  if (other.ici) {
    problems.add(name.place(), fmt::format("{} is a TPU generation and not a single machine", name.text()),
                 "use it as a platform with a \"slice\"");
  }
  if (other.groups.size() > 1) {
    problems.add(name.place(),
                 fmt::format("{} describes {} groups of machines and not a single machine", name.text(),
                             other.groups.size()),
                 "use it as the platform");
  }
  return other;
}

// Takes over the machine of another file, and its network, fabric and calibration if the platform has none of its
// own.
void borrow_machine(const json::Value& name, const NamedFile& named_file, Description& platform,
                    Problems& problems) {
  std::optional<Description> found = borrowed(name, named_file, problems);
  if (!found) return;
  Description& other = *found;
  platform.groups.front().machine = std::move(other.groups.front().machine);
  if (!platform.network) platform.network = std::move(other.network);
  if (!platform.fabric) platform.fabric = std::move(other.fabric);
  if (!platform.calibration) platform.calibration = std::move(other.calibration);
}

// Reads "machine", which is an object, the name of another file, or an object with "like": the differences
// from the machine of another file.
void read_machine(const json::Value& value, const NamedFile& named_file, Description& platform,
                  Problems& problems) {
  if (value.kind() == json::Kind::string) {
    borrow_machine(value, named_file, platform, problems);
    return;
  }
  const json::Value* model = value.kind() == json::Kind::object ? value.find(like_key.name) : nullptr;
  Parser parser(value, problems, model == nullptr ? Coverage::full : Coverage::differences);
  if (model != nullptr) {
    parser.look_up(like_key);
    borrow_machine(*model, named_file, platform, problems);
  }
  parser.read_all(value, platform.groups.front().machine);
}

// Takes over the machine of the file that an entry of "machines" names. The first file that has a network lends
// it to a platform without one.
void borrow_group(const json::Value& entry, const NamedFile& named_file, MachineGroup& group,
                  Description& platform, Problems& problems) {
  const json::Value* name = entry.kind() == json::Kind::object ? entry.find(file_key.name) : nullptr;
  if (name != nullptr && name->kind() == json::Kind::object) name = name->find("value");
  if (name == nullptr || name->kind() != json::Kind::string) return;
  std::optional<Description> other = borrowed(*name, named_file, problems);
  if (!other) return;
  if (other->fabric)
    problems.add(name->place(),
                 fmt::format("{} joins devices by a \"fabric\", and groups of unlike machines are joined by "
                             "their NICs alone",
                             name->text()),
                 "use it as the platform, or name a file without a \"fabric\"");
  group.machine = std::move(other->groups.front().machine);
  if (platform.network || !other->network) return;
  platform.network = std::move(other->network);
  platform.network->place = platform.network->type.place = name->place();  // whoever names it can replace it
  platform.network_file = group.file;
}

// Reports each of `keys` that stands beside the key `with`.
void refuse_together(const json::Value& value, std::initializer_list<std::string_view> keys,
                     std::string_view with, std::string_view why, Problems& problems) {
  if (value.find(with) == nullptr) return;
  for (const std::string_view key : keys) {
    if (const json::Value* found = value.find(key))
      problems.add(found->place(), fmt::format("\"{}\" and \"{}\" exclude each other", key, with),
                   std::string(why));
  }
}

bool is_list(const json::Value* value) { return value != nullptr && value->kind() == json::Kind::array; }

// In a platform with a list of "machines".
void check_keys_beside_groups(const json::Value& value, Problems& problems) {
  for (const std::string_view key : {"machine", "devices", "ranks", "fabric", "ici", "slice", "slices"})
    if (const json::Value* found = value.find(key))
      problems.add(found->place(), fmt::format("\"{}\" and a list of \"machines\" exclude each other", key),
                   key == "devices" ? "write it in an entry of the list"
                                    : "leave it out: each entry of the list names the file of its machine");
}

void check_keys_together(const json::Value& value, Problems& problems) {
  refuse_together(value, {"fabric", "devices", "machines", "ranks"}, "ici",
                  "leave it out: the slice determines how many machines and devices there are", problems);
  refuse_together(value, {"devices"}, "ranks", "leave one of them out", problems);
  if (value.find("ici") != nullptr && value.find("slice") == nullptr)
    problems.add(value.place(), "this object has no \"slice\"", "add \"slice\": its shape or its name");
  for (const std::string_view key : {"slice", "slices"}) {
    const json::Value* found = value.find(key);
    if (found != nullptr && value.find("ici") == nullptr)
      problems.add(found->place(), fmt::format("\"{}\" needs \"ici\": only TPUs have slices", key),
                   "leave it out");
  }
}

}  // namespace

Description parse(const json::Value& value, const NamedFile& named_file, Problems& problems) {
  Description platform;
  platform.place = value.place();
  Parser parser(value, problems);
  if (value.kind() != json::Kind::object) return platform;
  if (const json::Value* text = value.find("description"))
    platform.description = json::convert<std::string>(*text, problems).value_or("");
  keys_of(parser, platform);
  const json::Value* machine = parser.look_up(machine_key);
  if (const json::Value* list = value.find("machines"); is_list(list)) {
    for (std::size_t i = 0; i < list->elements().size(); ++i)
      borrow_group(list->elements()[i], named_file, platform.groups[i], platform, problems);
    parser.finish();
    check_keys_beside_groups(value, problems);
    return platform;
  }
  if (machine != nullptr)
    read_machine(*machine, named_file, platform, problems);
  else
    problems.add(value.place(), "this object has no \"machine\"",
                 fmt::format("add \"machine\": {}", machine_key.meaning));
  parser.finish();
  check_keys_together(value, problems);
  return platform;
}

}  // namespace wt::platform
