// timing/ computes how long a step and a training take on a described machine. It puts together what lower
// folders compute separately: seconds of kernels (plan/roofline.h, or measured ones), seconds of collectives
// (communication/), and the order of everything on devices and links (simulate/). simulate_step does all of
// it for one plan:
//
//   const Simulation simulation = simulate_step(plan, machine, {.rows = 128});
//   simulation.summary.step           // 12.3 ms
//   simulation.summary.compute        // 10.1 ms of it, in which the first device computes
//   simulation.summary.exposed        //  2.2 ms of it, in which it only waits for communication
//   simulation.timeline.nodes[7]      // when node 7 of the plan started and ended
//
// The parts of a step add up to the step, and none is negative. The first device of the plan stands for the
// others in the summary. Everything is deterministic: jitter comes from a seed. Values of tensors have no
// influence.
//
// The division into compute, exposed communication and waiting is the usual one of profilers, such as
// TensorFlow's. Read on in simulated.h (the summary), step_clock.h (one step), several_steps.h (many steps),
// rows_time.h (input), ending.h (faults) and step_account.h (where the time goes).
#pragma once

#include <optional>

#include "cluster/machine.h"
#include "communication/call.h"
#include "communication/known_times.h"
#include "communication/timing.h"
#include "plan/profiled.h"
#include "plan/roofline.h"
#include "plan/rows.h"
#include "plan/timeline.h"
#include "timing/overdue.h"
#include "timing/pool.h"
#include "timing/several_steps.h"
#include "timing/simulated.h"
#include "timing/software.h"
#include "timing/step_split.h"

namespace wt::timing {

// The one step that a timeline shows.
struct ShownStep {
  Seconds end{};                  // of that step, which with jitter isn't the mean that is reported
  std::string text = "one step";  // "step 8 of 8, which the later ones repeat"
  std::vector<Seconds>
      rows_arrive{};           // by device of the plan, until when it waits for rows; empty: rows are copied
  Seconds software{};          // of the framework, at its end
  bool is_dispatched = false;  // the step ends with a host's work and not with a synchronization
};

// A simulated step of a plan, and its summary.
struct Simulation {
  plan::Timeline timeline{};
  double scale = 1;  // factor on the predicted compute times
  Simulated summary{};
  plan::Costs costs{};
  plan::RooflineOptions roofline{};  // the options with which the costs were made
  std::optional<Overdue> overdue{};  // absent: no collective exceeds its timeout; else the job ends there
  std::vector<StepSplit> splits{};   // of the devices that train; the first is that of the summary
  ShownStep shown{};                 // by the timeline
};

// A source of kernel times other than the roofline: measured, or read from a profile.
class KernelTimes {
 public:
  virtual ~KernelTimes() = default;

  // The profile for those devices of the plan that have the type of the first one. Null: the roofline is
  // used.
  virtual const plan::Profile* of(const plan::Plan& plan, std::span<const device::DeviceType* const> types,
                                  const plan::RooflineOptions& roofline) = 0;
};

struct SimulationOptions {
  std::int64_t rows = 0;                         // of the step
  std::optional<device::Precision> precision{};  // absent: the device's default
  std::optional<plan::Fusion> fusion{};          // absent: the device's usual one
  plan::Updates updates = plan::Updates::fused;
  plan::Images images = plan::Images::channels_last;
  std::optional<Seconds> measured_step{};  // compute times are scaled to reach this step
  Place measured_at{};                     // of `measured_step` in the user's file, for messages
  // Factor on compute times, from the measurement of one device; absent: that of the platform's calibration.
  std::optional<double> scale{};
  double compute = 1;  // speed of the devices relative to the described or measured one
  plan::RowCopies copies = plan::RowCopies::in_the_step;  // of the rows to the devices
  bool has_encoded_rows = false;                          // in files of text or records, for the summary
  bool is_brought_together = true;  // true: collectives synchronize the devices of a process
  KernelTimes* times = nullptr;     // null: the roofline is used
  StepsOptions steps{};
  std::optional<PoolOptions> pool{};          // set if workers take the plan's step from a queue
  Seconds dispatch{};                         // time of a TPU's host to start a step
  std::optional<SoftwareOptions> software{};  // of the framework on hosts; absent: it takes no time
  std::optional<RowsPipeline> pipeline{};     // the pipeline to which `steps` refers, for the summary
  communication::KnownTimes* known_collectives = nullptr;  // from other simulations; null: none
  std::optional<Seconds> timeout{};                        // of a collective
  Divided divided = Divided::first;                        // for whose view the step is divided
};

// By device of the plan, its endpoint on the platform.
std::vector<platform::Endpoint> endpoints_of(const plan::Plan& plan, const cluster::Machine& machine);

// All executions of the nodes of the closures that the options' pool has. Requires: the same as
// simulate_step.
PlayedPool simulate_closures(const plan::Plan& plan, const cluster::Machine& machine,
                             const SimulationOptions& options);

// How long a plan without kernels takes that runs once, such as a broadcast of first values. Requires: the machine has a
// platform.
Seconds time_of_messages(const plan::Plan& plan, const cluster::Machine& machine);

// Requires: the machine has a platform, and the plan's first device is that of the machine's first replica.
Simulation simulate_step(const plan::Plan& plan, const cluster::Machine& machine,
                         const SimulationOptions& options);

}  // namespace wt::timing
