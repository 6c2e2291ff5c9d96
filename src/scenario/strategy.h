#pragma once
// What a scenario says under "strategy": a type, and what the constructor of TensorFlow's class of that type
// is told. Options have TensorFlow's names; what TensorFlow doesn't have says so.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/quantity.h"
#include "strategy/cross_device_ops.h"
#include "strategy/multi_worker_mirrored.h"

namespace wt::scenario {

// A file that is read: relative to the scenario's own folder. `path` can be opened from here.
struct InputPath {
  std::string path{};
};

enum class StrategyType : std::uint8_t {
  default_strategy,
  one_device,
  mirrored,
  central_storage,
  multi_worker_mirrored,
  tpu
};

// An all-reduce of collective/catalog.h.
struct AlgorithmName {
  std::string name{};
};

// Gradients reduced while the backward pass goes on: PyTorch's way, not TensorFlow's.
struct Buckets {
  bool overlap = false;
  std::optional<Bytes> bucket_cap{};  // absent: 25 MiB
};

// tf.distribute.experimental.CommunicationOptions.
struct CommunicationOptions {
  strategy::CommunicationImplementation implementation = strategy::CommunicationImplementation::automatic;
  Bytes bytes_per_pack{};            // 0: all gradients in one
  std::optional<Seconds> timeout{};  // of a collective; absent: none
};

// Of strategies whose collectives don't follow them: read, so that one scenario may try several, and told of.
struct Hints {
  std::optional<CommunicationOptions> communication_options{};
};

struct DefaultStrategy {};

struct OneDevice {
  std::optional<std::string> device{};  // absent: the first of the best kind
};

// One of TensorFlow's reductions, or a schedule in a file.
struct CrossDeviceOpsChoice {
  std::variant<strategy::CrossDeviceOps, InputPath> form{};
};

struct Mirrored {
  std::optional<std::vector<std::string>> devices{};  // absent: all GPUs of the machine, else its CPUs
  std::optional<CrossDeviceOpsChoice> cross_device_ops{};
  std::optional<std::int64_t> num_packs{};        // of nccl and hierarchical_copy; absent: 1
  std::optional<std::string> reduce_to_device{};  // of reduction_to_one_device; absent: replica 0's
  bool faithful = true;
  std::optional<AlgorithmName> algorithm{};  // absent: what the library takes
  Buckets buckets{};
  Hints hints{};
};

inline std::optional<strategy::CrossDeviceOps> named_ops(const Mirrored& mirrored) {
  if (!mirrored.cross_device_ops) return std::nullopt;
  const auto* word = std::get_if<strategy::CrossDeviceOps>(&mirrored.cross_device_ops->form);
  return word != nullptr ? *word : strategy::CrossDeviceOps::schedule;
}

struct CentralStorage {
  std::optional<std::vector<std::string>> compute_devices{};
  std::optional<std::string> parameter_device{};
  Hints hints{};
};

struct MultiWorkerMirrored {
  CommunicationOptions communication_options{};
  // In short; parsing moves it into the options.
  std::optional<strategy::CommunicationImplementation> communication{};
  std::optional<AlgorithmName> algorithm{};
  Buckets buckets{};
};

struct Tpu {
  std::optional<std::vector<std::int64_t>> computation_shape{};  // of a DeviceAssignment; absent: one core
  // Layers, and the logical device of their replica that they are on.
  std::map<std::string, std::int64_t> experimental_assign_to_logical_device{};
  std::optional<AlgorithmName> algorithm{};  // absent: by the slice's axes
  Hints hints{};

  std::int64_t cores_per_replica() const;
};

struct Strategy {
  // In the order of StrategyType.
  std::variant<DefaultStrategy, OneDevice, Mirrored, CentralStorage, MultiWorkerMirrored, Tpu> options{};

  StrategyType type() const { return static_cast<StrategyType>(options.index()); }
  template <class Options>
  const Options* as() const {
    return std::get_if<Options>(&options);
  }
};

// Those that a strategy was given and ignores; null: none.
inline const CommunicationOptions* hints_of(const Strategy& strategy) {
  const auto hints = [](const auto& options) -> const CommunicationOptions* {
    if constexpr (requires { options.hints; })
      return options.hints.communication_options ? &*options.hints.communication_options : nullptr;
    else
      return nullptr;
  };
  return std::visit(hints, strategy.options);
}

}  // namespace wt::scenario
