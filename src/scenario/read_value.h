#pragma once
// A key's value where it is one value, of the type that its member has: a number in its range, a word, a
// path, a quantity, a list of them. What has keys of its own is read by scenario/read_scenario.h. What is
// wrong goes to the reading, and the member keeps its default.

#include <type_traits>

#include "base/json_reader.h"
#include "scenario/keys.h"
#include "scenario/reading.h"

namespace wt::scenario {

void read_value(const json::Value& value, const Key& key, std::string& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, InputPath& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, OutputPath& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, AlgorithmName& member, Reading& reading);

// Kept as they are written, for those who know what they may be.
void read_value(const json::Value& value, const Key& key, Choice& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, std::vector<Choice>& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, PlatformChoice& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, ClusterChoice& member, Reading& reading);

void read_value(const json::Value& value, const Key& key, Seconds& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, Bytes& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, BytesPerSecond& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, DecodeRate& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, MemoryLimit& member, Reading& reading);

void read_value(const json::Value& value, const Key& key, Numbers& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, std::vector<std::string>& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, std::vector<std::int64_t>& member,
                Reading& reading);
void read_value(const json::Value& value, const Key& key, std::map<std::int64_t, double>& member,
                Reading& reading);

template <class T>
requires std::is_arithmetic_v<T>
void read_value(const json::Value& value, const Key& key, T& member, Reading& reading) {
  json::Range<T> range;
  if constexpr (!std::is_same_v<T, bool>) {
    if (key.at_least) range.at_least = static_cast<T>(*key.at_least);
    if (key.at_most) range.at_most = static_cast<T>(*key.at_most);
  }
  member = json::convert<T>(value, reading.problems, range).value_or(member);
  if constexpr (!std::is_same_v<T, bool>) {
    if (!key.except || member != static_cast<T>(*key.except)) return;
    reading.problems.add(value.place(), fmt::format("{} is out of range", member), std::string(key.meaning));
  }
}

// A word of scenario/names.h.
template <class T>
requires requires { Names<T>::rows; }
void read_value(const json::Value& value, const Key& key, T& member, Reading& reading) {
  std::string word;
  read_value(value, key, word, reading);
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
    reading.problems.add(value.place(), fmt::format("\"{}\" is not offered yet: {}", word, row.meaning),
                         list_known(known));
    return;
  }
  reading.problems.add(value.place(), fmt::format("\"{}\" is not {}", word, Names<T>::noun),
                       did_you_mean(word, known));
}

}  // namespace wt::scenario
