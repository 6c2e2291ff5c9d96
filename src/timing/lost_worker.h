#pragma once
// Predicts how a job ends when one of its tasks is lost.
//
// Workers that meet in collectives wait for the lost one in the next of them, until TensorFlow finds out that it is gone,
// or the collective times out. In TensorFlow's own rings a worker receives from its neighbour over a connection that
// ends with the neighbour's process: it notices at once, and so do those behind it. A tensor of up to 16 numbers is a
// single piece, and the worker before the lost one waits to send it, which notices nothing. That worker learns of the loss
// by heartbeats, which every worker sends to a service in the first one. If it is the first worker itself, the lost one's
// heartbeats are missed. If not, the first worker has noticed at once and ended, and the next heartbeat finds no service.
// A program on one machine simply ends. Tasks that are called by a coordinator are missed at the
// next call. Seen by killing processes of TensorFlow 2.15.1 and 2.21 (tests/recordings/failures.tar.gz).

#include <optional>

#include "cluster/machine.h"
#include "plan/timeline.h"
#include "timing/ending.h"
#include "timing/faults.h"

namespace wt::timing {

// How TensorFlow finds out that a worker which others wait for is gone.
enum class HealthCheck : std::uint8_t {
  probes,      // up to TensorFlow 2.10: every worker asks its peers (collective_all_reduce_strategy.py)
  heartbeats,  // TensorFlow 2.15: a service in the first worker misses the heartbeats of a task
  unhealthy    // TensorFlow 2.21: the same, in other words
};

// From the last sign of life of a task until others give it up: a task that is cut off for a shorter time goes on.
Seconds patience_of(HealthCheck check);

// What is known of the step in which the task is lost.
struct StepOfLoss {
  std::int64_t number = 0;
  Seconds begin{};                           // since the training began
  const plan::Plan* plan = nullptr;          // of the step
  const plan::Timeline* timeline = nullptr;  // of the step, if nothing were lost
  bool is_tensorflows = false;               // TensorFlow itself carries out the collective, and not NCCL
  Bytes reduced{};                           // by its first collective
};

// Workers that meet in collectives, in several processes. A collective fails when it waits longer than `timeout`;
// absent: it waits until the loss is found out. The end is that of the worker that learns of the loss last, and the message
// is its own; where all learn of it at once, that of the lost one's neighbour. TensorFlow's message puts "Collective ops is
// aborted by: " in front once more for each further neighbour.
LostWorker lost_in_collective(const Failure& failure, const cluster::Machine& machine, const StepOfLoss& step,
                              HealthCheck check, std::optional<Seconds> timeout);

// A program that is one process with all of its devices.
LostWorker lost_program(const Failure& failure, const cluster::Machine& machine, const StepOfLoss& step);

// A server, a coordinator, or a host of TPUs: the coordinator's next call of it fails, and the program ends with the
// error. Without their coordinator the other tasks wait for ever.
LostWorker lost_to_coordinator(const Failure& failure, const cluster::Machine& machine,
                               const StepOfLoss& step, HealthCheck check);

}  // namespace wt::timing
