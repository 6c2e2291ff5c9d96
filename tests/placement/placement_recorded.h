// What TensorFlow was recorded to do about the placement of operations (placement.tar.gz, packed by
// tests/recordings/pack.py), and a process like the recorded ones: with logical CPUs, and with the log of what its
// operations print. How results are compared is in support/recorded.h.
#pragma once

#include "device/context.h"
#include "support/recorded.h"
#include "train/distributed/contexts.h"

namespace wt::test::placement {

inline const recordings::PackedRecordings& recorded() {
  static const recordings::PackedRecordings all({"../placement/placement.tar.gz"});
  return all;
}

// The recording of a case, in both versions of TensorFlow.
inline std::vector<const Recording*> both(const std::string& name) {
  std::vector<const Recording*> found;
  for (const Recording& recording : recorded().all())
    if (recording.id == "placement_" + name) found.push_back(&recording);
  EXPECT_EQ(found.size(), 2u) << name;
  return found;
}

// A process of TensorFlow that splits its CPU into logical ones.
struct Process {
  explicit Process(std::size_t cpus) {
    if (cpus > 1)
      context.set_logical_device_configuration(context.list_physical_devices()[0],
                                               device::LogicalDeviceConfigurations(cpus));
    tf.set_sink([this](const std::string& line) { lines.push_back(line); });
  }

  device::Context context{};
  train::Eager tf{context};
  std::vector<std::string> lines{};
  // The functions of train/tensor_operations.h, and variables, are those of this process.
  train::Entered entered{{&train::get_strategy(), train::ThreadMode::Kind::replica, 0, nullptr, &tf}};
};

inline std::string device_of(const EagerTensor& tensor) { return device::print(tensor.device); }

// The keys of all values and errors.
inline std::set<std::string> keys_of(const Recording& recording) {
  std::set<std::string> keys;
  for (const char* section : {"values", "errors"})
    for (const json::Member& member : recording.content.find(section)->members()) keys.insert(member.key);
  return keys;
}

// Those that no test has compared, apart from those that are left out for a reason.
inline std::vector<std::string> not_compared(const Recording& recording,
                                             const std::set<std::string>& left_out) {
  std::vector<std::string> missing;
  for (const std::string& key : keys_of(recording))
    if (!left_out.contains(key) && !compared()[&recording].keys.contains(key)) missing.push_back(key);
  return missing;
}

inline void expect_all_compared(const Recording& recording, const std::set<std::string>& left_out = {}) {
  EXPECT_EQ(not_compared(recording, left_out), std::vector<std::string>{})
      << recording.version << " " << recording.id;
}

// ---- Logs

using Operation = std::pair<std::string, std::string>;  // and its device
using Operations = std::vector<Operation>;

// The operations that lines such as "Executing op MatMul in device /job:..." name, in their order.
inline Operations operations_in(const std::vector<std::string>& lines) {
  static const std::regex executing("Executing op (\\S+) in device (\\S+)");
  Operations found;
  for (const std::string& line : lines)
    if (std::smatch parts; std::regex_search(line, parts, executing)) found.emplace_back(parts[1], parts[2]);
  return found;
}

inline Operations recorded_operations(const Recording& recording, const std::string& step) {
  std::vector<std::string> lines;
  const json::Value& printed = *recording.value("log")->find(step);
  for (const char* stream : {"out", "err"})
    for (const json::Value& line : printed.find(stream)->elements()) lines.push_back(line.string());
  return operations_in(lines);
}

// The nodes that a placer printed: lines such as "product: (MatMul): /job:...".
inline Operations nodes_in(const json::Value& printed) {
  static const std::regex placed("^\\S+: \\((\\w+)\\): (\\S+)$");
  Operations found;
  for (const json::Value& line : printed.find("out")->elements())
    if (std::smatch parts; std::regex_match(line.string(), parts, placed))
      found.emplace_back(parts[1], parts[2]);
  return found;
}

inline Operations recorded_nodes(const Recording& recording, const std::string& step) {
  return nodes_in(*recording.value("log")->find(step));
}

// Those of these names; all if there are none.
inline Operations only(const std::set<std::string>& names, const Operations& all) {
  Operations some;
  for (const Operation& each : all)
    if (names.empty() || names.contains(each.first)) some.push_back(each);
  return some;
}

}  // namespace wt::test::placement
