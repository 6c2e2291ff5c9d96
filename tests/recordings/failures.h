// Recordings of processes that fail (failures.tar.gz), and what TensorFlow says in each.
#pragma once

#include <fmt/format.h>

#include "recordings/packed_recordings.h"
#include "train/errors.h"

namespace wt::recordings {

inline const PackedRecordings& failures() {
  static const PackedRecordings packed({"failures.tar.gz"});
  return packed;
}

inline const json::Value& at(const json::Value& value, std::string_view key) {
  const json::Value* found = value.find(key);
  if (found == nullptr) throw InputError(fmt::format("the recording has no {}", key));
  return *found;
}

// What the processes of a recording put down, in the order of their tasks and their runs.
inline const std::vector<json::Value>& processes(const Recording& recording) {
  return recording.value("workers")->elements();
}

// An error by the name of its class in TensorFlow, and its sentence; or what a call returned. Empty: nothing.
struct Said {
  std::string type{};
  std::string sentence{};
  friend bool operator==(const Said&, const Said&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Said& said) {
    return out << (said.type.empty() ? "returned" : said.type) << ": " << said.sentence;
  }
};

// TensorFlow repeats the frames of the program's own functions before the error that was raised in one.
inline std::string without_frames(std::string sentence, const std::string& type) {
  if (!sentence.starts_with("in user code:")) return sentence;
  return sentence.substr(sentence.rfind(type + ": ") + type.size() + 2);
}

inline Said said_in(const json::Value& recorded) {
  const json::Value& type = at(recorded, "type");
  if (type.kind() != json::Kind::string) return {{}, std::string(at(recorded, "returned").string())};
  const std::string name(type.string());
  return {name, without_frames(std::string(at(recorded, "sentence").string()), name)};
}

inline std::string class_of(const InputError& error) {
  if (const auto* operation = dynamic_cast<const OpError*>(&error)) return std::string(operation->type());
  const auto is = [&]<class T>(const T*) { return dynamic_cast<const T*>(&error) != nullptr; };
  if (is(static_cast<const ValueError*>(nullptr))) return "ValueError";
  if (is(static_cast<const KeyError*>(nullptr))) return "KeyError";
  if (is(static_cast<const train::ClosureInputError*>(nullptr))) return "ClosureInputError";
  if (is(static_cast<const train::NotImplementedError*>(nullptr))) return "NotImplementedError";
  if (is(static_cast<const device::RuntimeError*>(nullptr))) return "RuntimeError";
  return "InputError";
}

// What a call says here; it returns what Python would print.
template <class Call>
Said said_by(const Call& call) {
  try {
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      return {{}, "None"};
    } else {
      return {{}, call()};
    }
  } catch (const InputError& error) {
    return {class_of(error), error.problems().front().fact};
  }
}

}  // namespace wt::recordings
