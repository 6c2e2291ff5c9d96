#pragma once
// The time of TensorFlow's own software on a host: what a step takes beside the work of devices and links. It is what
// makes MirroredStrategy slower than one device for small networks. Measured constants with their sources are in
// platforms/software.json.
//
// A compiled step launches its operations without waiting for them, so that launching bounds the step and adds
// nothing to a longer one. Keras' fit reads the loss after each step or execution of steps, so its own work comes on top.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/quantity.h"
#include "device/type.h"
#include "plan/plan.h"
#include "plan/roofline.h"

namespace wt::timing {

// How a program runs its steps.
enum class HostLoop : std::uint8_t {
  function,  // a loop of one's own around a tf.function
  fit,       // Keras' fit
  eager      // operation by operation
};

struct SoftwareOptions {
  HostLoop loop = HostLoop::function;
  std::string version = "keras3";  // of Keras, a row of "fit" in the constants
  bool has_strategy = true;        // false: TensorFlow's default strategy
  std::int64_t at_once = 1;        // steps per execution
  std::int64_t replicas = 1;       // that this process drives
  // For the collective by which the workers agree in each step that one of them still has rows; none in one process.
  Seconds agreement{};
  // What a step of one replica really took. Its software is part of that, so only what more replicas add is counted.
  std::optional<Seconds> measured{};
};

// Of one step.
struct Software {
  Seconds between{};    // no device works meanwhile
  Seconds launching{};  // devices work meanwhile, but the step can't be shorter
};

struct PerReplicas {
  Seconds alone{};    // without a strategy
  Seconds first{};    // with a strategy of one replica
  Seconds further{};  // for each further replica

  Seconds of(const SoftwareOptions& options) const {
    return options.has_strategy ? first + further * static_cast<double>(options.replicas - 1) : alone;
  }
};

// What one core takes to make tensors of rows that are text or records.
struct RowDecoder {
  Seconds row{};
  BytesPerSecond rate{};  // of the bytes as they are stored

  Seconds of(Bytes bytes) const { return row + bytes / rate; }
};

// Before the first step of a function, Python builds its graph: once for each replica of a process.
struct Tracing {
  Seconds replica{};
  Seconds operation{};
};

struct SoftwareConstants {
  PerReplicas function{};
  std::map<std::string, PerReplicas, std::less<>> fit{};  // by version of Keras
  PerReplicas eager{};
  Seconds eager_operation{};
  Seconds operation{};         // of a compiled step, to launch it
  Seconds loop_step_of_gpu{};  // a time step of a recurrent layer that no library computes, on a GPU
  Seconds loop_step_of_cpu{};
  std::map<std::string, Tracing, std::less<>> tracing{};      // by version of Keras
  std::map<std::string, RowDecoder, std::less<>> decoders{};  // by format
};

// The file that is installed, which is read at the first call. Throws InputError if it has mistakes.
const SoftwareConstants& software_constants();
SoftwareConstants read_software_constants(const std::filesystem::path& file);

// The work of the process that drives the plan's first device, whose type is `type`.
Software software_of(const plan::Plan& plan, const device::DeviceType& type,
                     const plan::RooflineOptions& roofline, const SoftwareOptions& options,
                     const SoftwareConstants& constants = software_constants());

// How long the process that drives the plan's first device traces the function of a step. Nothing is traced that runs
// operation by operation.
Seconds tracing_of(const plan::Plan& plan, const device::DeviceType& type, const SoftwareOptions& options,
                   const SoftwareConstants& constants = software_constants());

}  // namespace wt::timing
