#pragma once
// The measured seconds of each kernel call on one device, kept in a file. Measured time enters a result only
// through such a file, so that the same file gives the same result again.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "device/type.h"
#include "plan/plan.h"

namespace wt::plan {

// The device on which a profile was measured. Its times hold for devices that agree in type, product and
// setup.
struct ProfiledDevice {
  std::string type{};     // an id of platforms/devices.json, or this_machine
  std::string product{};  // "AMD EPYC 7742"
  device::Kind kind = device::Kind::cpu;
  std::string setup{};  // "2 threads, avx2", "driver for CUDA 13.0, tf32"
  // The measured rates of large matrix products and of kernels that only read and write. They give the
  // roofline of this device when its times are transferred to another one. Absent: the data sheet of `type`
  // holds.
  struct Rates {
    FlopsPerSecond product{};
    BytesPerSecond memory{};
  };
  std::optional<Rates> rates{};
};

inline constexpr std::string_view this_machine = "this_machine";

// A measured copy from one memory of the machine to another. It helps the user who describes the machine in a
// platform file. The simulation does not read it.
struct ProfiledCopy {
  std::string from{};  // "host", "GPU 0"
  std::string to{};
  Bytes bytes{};
  Seconds seconds{};
};

bool is_same(const ProfiledDevice& one, const ProfiledDevice& other);
std::string name(const ProfiledDevice& device);  // "AMD EPYC 7742, 2 threads, avx2"

// A device type made of the measured rates, for the roofline. Its efficiencies are 1, because measured rates
// include all losses.
device::DeviceType type_of(const ProfiledDevice& device, Bytes memory);

// The content of a profile file.
struct Profile {
  ProfiledDevice device{};
  std::string date{};     // of the measurement: "2026-11-22"
  std::string version{};  // of the program whose kernels they were
  // The name of another device from whose times these were derived, by the ratio of the two rooflines.
  // Absent: the device itself was measured.
  std::optional<std::string> measured_on{};
  std::map<std::string, Seconds, std::less<>> kernels{};  // by the text of call_of
  std::vector<ProfiledCopy> copies{};
};

// "conv2d(float32[16,28,28,1], float32[3,3,1,32]) -> float32[16,26,26,32] strides=[2,2]": calls with the same
// text take the same time. The text is empty for nodes that are not the work of one device: moves between
// devices, collectives, and the sums of their schedules.
std::string call_of(const Plan& plan, const Node& node);

// Throws InputError with every problem of the file.
Profile read_profile(const json::Value& file);
std::string print(const Profile& profile);

}  // namespace wt::plan
