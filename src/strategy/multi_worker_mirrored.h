#pragma once

#include "strategy/library.h"
#include "strategy/packing.h"
#include "strategy/replicas.h"

namespace wt::strategy {

// tf.distribute.experimental.CommunicationImplementation.
enum class CommunicationImplementation : std::uint8_t { automatic, ring, nccl };
std::string_view name(CommunicationImplementation implementation);  // "AUTO"
// In any case of letters. Throws device::ValueError with TensorFlow's text for another word.
CommunicationImplementation communication_implementation(std::string_view word);

struct MultiWorkerMirroredOptions {
  CommunicationImplementation implementation = CommunicationImplementation::automatic;
  Packing packing{};
  Library nccl{};
  int subdivisions = 2;  // of TensorFlow's ring: the most per device
  StandFor stand_for{};  // by the devices of the first tasks
};

// The implementation that runs, and why. AUTO never takes NCCL.
struct ChosenImplementation {
  CommunicationImplementation implementation{};
  std::string why{};
};
ChosenImplementation choose_implementation(CommunicationImplementation asked, std::span<const Place> places);

// tf.distribute.MultiWorkerMirroredStrategy. Places stand task by task, and every task has the same number of
// devices.
plan::Plan lower_multi_worker_mirrored(Steps steps, std::span<const Place> places,
                                       const MultiWorkerMirroredOptions& options = {});

// The plan that runs before the first step: the first device of the chief sends its initial values to the
// first device of every task, which sends them on to the other devices of the task. In one task that is what
// MirroredStrategy does.
plan::Plan lower_initial_broadcast(const Step& step, std::span<const Place> places);

}  // namespace wt::strategy
