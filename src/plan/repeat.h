#pragma once
// A training is many steps: a step's plan once more and once more, as TensorFlow's processes run it. A process
// begins its next step when all of its own devices have finished this one; processes are held together by
// their collectives alone. Rows are read and decoded ahead by a pipeline of each process (tf.data's prefetch), and
// where a process has several replicas, the copies to its devices are made ahead, too: its iterator keeps one batch
// on the devices beside the one that is trained on (MultiDeviceIterator, whose buffer is 1 by default).

#include <functional>
#include <span>

#include "plan/condense.h"

namespace wt::plan {

// Of a process: how long its host takes for the rows of one step of all its replicas.
struct Pipeline {
  int process = 0;
  DeviceId host{};
  Seconds batch{};
};

struct Repetition {
  int steps = 1;
  std::vector<int> processes{};       // by device; counted from 0
  Seconds synchronization{};          // of a process' devices, at the end of each step
  std::vector<Pipeline> pipelines{};  // none: rows cost nothing but their copy, which is part of the step
  int prefetch = 0;                   // batches that wait on the host
  std::function<double(int step, DeviceId device)> pace{};  // what it computes takes so many times as long
};

struct Repeated {
  Timed timed{};
  std::vector<NodeId> first{};              // by step: node i of the step's plan is first + i
  std::vector<std::vector<NodeId>> ends{};  // by step: of each process
};

Repeated repeated(const Timed& step, const Repetition& repetition);

// How long each step took: from the last process' end of the step before to its own.
std::vector<Seconds> step_times(const Repeated& repeated, std::span<const Seconds> node_ends);

// The last steps repeat what the `period` before them took (relative 1e-9), three times over.
struct Steady {
  std::size_t from = 0;  // the first step that belongs to it
  std::size_t period = 1;
  Seconds step{};  // the mean of a period
};
std::optional<Steady> steady_state(std::span<const Seconds> steps);

}  // namespace wt::plan
