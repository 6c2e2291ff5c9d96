#pragma once
// What measurements on the real machines change in the times that are predicted for their description: the section
// "calibration" of a platform file, which `windtunnel calibrate` writes. Constants of a class (a generation of
// devices, a kind of network card) come first, and these factors correct them for one system.

#include <optional>
#include <string>

#include "base/json.h"
#include "base/quantity.h"

namespace wt::platform {

// How the calls of a communication library differ from prediction, in one of its protocols.
struct CallFactors {
  double latency = 1;  // factor on the predicted latencies, of the call and of each message
  double rate = 1;     // factor on the predicted rates
  Seconds start{};     // more time before the first message

  bool operator==(const CallFactors&) const = default;
};

// By NCCL's protocols. `switches` is of all-reduces that NVSwitches add up, whatever the protocol, and `wires` of
// machines without a known library.
struct LibraryFactors {
  std::optional<CallFactors> ll{};
  std::optional<CallFactors> ll128{};
  std::optional<CallFactors> simple{};
  std::optional<CallFactors> switches{};
  std::optional<CallFactors> wires{};
};

// What devices lose that meet in every step (communication::Synchronization has the constants of all systems).
struct MeasuredSynchronization {
  double spread = 0;
  Seconds process{};
};

struct Calibration {
  std::string source{};                     // what was measured, and how far predictions then were off
  std::optional<double> kernels{};          // factor on the times of all kernels
  std::optional<LibraryFactors> inside{};   // of collectives within a machine
  std::optional<LibraryFactors> between{};  // of collectives of several machines
  std::optional<MeasuredSynchronization> synchronization{};
};

// The text of a platform file with this section in place of its own.
std::string with_calibration(const json::Value& content, const Calibration& calibration);

}  // namespace wt::platform
