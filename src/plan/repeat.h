#pragma once
// Repeats the plan of one step for many steps, as TensorFlow's processes run it, so that the simulation shows
// how steps overlap. A process begins its next step when all of its own devices have finished the current
// one. Only collectives keep the processes in step with each other.
//
// Each process has an input pipeline that reads and decodes rows ahead of the training (prefetch of tf.data).
// The copies to its devices can be made ahead, too: TensorFlow's MultiDeviceIterator, whose buffer has one batch
// by default, keeps one more batch on the devices in addition to the current one.

#include <functional>
#include <span>

#include "plan/condense.h"
#include "plan/rows.h"
#include "plan/step_end.h"

namespace wt::plan {

// The input pipeline of a process.
struct Pipeline {
  int process = 0;
  DeviceId host{};
  Seconds batch{};  // time of the host for the rows of one step of all replicas of the process
};

// How a step is repeated.
struct Repetition {
  int steps = 1;
  std::vector<int> processes{};       // by device, the process that drives it, from 0
  StepEnd end{};                      // of each step in each process
  std::vector<Pipeline> pipelines{};  // empty: rows take no time except their copy, which is part of the step
  int prefetch = 0;                   // batches that are ready and wait on the host
  RowCopies copies = RowCopies::in_the_step;
  // Factor on the compute time of a device in a step: 1.3 for a straggler. Unset: 1 everywhere.
  std::function<double(int step, DeviceId device)> pace{};
};

// The plan of all steps. It can be timed and not executed, like every Timed plan.
struct Repeated {
  Timed timed{};
  std::vector<NodeId> first{};              // by step; node i of the step's plan is node first + i here
  std::vector<std::vector<NodeId>> ends{};  // by step and process, the node that ends the step
};

Repeated repeated(const Timed& step, const Repetition& repetition);

// The duration of each step, from the end of the last process in the previous step to that in this step.
std::vector<Seconds> step_times(const Repeated& repeated, std::span<const Seconds> node_ends);

// A periodic state of the step times: from step `from` on, each step takes the time of the step `period`
// earlier (within a relative 1e-9), and at least three periods were seen.
struct Steady {
  std::size_t from = 0;  // the first step of the periodic state
  std::size_t period = 1;
  Seconds step{};  // mean over one period
};
// The steady state at the end of these step times. It is absent if there is none with a period of at most 4.
std::optional<Steady> steady_state(std::span<const Seconds> steps);

}  // namespace wt::plan
