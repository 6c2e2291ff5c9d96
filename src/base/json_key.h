#pragma once
// The description of one key of a JSON object: its name, what it means, and which values it may have. A list of
// such descriptions serves several readers (a parser, the writer of a JSON Schema, the writer of a resolved
// file), which visit it with the member that each key fills.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wt::json {

// The key beside which another key may be absent, and the word that it then has.
struct Unless {
  std::string_view key{};
  std::string_view word{};
};

struct Key {
  std::string_view name{};
  std::string_view meaning{};
  bool required = false;
  std::optional<Unless> required_unless{};  // required beside every other word of that key
  std::optional<std::int64_t> at_least{};
  std::optional<std::int64_t> at_most{};
  std::optional<std::int64_t> except{};
  std::vector<std::string_view> (*names)() =
      nullptr;  // the legal values, where the key names a row of a table
};

constexpr Key optional(std::string_view name, std::string_view meaning) {
  return {.name = name, .meaning = meaning};
}
constexpr Key required(std::string_view name, std::string_view meaning) {
  return {.name = name, .meaning = meaning, .required = true};
}

// The largest count of anything: rows, steps, epochs. It is beyond what a training reaches, a double holds it
// exactly, and a million times as much still fits into 64 bits.
inline constexpr std::int64_t most = 1'000'000'000'000;

constexpr Key count(std::string_view name, std::string_view meaning, std::int64_t at_most = most) {
  return {.name = name, .meaning = meaning, .at_least = 1, .at_most = at_most};
}
constexpr Key required_count(std::string_view name, std::string_view meaning) {
  return {.name = name, .meaning = meaning, .required = true, .at_least = 1, .at_most = most};
}

// Names of keys that exclude each other.
using Together = std::initializer_list<std::string_view>;

// A word that a later version will accept, and what it will mean.
struct Later {
  std::string_view name{};
  std::string_view meaning{};
};

// A file that is read. The JSON file names it relative to its own folder; `path` is relative to the folder in
// which the program was started.
struct InputPath {
  std::string path{};
};

}  // namespace wt::json
