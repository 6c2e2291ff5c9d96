#pragma once
// What kernels really took on one device: seconds by call, measured once and kept in a file. The only way by
// which measured time enters a result, so that the same file gives the same result again.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "device/type.h"
#include "plan/plan.h"

namespace wt::plan {

// A device that a profile is of. Times hold for one that is the same in all three words.
struct ProfiledDevice {
  std::string type{};     // an id of platforms/devices.json, or this_machine
  std::string product{};  // "AMD EPYC 7742"
  device::Kind kind = device::Kind::cpu;
  std::string setup{};  // "2 threads, avx2", "driver for CUDA 13.0, tf32"
  // Of large products of matrices, and of kernels that only read and write: what the roofline of another
  // device is compared with. Absent: the type says it.
  struct Rates {
    FlopsPerSecond product{};
    BytesPerSecond memory{};
  };
  std::optional<Rates> rates{};
};

inline constexpr std::string_view this_machine = "this_machine";

// Bytes that were copied from one of the machine's memories to another. Kept beside the kernels for who describes the
// machine in a platform file; nothing is timed with it.
struct ProfiledCopy {
  std::string from{};  // "host", "GPU 0"
  std::string to{};
  Bytes bytes{};
  Seconds seconds{};
};

bool is_same(const ProfiledDevice& one, const ProfiledDevice& other);
std::string name(const ProfiledDevice& device);  // "AMD EPYC 7742, 2 threads, avx2"

// Of this machine, for the roofline: rates that were measured are reached whole.
device::DeviceType type_of(const ProfiledDevice& device, Bytes memory);

struct Profile {
  ProfiledDevice device{};
  std::string date{};     // of the measurement: "2026-11-22"
  std::string version{};  // of the program whose kernels they were
  // Absent: the device itself was measured. Else its times follow from this other one's, by the ratio of
  // their rooflines.
  std::optional<std::string> measured_on{};
  std::map<std::string, Seconds, std::less<>> kernels{};  // by call
  std::vector<ProfiledCopy> copies{};
};

// "conv2d(float32[16,28,28,1], float32[3,3,1,32]) -> float32[16,26,26,32] strides=[2,2]": calls of the same
// text take the same time. Empty for what is no work of one device: moves between devices, collectives and
// the sums of their schedules.
std::string call_of(const Plan& plan, const Node& node);

// Throws InputError with everything that is wrong in the file.
Profile read_profile(const json::Value& file);
std::string print(const Profile& profile);

}  // namespace wt::plan
