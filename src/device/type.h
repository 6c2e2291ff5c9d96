#pragma once
// The data sheet of a device type: its peak rates, its memory, and the constants with which the roofline
// model (plan/roofline.h) converts work into seconds. With these data, a step can be timed on a device that
// is not present. The shipped data sheets are in platforms/devices.json.

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/power.h"
#include "base/quantity.h"
#include "device/name.h"

namespace wt::device {

// The precision of matrix products and convolutions. Other kernels compute in float32.
enum class Precision : std::uint8_t { float32, tf32, float16, bfloat16 };
std::string_view name(Precision precision);  // "float32"

// NVIDIA's version number of a GPU's instruction set and features, such as 7.5 for Turing.
struct ComputeCapability {
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
};

// The share of its peak rate that a device reaches in convolutions, matrix products and memory transfers.
// These three constants per generation and precision reproduce published step times within 2-3 %, and further
// constants don't improve that. The fourth, of the products inside a fused Winograd kernel, is assumed.
struct Efficiency {
  double convolution = 0.70;
  double product = 0.80;
  double memory = 0.80;
  double winograd = 0.60;
  std::string fitted_to{};  // a group of `windtunnel verify measurements`, which writes them; empty: none
  std::string source{};     // the origin of the constants; empty if they are the generic ones
  std::string note{};       // what the rows show besides
};

// The time between two kernels on devices for which it isn't known. Measured gaps are from 1.3 us (CUDA
// graphs) to 3.3 us.
inline constexpr Seconds generic_launch_gap{3e-6};

// Device memory that the libraries of a process occupy, independently of the model.
struct Reserve {
  Bytes context{};        // driver and loaded kernels
  Bytes libraries{};      // handles and fixed workspaces of BLAS and convolution libraries
  Bytes communication{};  // buffers of the collective library, if there are several devices
  std::string source{};
};

// The power that the maker publishes for a device under load: of a GPU, of its whole board.
struct PublishedPower {
  Watts power{};
  std::string source{};
};

// A row of platforms/devices.json, or a device type that a platform file describes itself.
struct DeviceType {
  std::string id{};  // "rtx4090"
  std::vector<std::string> aliases{};
  std::string product{};     // "NVIDIA GeForce RTX 4090"
  std::string generation{};  // "ada": the generation whose constants it uses; empty if it has its own
  Kind kind = Kind::gpu;
  std::map<Precision, FlopsPerSecond> peak{};  // without sparsity; always contains float32
  Bytes memory{};
  BytesPerSecond memory_bandwidth{};
  std::optional<ComputeCapability> compute_capability{};
  int processors = 0;   // streaming multiprocessors or compute units of a GPU, cores of a CPU; 0 if unknown
  int matrix_unit = 0;  // a TPU pads contracted and output features to a multiple of it; 0: no padding
  Seconds launch_gap = generic_launch_gap;       // between one kernel's end and the next one's start
  std::map<Precision, Efficiency> efficiency{};  // generic constants apply to absent precisions
  Reserve reserve{};
  std::optional<PublishedPower> power{};  // unset: the maker publishes none
  std::string source{};
  std::string note{};  // unverified values, and disagreements between sources
};

}  // namespace wt::device
