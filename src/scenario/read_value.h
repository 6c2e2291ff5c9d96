#pragma once
// Reads the value of a key whose member is one value: a number in its range, a word, a path, a quantity, or a
// list of these. Objects with keys of their own are read by scenario/read_scenario.h. Problems go to the
// reading, and the member then keeps its default.

#include <type_traits>

#include "base/json_reader.h"
#include "scenario/keys.h"
#include "scenario/reading.h"

namespace wt::scenario {

void read_value(const json::Value& value, const Key& key, std::string& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, InputPath& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, OutputPath& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, strategy::AlgorithmName& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, NcclSetting& member, Reading& reading);

// Kept as they are written: other folders know the legal values.
void read_value(const json::Value& value, const Key& key, TensorNames& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, train::UpdateFrequency& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, LabelKinds& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, InputFiles& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, ColumnLists& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, ClassLists& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, Choice& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, OutputChoice& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, OutputMetrics& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, PlatformChoice& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, ClusterChoice& member, Reading& reading);

void read_value(const json::Value& value, const Key& key, Seconds& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, Bytes& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, BytesPerSecond& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, DecodeRate& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, MemoryLimit& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, Watts& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, Money& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, cost::HourlyRate& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, cost::EnergyPrice& member, Reading& reading);

void read_value(const json::Value& value, const Key& key, Numbers& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, std::vector<double>& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, OutputNumbers& member, Reading& reading);
void read_value(const json::Value& value, const Key& key, ClassWeights& member, Reading& reading);
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

void read_value(const json::Value& value, const Key& key, strategy::Word& member, Reading& reading);

// A word of scenario/names.h.
template <class T>
requires requires { Names<T>::rows; }
void read_value(const json::Value& value, const Key& key, T& member, Reading& reading) {
  strategy::Word word{.noun = Names<T>::noun, .later = Names<T>::later};
  for (const auto& row : Names<T>::rows) word.names.push_back(row.name);
  read_value(value, key, word, reading);
  if (word.index) member = Names<T>::rows[*word.index].value;
}

}  // namespace wt::scenario
