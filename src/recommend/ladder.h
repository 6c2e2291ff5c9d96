#pragma once
// The sizes in which a platform can be had, from small to large: one machine, two machines, and so on; of TPUs,
// the slices of the generation. Devices of an ideal switch come one by one. Parts of a machine are no sizes, since
// a machine is rented or bought whole.

#include <cstdint>
#include <string>
#include <vector>

#include "device/type.h"

namespace wt::recommend {

struct Size {
  std::string text{};         // "13 machines", "slice 4x4x8"
  std::string platform{};     // the value of the scenario's "platform", as JSON
  std::int64_t count = 1;     // of machines, chips or devices: Ladder::unit
  std::int64_t machines = 1;  // hosts with devices
  std::int64_t replicas = 1;  // as TensorFlow counts devices
  std::vector<std::string>
      strategies{};  // values of the scenario's "strategy", as JSON: the fastest one counts
};

struct Ladder {
  std::string platform{};  // its name
  std::string unit{};      // what is counted: "machine", "chip", "device"
  device::DeviceType device{};
  std::optional<double> calibrated{};  // factor on the times of its kernels, by the user's calibration
  std::vector<Size> sizes{};           // never empty
  std::string end{};                   // why there are no larger sizes
};

// Throws InputError if there is no such platform, or if its devices differ.
Ladder ladder_of(const std::string& platform, std::int64_t most_devices);

}  // namespace wt::recommend
