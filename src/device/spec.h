#pragma once
// tf.DeviceSpec: a device name in parts, each of which may be open. It takes every name that TensorFlow takes, and
// refuses the others in TensorFlow's words; parse_name (name.h) is for the files of a user, whom it shows the wrong
// place. tf.device reads its name this way.
//
//   const DeviceSpec gpu = DeviceSpec::from_string("/job:worker/task:3/gpu:1");
//   gpu.make_merged_spec({.device_index = 2}).to_string();  // "/job:worker/task:3/device:GPU:2"

#include <optional>
#include <string>
#include <string_view>

#include "device/name.h"

namespace wt::device {

// To replace a part, as Python's `replace` does, assign it to a copy.
struct DeviceSpec {
  std::optional<std::string> job{};
  std::optional<int> replica{};
  std::optional<int> task{};
  std::optional<std::string> device_type{};
  std::optional<int> device_index{};

  // Throws ValueError.
  static DeviceSpec from_string(std::string_view text);

  // Without an index, "/device:GPU:*". An index without a type isn't printed.
  std::string to_string() const;

  // The parts of `inner`, whose open parts are those of this one.
  DeviceSpec make_merged_spec(const DeviceSpec& inner) const;

  Name name() const;  // in which stars are open parts

  friend bool operator==(const DeviceSpec& a, const DeviceSpec& b) { return a.to_string() == b.to_string(); }
};

// Whether the runtime reads a name that a DeviceSpec took: a job begins with a letter and consists of letters, digits
// and underscores, and indices aren't negative (core/util/device_name_utils.cc).
bool is_well_formed(const Name& name);

}  // namespace wt::device
